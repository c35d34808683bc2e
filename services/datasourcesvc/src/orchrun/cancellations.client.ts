import type { Logger } from '@dtplatform/logging';
import { connectRedis } from '@dtplatform/redis';
import type { RedisConnection } from '@dtplatform/redis';
import type { Attempt, Cancellations } from './runs.js';

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
  const subscriptions = new Set<{ cancelled: string; listener: () => void }>();
  // This kind of connection waits for Redis and resubscribes after an outage.
  const subscriber = await connectRedis({ url: options.redisUrl, kind: 'worker', log });
  subscriber.client.on('message', (_channel: string, message: string) => {
    for (const { cancelled, listener } of subscriptions) if (cancelled === message) listener();
  });
  subscriber.client.subscribe(CHANNEL).catch((error: unknown) => {
    log.warn({ err: error }, 'could not subscribe to cancelled runs');
  });

  return {
    async announce(cancelled) {
      try {
        await redis.client.publish(CHANNEL, messageOf(cancelled));
      } catch (error) {
        log.warn({ err: error, ...cancelled }, 'could not announce a cancelled run');
      }
    },
    onCancelled(attempt, listener) {
      const subscription = { cancelled: messageOf(attempt), listener };
      subscriptions.add(subscription);
      return () => void subscriptions.delete(subscription);
    },
    close: () => subscriber.close(),
  };
}

/** A late message must leave the next attempt alone. */
const messageOf = ({ runId, retries }: Attempt) => `${runId} ${retries}`;
