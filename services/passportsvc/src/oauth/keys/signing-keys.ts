import { z } from 'zod';
import { createLocalJWKSet } from 'jose';
import type { JWK, JWTVerifyGetKey } from 'jose';
import { commonErrors } from '@dtplatform/errors';
import { once } from '@dtplatform/lifecycle';
import { nextChange, planKeys } from './key-rotation.js';
import type { KeyTimes, PlannedKey } from './key-rotation.js';
import type { SigningKeyStore } from './keys.store.js';
import { Sealed } from './sealer.js';
import type { Sealer } from './sealer.js';

export const StoredKey = z.object({
  /** `<algorithm>-<number>`: processes that create a key concurrently use the same id, so only one succeeds. */
  _id: z.string(),
  kid: z.string(),
  sealed: Sealed,
  createdAt: z.number(),
  /** When it begins to sign, in epoch milliseconds. */
  activeFrom: z.number(),
});
export type StoredKey = z.infer<typeof StoredKey>;

/** The random secret from which keys for hashes, tokens, cookies and forms are derived. There is one. */
export const DerivationSecret = z.object({
  _id: z.literal('derivation'),
  sealed: Sealed,
  createdAt: z.number(),
});
export type DerivationSecret = z.infer<typeof DerivationSecret>;

export interface SealedSecret {
  context: string;
  sealed: Sealed;
  /** @returns false if it was changed or removed in the meantime */
  replace(sealed: Sealed): Promise<boolean>;
}

/**
 * The private keys of all published keys, the current one first; the same array until that changes. Loaded on first
 * use; after a failure the next call retries. @throws WrongKeyEncryptionKey
 */
export type SigningKeys = () => Promise<JWK[]>;

interface Deps {
  signingKeyStore: Pick<SigningKeyStore, 'list'>;
  sealer: Sealer;
  times: KeyTimes;
}

/** @returns the keys, and `refresh`, which picks up other processes' rotations */
export function createSigningKeys({ signingKeyStore, sealer, times }: Deps) {
  const opened = new Map<string, JWK>();
  let stored: StoredKey[] = [];
  let current: { keys: JWK[]; until: number } | undefined;

  /** @returns 0: sweeps return the number of repairs */
  async function load(): Promise<number> {
    const found = await signingKeyStore.list();
    if (found.length === 0) throw commonErrors.unavailable({ cause: new Error('There is no signing key yet.') });
    for (const { kid, sealed } of found) {
      if (!opened.has(kid)) opened.set(kid, JSON.parse(sealer.unseal(sealed, kid)) as JWK);
    }
    stored = found;
    current = snapshot();
    return 0;
  }

  function snapshot() {
    const now = Date.now();
    const plan = planKeys(stored, now, times);
    const keys = published(plan).map(({ kid }) => opened.get(kid)!);
    const isSame = current?.keys.length === keys.length && keys.every((key, index) => key === current!.keys[index]);
    return { keys: isSame ? current!.keys : keys, until: nextChange(plan, now) };
  }

  const first = once(load);
  const signingKeys: SigningKeys = async () => {
    await first();
    if (Date.now() >= current!.until) current = snapshot();
    return current!.keys;
  };
  return { signingKeys, refresh: load };
}

/** The signing key, then all others that are published. */
function published(plan: readonly PlannedKey[]): StoredKey[] {
  const signing = plan.filter(({ state }) => state === 'signing');
  const others = plan.filter(({ state }) => state === 'next' || state === 'verifying');
  return [...signing, ...others].map(({ key }) => key);
}

export function createVerificationKeys(signingKeys: SigningKeys): JWTVerifyGetKey {
  const keySets = new WeakMap<JWK[], JWTVerifyGetKey>();
  return async (header, token) => {
    const keys = await signingKeys();
    const keySet = keySets.get(keys) ?? createLocalJWKSet({ keys: keys.map(publicPart) });
    keySets.set(keys, keySet);
    return keySet(header, token);
  };
}

/** The public part of a key (RFC 7517, section 9.3). */
function publicPart({ kty, kid, alg, use, crv, x, y, n, e }: JWK): JWK {
  const key = { kty, kid, alg, use, crv, x, y, n, e };
  return Object.fromEntries(Object.entries(key).filter(([, value]) => value !== undefined));
}
