import { randomBytes } from 'node:crypto';
import DataLoader from 'dataloader';
import type { Redis } from 'ioredis';

/** Reads keys from Redis; null for a key that does not exist. */
export type StateReader = (keys: string[]) => Promise<(string | null)[]>;

/**
 * A reader of which one MGET is under way at a time: reads that are asked for meanwhile share the next one, so under load MGETs
 * become larger, not more frequent. A read begins after it was asked for, so it sees every revocation before that. The keys
 * of a request are one load: with a load for each key a read took four times as long.
 */
export function createStateReader(redis: Redis): StateReader {
  let previous: Promise<unknown> = Promise.resolve();
  const loader = new DataLoader<string[], (string | null)[]>(
    async (requests) => {
      const keys = [...new Set(requests.flat())];
      const reading = redis.mget(keys);
      previous = reading.catch(() => undefined);
      const values = await reading;
      const byKey = new Map(keys.map((key, place) => [key, values[place]]));
      return requests.map((wanted) => wanted.map((key) => byKey.get(key) ?? null));
    },
    { cache: false, batchScheduleFn: (read) => void previous.then(() => setImmediate(read)) },
  );
  return (keys) => loader.load(keys);
}

/** A value that no epoch had before. Random, so that it does not repeat even when Redis has lost its data. */
const newEpoch = () => randomBytes(12).toString('base64url');

/** The next request after it sets a new epoch, and loads its grants again. */
const EPOCH_TTL_SEC = 3600;

/**
 * The epoch under a key; a new one when it is missing. It is missing after a change of what the subject may do, when it has
 * expired, and when Redis has lost its data: it must not look like one under which a cache was filled.
 */
export async function ensureEpoch(redis: Redis, key: string): Promise<string> {
  const fresh = newEpoch();
  if ((await redis.set(key, fresh, 'EX', EPOCH_TTL_SEC, 'NX')) === 'OK') return fresh;
  return (await redis.get(key)) ?? fresh;
}
