import { randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';

/** Reads keys from Redis; null for a key that does not exist. */
export type StateReader = (keys: string[]) => Promise<(string | null)[]>;

/**
 * A reader that joins what all requests of one turn of the event loop ask for into one MGET, so that the price of
 * looking at Redis with every request is shared when there are many.
 */
export function createStateReader(redis: Redis): StateReader {
  let batch: { keys: Map<string, number>; values: Promise<(string | null)[]> } | undefined;

  function openBatch() {
    const keys = new Map<string, number>();
    const values = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      batch = undefined;
      return redis.mget([...keys.keys()]);
    });
    return { keys, values };
  }

  return async (wanted) => {
    const { keys, values } = (batch ??= openBatch());
    const places = wanted.map((key) => keys.get(key) ?? (keys.set(key, keys.size), keys.size - 1));
    const all = await values;
    return places.map((place) => all[place] ?? null);
  };
}

/** A value that no epoch had before. Random, so that it does not repeat even when Redis has lost its data. */
export const newEpoch = () => randomBytes(12).toString('base64url');

/**
 * The epoch under a key; a new one when it is missing. After Redis has lost its data, a missing epoch must not look like
 * the one under which a cache was filled.
 */
export async function ensureEpoch(redis: Redis, key: string): Promise<string> {
  const fresh = newEpoch();
  if ((await redis.set(key, fresh, 'NX')) === 'OK') return fresh;
  return (await redis.get(key)) ?? fresh;
}
