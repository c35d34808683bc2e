import type { Logger } from '@dtplatform/logging';
import { connectRedis } from '@dtplatform/redis';
import type { RedisConnection } from '@dtplatform/redis';
import type { Cancellations } from '../domain/ports.js';

const CHANNEL = 'datasourcesvc:run-cancelled';

/**
 * News of cancelled runs by Redis's publish and subscribe. It is at most once: a process that misses it sees at its next
 * sign of life that it does not hold the run any more.
 */
export async function createCancellations(options: {
  redis: RedisConnection;
  redisUrl: string;
  log: Logger;
}): Promise<Cancellations & { close(): Promise<void> }> {
  const { redis, log } = options;
  const listeners = new Map<string, () => void>();
  // This kind of connection waits for Redis and subscribes again when it was away.
  const subscriber = await connectRedis({ url: options.redisUrl, kind: 'worker', log });
  subscriber.client.on('message', (_channel: string, runId: string) => listeners.get(runId)?.());
  subscriber.client.subscribe(CHANNEL).catch((error: unknown) => {
    log.warn({ err: error }, 'news of cancelled runs cannot be heard');
  });

  return {
    async announce(runId) {
      try {
        await redis.client.publish(CHANNEL, runId);
      } catch (error) {
        log.warn({ err: error, runId }, 'a cancelled run could not be announced');
      }
    },
    onCancelled(runId, listener) {
      listeners.set(runId, listener);
      return () => {
        if (listeners.get(runId) === listener) listeners.delete(runId);
      };
    },
    close: () => subscriber.close(),
  };
}
