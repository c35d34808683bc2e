import type { Logger } from '@dtplatform/logging';
import { connectRedis } from '@dtplatform/redis';
import type { RedisConnection } from '@dtplatform/redis';

const CHANNEL = 'datasourcesvc:run-cancelled';

/** A run's attempt, identified by the number of retries before it. */
export interface Attempt {
  runId: string;
  retries: number;
}

/**
 * Announces cancelled runs to all processes of this service through Redis publish/subscribe. Delivery is at most once:
 * a process that misses a message finds the run lost at its next heartbeat.
 */
export async function createCancellations(options: { redis: RedisConnection; redisUrl: string; log: Logger }) {
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
    async announce(cancelled: Attempt): Promise<void> {
      try {
        await redis.client.publish(CHANNEL, messageOf(cancelled));
      } catch (error) {
        log.warn({ err: error, ...cancelled }, 'could not announce a cancelled run');
      }
    },
    /** @returns a function that unsubscribes */
    onCancelled(attempt: Attempt, listener: () => void): () => void {
      const subscription = { cancelled: messageOf(attempt), listener };
      subscriptions.add(subscription);
      return () => void subscriptions.delete(subscription);
    },
    close: () => subscriber.close(),
  };
}

export type Cancellations = Awaited<ReturnType<typeof createCancellations>>;

/** A late message must not cancel the next attempt. */
const messageOf = ({ runId, retries }: Attempt) => `${runId} ${retries}`;
