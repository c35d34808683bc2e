import type { Logger } from '@dtplatform/logging';
import { createLease } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import { connectRedis } from '@dtplatform/redis';
import { backlogOf } from './backlog.js';
import { createCarrier } from './carry.js';
import { pause } from './pause.js';
import { createProducers } from './producers.js';
import { DEFAULT_QUEUE_PREFIX } from './queue-keys.js';

const ASK_FOR_LEASE_EVERY_MS = 1_000;
const FIRST_BACKOFF_MS = 250;
const MAX_BACKOFF_MS = 5_000;

export interface RelayOptions {
  mongo: Mongo;
  redisUrl: string;
  log: Logger;
  /** Keeps the queues of several installations (or tests) on one Redis apart; the same for relay and workers. Default `dtplatform`. */
  queuePrefix?: string;
}

export interface Relay {
  /** Ends after the batch that is on its way. */
  stop: () => Promise<void>;
  /** False while carrying messages fails. */
  healthy: () => boolean;
  /** What waits in the outbox, whoever carries it. */
  backlog: () => Promise<{ messages: number; oldestAgeSec: number }>;
}

/**
 * Carries messages from the outbox to their queues, each under its own id, and settles those that Redis has acknowledged.
 * A change stream tells of new ones, a sweep finds what it missed. While Redis is away they stay in the outbox. Order is not kept.
 *
 * Start one in each worker process: one of them works, and another takes over when it ends (at once) or dies (within 7 seconds).
 */
export async function startRelay(options: RelayOptions): Promise<Relay> {
  const { mongo, log } = options;
  const redis = await connectRedis({ url: options.redisUrl, kind: 'producer', log });
  const producers = createProducers(redis, options.queuePrefix ?? DEFAULT_QUEUE_PREFIX, log);
  const lease = createLease(mongo.db, 'outbox-relay');
  const stopping = new AbortController();
  let failures = 0;
  const succeeded = () => {
    if (failures > 0) log.info('messages are carried to their queues again');
    failures = 0;
  };
  const carrier = createCarrier(mongo, producers, succeeded);

  const work = async (): Promise<void> => {
    if (await lease.hold()) return lease.whileHeld((signal) => carrier.run(signal), stopping.signal);
    succeeded(); // another one carries them
    await pause(ASK_FOR_LEASE_EVERY_MS, stopping.signal);
  };

  const recover = async (error: unknown): Promise<void> => {
    failures += 1;
    if (failures === 1) log.warn({ err: error }, 'carrying messages to their queues failed');
    await producers.reset();
    await carrier.foldOnly().catch(() => undefined);
    await pause(Math.min(FIRST_BACKOFF_MS * 2 ** failures, MAX_BACKOFF_MS), stopping.signal);
  };

  const running = (async () => {
    while (!stopping.signal.aborted) await work().catch(recover);
    await lease.release().catch(() => undefined);
  })();

  return {
    healthy: () => failures === 0,
    backlog: () => backlogOf(mongo.db),
    async stop() {
      stopping.abort();
      await running;
      await producers.reset();
      await redis.close();
    },
  };
}
