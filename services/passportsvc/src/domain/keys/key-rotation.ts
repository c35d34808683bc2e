import { calculateJwkThumbprint, exportJWK, generateKeyPair } from 'jose';
import { planKeys } from './key-plan.js';
import type { KeyTimes, PlannedKey, SigningAlgorithm } from './key-plan.js';
import type { SigningKeyStore } from './ports.js';
import type { Sealer } from './sealer.js';
import type { StoredKey } from './stored-key.js';

interface Deps {
  signingKeyStore: SigningKeyStore;
  sealer: Sealer;
  times: KeyTimes;
}

export type KeyRotation = ReturnType<typeof createKeyRotation>;

/** Creates, replaces and withdraws signing keys. Concurrent calls create one key. */
export function createKeyRotation({ signingKeyStore, sealer, times }: Deps) {
  const list = async (): Promise<PlannedKey[]> => planKeys(await signingKeyStore.list(), Date.now(), times);

  /** @returns the new key, which another process may have created meanwhile */
  async function add(algorithm: SigningAlgorithm, activeFrom: number, keys: PlannedKey[]): Promise<PlannedKey> {
    const number = Math.max(0, ...keys.map(({ key }) => Number(key._id.split('-')[1]))) + 1;
    const id = `${algorithm}-${number}`;
    await signingKeyStore.insertFirst(await newKey(id, algorithm, activeFrom, sealer));
    return (await list()).find(({ key }) => key._id === id)!;
  }

  /**
   * Publishes a new key, which signs after the lead time. Does nothing while such a key of the algorithm waits.
   * @param keys those for which the caller decided to rotate: of several processes that decide the same, one adds a key
   */
  async function rotate(algorithm: SigningAlgorithm, keys: PlannedKey[]): Promise<PlannedKey> {
    const newest = keys.at(-1);
    if (newest?.state === 'next' && newest.algorithm === algorithm) return newest;
    return add(algorithm, keys.length === 0 ? Date.now() : Date.now() + times.leadMs, keys);
  }

  return {
    /** All stored keys, oldest first. */
    list,
    rotate: async (algorithm: SigningAlgorithm) => rotate(algorithm, await list()),
    /** Makes sure that there is a key, and that the newest one is of this algorithm. */
    async ensure(algorithm: SigningAlgorithm): Promise<void> {
      const keys = await list();
      if (keys.at(-1)?.algorithm !== algorithm) await rotate(algorithm, keys);
    },
    /** Rotates when the newest key is as old as this, and keeps its algorithm. @returns the new key */
    async rotateAfter(ageMs: number): Promise<PlannedKey | undefined> {
      const keys = await list();
      const newest = keys.at(-1);
      const isDue = newest !== undefined && newest.activeFrom + ageMs <= Date.now();
      return isDue ? rotate(newest.algorithm, keys) : undefined;
    },
    /** Replaces all keys at once: nothing that they signed is accepted any longer. @returns the new key */
    async revokeAll(algorithm: SigningAlgorithm): Promise<PlannedKey> {
      const keys = await list();
      const added = await add(algorithm, Date.now(), keys);
      await signingKeyStore.remove(keys.map(({ key }) => key._id));
      return { ...added, state: 'signing', until: undefined };
    },
    /** Removes the keys whose last tokens have expired. @returns their key ids */
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
