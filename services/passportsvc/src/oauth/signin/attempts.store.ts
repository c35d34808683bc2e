import { LRUCache } from 'lru-cache';
import { readKeys, redisErrors } from '@dtplatform/redis';
import type { RedisConnection } from '@dtplatform/redis';

interface AttemptCounter {
  count: number;
  leftMs: number;
}

export interface AttemptCounters {
  read(keys: string[]): Promise<AttemptCounter[]>;
  /** Increments a counter, which expires `ttlMs` after its first increment. @returns the count */
  add(key: string, ttlMs: number): Promise<number>;
  start(key: string, ttlMs: number): Promise<void>;
  /** Returns false if the counter is running. */
  startOnce(key: string, ttlMs: number): Promise<boolean>;
  remove(key: string): Promise<void>;
}

/** Per process, while Redis is unavailable. Evicts the least recently used. */
const MAX_IN_PROCESS = 20_000;

/** Increments and sets the expiry in one step: a counter without an expiry would never disappear. */
const ADD = `
local count = redis.call('INCR', KEYS[1])
if count == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
return count`;

/** Counters in Redis; while it is unavailable, each process counts on its own. */
export function createAttemptCounters(redis: RedisConnection['client']): AttemptCounters {
  const shared = inRedis(redis);
  const own = inProcess();
  const orOwn = async <T>(run: (counters: AttemptCounters) => Promise<T>): Promise<T> => {
    try {
      return await run(shared);
    } catch (error) {
      if (!redisErrors(error)) throw error;
      return run(own);
    }
  };
  return {
    read: (keys) => orOwn((counters) => counters.read(keys)),
    add: (key, ttlMs) => orOwn((counters) => counters.add(key, ttlMs)),
    start: (key, ttlMs) => orOwn((counters) => counters.start(key, ttlMs)),
    startOnce: (key, ttlMs) => orOwn((counters) => counters.startOnce(key, ttlMs)),
    remove: (key) => orOwn((counters) => counters.remove(key)),
  };
}

const inRedis = (redis: RedisConnection['client']): AttemptCounters => ({
  async read(keys) {
    const [counts, ...left] = await Promise.all([readKeys(redis, keys), ...keys.map((key) => redis.pttl(key))]);
    return counts.map((count, index) => ({ count: Number(count ?? 0), leftMs: Math.max(left[index]!, 0) }));
  },
  add: async (key, ttlMs) => Number(await redis.eval(ADD, 1, key, ttlMs)),
  start: async (key, ttlMs) => void (await redis.set(key, 1, 'PX', ttlMs)),
  startOnce: async (key, ttlMs) => (await redis.set(key, 1, 'PX', ttlMs, 'NX')) === 'OK',
  remove: async (key) => void (await redis.del(key)),
});

export function inProcess(): AttemptCounters {
  const counters = new LRUCache<string, number>({ max: MAX_IN_PROCESS });
  return {
    read: (keys) =>
      Promise.resolve(
        keys.map((key) => ({ count: counters.get(key) ?? 0, leftMs: Math.ceil(counters.getRemainingTTL(key)) })),
      ),
    add(key, ttlMs) {
      const count = (counters.get(key) ?? 0) + 1;
      counters.set(key, count, { ttl: count === 1 ? ttlMs : counters.getRemainingTTL(key) });
      return Promise.resolve(count);
    },
    start: (key, ttlMs) => Promise.resolve(void counters.set(key, 1, { ttl: ttlMs })),
    startOnce(key, ttlMs) {
      const isRunning = counters.has(key);
      if (!isRunning) counters.set(key, 1, { ttl: ttlMs });
      return Promise.resolve(!isRunning);
    },
    remove: (key) => Promise.resolve(void counters.delete(key)),
  };
}
