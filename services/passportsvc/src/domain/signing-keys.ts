import { calculateJwkThumbprint, exportJWK, generateKeyPair } from 'jose';
import type { JWK } from 'jose';
import { seal, unseal } from './sealed.js';
import type { Sealed } from './sealed.js';

export type SigningAlgorithm = 'ES256' | 'RS256';

/** A key as it is stored. */
export interface StoredKey {
  /** `<algorithm>-<number>`: the same for all who make a first key at the same time, so that one of them wins. */
  _id: string;
  kid: string;
  sealed: Sealed;
  createdAt: number;
}

export interface SigningKeyStore {
  list(): Promise<StoredKey[]>;
  /** Does nothing when there is a key of this id. */
  insertFirst(key: StoredKey): Promise<void>;
}

/** The stored keys cannot be read: the start must fail. */
export class WrongKeyEncryptionKey extends Error {
  constructor(cause: unknown) {
    super('KEY_ENCRYPTION_KEY: is not the one that the stored signing keys were encrypted with', { cause });
    this.name = 'WrongKeyEncryptionKey';
  }
}

/**
 * The private keys of the platform, the one that signs now before all others. Makes the first one where there is none.
 * @throws WrongKeyEncryptionKey
 */
export async function loadSigningKeys(
  store: SigningKeyStore,
  algorithm: SigningAlgorithm,
  encryptionKey: Buffer,
): Promise<JWK[]> {
  let stored = await store.list();
  if (!stored.some(({ _id }) => _id.startsWith(algorithm))) {
    await store.insertFirst(await newKey(algorithm, encryptionKey));
    stored = await store.list();
  }
  const keys = stored.sort((a, b) => b.createdAt - a.createdAt).map((key) => open(key, encryptionKey));
  return [...keys.filter(({ alg }) => alg === algorithm), ...keys.filter(({ alg }) => alg !== algorithm)];
}

async function newKey(algorithm: SigningAlgorithm, encryptionKey: Buffer): Promise<StoredKey> {
  const { privateKey } = await generateKeyPair(algorithm, { extractable: true });
  const jwk = await exportJWK(privateKey);
  const kid = await calculateJwkThumbprint(jwk);
  const sealed = seal(JSON.stringify({ ...jwk, kid, alg: algorithm, use: 'sig' }), encryptionKey, kid);
  return { _id: `${algorithm}-1`, kid, sealed, createdAt: Date.now() };
}

function open({ sealed, kid }: StoredKey, encryptionKey: Buffer): JWK {
  try {
    return JSON.parse(unseal(sealed, encryptionKey, kid)) as JWK;
  } catch (error) {
    throw new WrongKeyEncryptionKey(error);
  }
}

/** The public part of a key (RFC 7517, section 9.3). */
export function publicPart({ kty, kid, alg, use, crv, x, y, n, e }: JWK): JWK {
  const key = { kty, kid, alg, use, crv, x, y, n, e };
  return Object.fromEntries(Object.entries(key).filter(([, value]) => value !== undefined));
}
