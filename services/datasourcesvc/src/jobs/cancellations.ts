import type { Logger } from '@dtplatform/logging';
import { connectRedis } from '@dtplatform/redis';
import type { RedisConnection } from '@dtplatform/redis';
import type { Cancellations } from '../domain/orchrun/ports.js';

const CHANNEL = 'datasourcesvc:run-cancelled';

/**
 * Announces cancelled runs through Redis publish/subscribe. Delivery is at most once: a process that misses a message learns
 * from its next heartbeat that it no longer holds the run.
 */
export async function createCancellations(options: {
  redis: RedisConnection;
  redisUrl: string;
  log: Logger;
}): Promise<Cancellations & { close(): Promise<void> }> {
  const { redis, log } = options;
  const listeners = new Map<string, () => void>();
  // This kind of connection waits for Redis and resubscribes after an outage.
  const subscriber = await connectRedis({ url: options.redisUrl, kind: 'worker', log });
  subscriber.client.on('message', (_channel: string, runId: string) => listeners.get(runId)?.());
  subscriber.client.subscribe(CHANNEL).catch((error: unknown) => {
    log.warn({ err: error }, 'could not subscribe to cancelled runs');
  });

  return {
    async announce(runId) {
      try {
        await redis.client.publish(CHANNEL, runId);
      } catch (error) {
        log.warn({ err: error, runId }, 'could not announce a cancelled run');
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
