import { createEpochs } from '@dtplatform/permissions';
import { redisErrors } from '@dtplatform/redis';
import type { RedisConnection } from '@dtplatform/redis';
import { currentBounds } from '@dtplatform/telemetry';
import type { CallBounds } from '@dtplatform/telemetry';

export type Versioned = 'app' | 'user';

/**
 * Versions of apps and users in Redis, like permission epochs: random values that a write removes before and after it.
 * Read once per call. Without Redis there are no versions and nothing cached is used.
 */
export function createVersions(redis: RedisConnection) {
  const epochs = createEpochs(redis);
  const readByCall = new WeakMap<CallBounds, Map<string, Promise<string | undefined>>>();

  const read = (key: string) => withoutRedis(async () => (await epochs.read(key)).epoch);

  function readOnce(call: CallBounds, key: string): Promise<string | undefined> {
    const known = readByCall.get(call) ?? new Map<string, Promise<string | undefined>>();
    readByCall.set(call, known);
    const reading = known.get(key) ?? read(key);
    known.set(key, reading);
    return reading;
  }

  return {
    /** Undefined when there is none, or Redis is unavailable. */
    current(kind: Versioned, id: string): Promise<string | undefined> {
      const call = currentBounds();
      return call ? readOnce(call, keyOf(kind, id)) : read(keyOf(kind, id));
    },
    begin: async (kind: Versioned, id: string): Promise<void> =>
      void (await withoutRedis(() => epochs.ensure(keyOf(kind, id)))),
    /**
     * Runs a write. Once the promise resolves, no process uses earlier cached values. @throws before the write if Redis
     * is unavailable
     */
    async change<T>(kind: Versioned, id: string, write: () => Promise<T>): Promise<T> {
      const key = keyOf(kind, id);
      // If Redis is unavailable, nothing is written.
      await redis.durably((client) => client.del(key));
      const written = await write();
      // Concurrent readers may have cached the old state under a version that began in the meantime.
      await redis.durably((client) => client.del(key));
      return written;
    },
  };
}

export type Versions = ReturnType<typeof createVersions>;

const keyOf = (kind: Versioned, id: string) => `passport:version:${kind}:${id}`;

async function withoutRedis<T>(run: () => Promise<T>): Promise<T | undefined> {
  try {
    return await run();
  } catch (error) {
    if (!redisErrors(error)) throw error;
    return undefined;
  }
}
