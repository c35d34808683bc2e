import { calculateJwkThumbprint, createLocalJWKSet, exportJWK, generateKeyPair } from 'jose';
import type { JWK, JWTVerifyGetKey } from 'jose';
import { once } from '@dtplatform/lifecycle';
import type { SigningKeyStore } from './ports.js';
import { seal, unseal } from './sealed.js';
import type { StoredKey } from './stored-key.js';

export type SigningAlgorithm = 'ES256' | 'RS256';

/** The stored keys cannot be decrypted: the process must not start. */
export class WrongKeyEncryptionKey extends Error {
  constructor(cause: unknown) {
    super('KEY_ENCRYPTION_KEY: is not the key that the stored signing keys were encrypted with', { cause });
    this.name = 'WrongKeyEncryptionKey';
  }
}

/**
 * The private keys of the platform, the current signing key first. They are loaded on first use; after a failure the next
 * call retries. @throws WrongKeyEncryptionKey
 */
export type SigningKeys = () => Promise<JWK[]>;

interface Deps {
  signingKeyStore: SigningKeyStore;
  algorithm: SigningAlgorithm;
  encryptionKey: Buffer;
}

export const createSigningKeys = (deps: Deps): SigningKeys => once(() => loadSigningKeys(deps));

/** Loads the signing keys and creates the first one if there is none. @throws WrongKeyEncryptionKey */
export async function loadSigningKeys({ signingKeyStore, algorithm, encryptionKey }: Deps): Promise<JWK[]> {
  let stored = await signingKeyStore.list();
  if (!stored.some(({ _id }) => _id.startsWith(algorithm))) {
    await signingKeyStore.insertFirst(await newKey(algorithm, encryptionKey));
    stored = await signingKeyStore.list();
  }
  const keys = stored.sort((a, b) => b.createdAt - a.createdAt).map((key) => open(key, encryptionKey));
  return [...keys.filter(({ alg }) => alg === algorithm), ...keys.filter(({ alg }) => alg !== algorithm)];
}

/** Finds the public key that verifies a token of this service. */
export function createVerificationKeys(signingKeys: SigningKeys): JWTVerifyGetKey {
  const keySet = once(async () => createLocalJWKSet({ keys: (await signingKeys()).map(publicPart) }));
  return async (header, token) => (await keySet())(header, token);
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
function publicPart({ kty, kid, alg, use, crv, x, y, n, e }: JWK): JWK {
  const key = { kty, kid, alg, use, crv, x, y, n, e };
  return Object.fromEntries(Object.entries(key).filter(([, value]) => value !== undefined));
}
