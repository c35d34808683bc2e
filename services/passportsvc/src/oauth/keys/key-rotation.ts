import { calculateJwkThumbprint, exportJWK, generateKeyPair } from 'jose';
import { commonErrors } from '@dtplatform/errors';
import { errors } from '../../errors.js';
import type { SealedSecretStore, SigningKeyStore } from './keys.store.js';
import type { Sealer } from './sealer.js';
import type { StoredKey } from './signing-keys.js';

export type SigningAlgorithm = 'ES256' | 'RS256';

export interface KeyTimes {
  /** How long a new key is published before it signs, so that every verifier has it by then. */
  leadMs: number;
  tokenTtlMs: number;
}

export interface PlannedKey {
  key: StoredKey;
  algorithm: SigningAlgorithm;
  /**
   * `next`: published, does not sign yet; `verifying`: its last tokens have not expired; `expired`: no longer
   * published.
   */
  state: 'next' | 'signing' | 'verifying' | 'expired';
  activeFrom: number;
  /** When it is withdrawn; undefined for the newest key. */
  until?: number;
}

/**
 * The keys, oldest first, and their states. Derived from stored data alone, so that all processes agree without
 * coordination. A withdrawn key was replaced at least one token lifetime ago. It stays published for another lead time,
 * because a process may learn late that it was replaced.
 */
export function planKeys(keys: readonly StoredKey[], now: number, { leadMs, tokenTtlMs }: KeyTimes): PlannedKey[] {
  const inOrder = [...keys].sort((a, b) => a.activeFrom - b.activeFrom || (a._id < b._id ? -1 : 1));
  const started = inOrder.filter((key) => key.activeFrom <= now).length;
  const signing = Math.max(0, started - 1);
  return inOrder.map((key, index) => {
    const successor = inOrder[index + 1];
    const until = successor && successor.activeFrom + tokenTtlMs + leadMs;
    const isExpired = until !== undefined && until <= now;
    const state = index > signing ? 'next' : index === signing ? 'signing' : isExpired ? 'expired' : 'verifying';
    return { key, algorithm: algorithmOf(key), state, activeFrom: key.activeFrom, until };
  });
}

export const nextChange = (plan: readonly PlannedKey[], now: number): number =>
  Math.min(...plan.flatMap(({ activeFrom, until }) => [activeFrom, until ?? Infinity]).filter((time) => time > now));

const algorithmOf = ({ _id }: StoredKey) => _id.split('-')[0] as SigningAlgorithm;

interface Deps {
  signingKeyStore: SigningKeyStore;
  sealer: Sealer;
  times: KeyTimes;
}

export type KeyRotation = ReturnType<typeof createKeyRotation>;

/** Creates, replaces and withdraws signing keys. Concurrent calls create one key. */
export function createKeyRotation({ signingKeyStore, sealer, times }: Deps) {
  const list = async (): Promise<PlannedKey[]> => planKeys(await signingKeyStore.list(), Date.now(), times);

  /** @returns the new key, which a concurrent process may have created */
  async function add(algorithm: SigningAlgorithm, activeFrom: number, keys: PlannedKey[]): Promise<PlannedKey> {
    const number = Math.max(0, ...keys.map(({ key }) => Number(key._id.split('-')[1]))) + 1;
    const id = `${algorithm}-${number}`;
    await signingKeyStore.insertFirst(await newKey(id, algorithm, activeFrom, sealer));
    return (await list()).find(({ key }) => key._id === id)!;
  }

  /**
   * Publishes a new key, which signs after the lead time. Does nothing while a new key of this algorithm is pending.
   * @param keys those the caller decided on: of several processes with the same decision, only one adds a key
   */
  async function rotate(algorithm: SigningAlgorithm, keys: PlannedKey[]): Promise<PlannedKey> {
    const newest = keys.at(-1);
    if (newest?.state === 'next' && newest.algorithm === algorithm) return newest;
    return add(algorithm, keys.length === 0 ? Date.now() : Date.now() + times.leadMs, keys);
  }

  return {
    /** All stored keys, oldest first. */
    list,
    /** @param algorithm that of the newest key by default */
    async rotate(algorithm?: SigningAlgorithm): Promise<PlannedKey> {
      const keys = await list();
      return rotate(algorithm ?? keys.at(-1)!.algorithm, keys);
    },
    /** Ensures that a key exists and the newest has this algorithm. */
    async ensure(algorithm: SigningAlgorithm): Promise<void> {
      const keys = await list();
      if (keys.at(-1)?.algorithm !== algorithm) await rotate(algorithm, keys);
    },
    /** Rotates when the newest key has reached this age; keeps its algorithm. @returns the new key */
    async rotateAfter(ageMs: number): Promise<PlannedKey | undefined> {
      const keys = await list();
      const newest = keys.at(-1);
      const isDue = newest !== undefined && newest.activeFrom + ageMs <= Date.now();
      return isDue ? rotate(newest.algorithm, keys) : undefined;
    },
    /** Replaces all keys at once and so invalidates all tokens. @returns the new key */
    async revokeAll(algorithm: SigningAlgorithm): Promise<PlannedKey> {
      const keys = await list();
      const added = await add(algorithm, Date.now(), keys);
      await signingKeyStore.remove(keys.map(({ key }) => key._id));
      return { ...added, state: 'signing', until: undefined };
    },
    /**
     * Withdraws a key that no valid token needs.
     * @throws notFound; keyNeeded while it signs, will sign or may have signed a valid token
     */
    async retire(kid: string): Promise<void> {
      const found = (await list()).find(({ key }) => key.kid === kid);
      if (!found) throw commonErrors.notFound();
      if (found.state !== 'expired') throw errors.keyNeeded();
      await signingKeyStore.remove([found.key._id]);
    },
    async removeExpired(): Promise<string[]> {
      const expired = (await list()).filter(({ state }) => state === 'expired').map(({ key }) => key);
      if (expired.length > 0) await signingKeyStore.remove(expired.map(({ _id }) => _id));
      return expired.map(({ kid }) => kid);
    },
  };
}

async function newKey(_id: string, alg: SigningAlgorithm, activeFrom: number, sealer: Sealer): Promise<StoredKey> {
  const { privateKey } = await generateKeyPair(alg, { extractable: true });
  const jwk = await exportJWK(privateKey);
  const kid = await calculateJwkThumbprint(jwk);
  const sealed = sealer.seal(JSON.stringify({ ...jwk, kid, alg, use: 'sig' }), kid);
  return { _id, kid, sealed, createdAt: Date.now(), activeFrom };
}

const BATCH = 100;

/**
 * Re-encrypts every stored secret with the current key encryption key. Skips secrets that use it already, so an
 * interrupted call can be resumed. Processes that accept both keys keep working throughout.
 * @returns how many secrets were re-encrypted
 * @throws WrongKeyEncryptionKey when neither key opens a secret
 */
export async function reencrypt({ secrets, sealer }: { secrets: SealedSecretStore; sealer: Sealer }): Promise<number> {
  let count = 0;
  for (;;) {
    const batch = await secrets.listOthers(sealer.keyId, BATCH);
    if (batch.length === 0) return count;
    for (const secret of batch) {
      const { sealed, context } = secret;
      if (await secret.replace(sealer.seal(sealer.unseal(sealed, context), context))) count += 1;
    }
  }
}
