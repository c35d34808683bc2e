import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '@dtplatform/logging';
import { after, createLease } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import { connectRedis } from '@dtplatform/redis';
import { openAcknowledgements } from './acknowledgements.js';
import { createOutboxRelay } from './outbox-relay.js';
import { outboxModel } from './outbox.js';
import { createProducers, DEFAULT_QUEUE_PREFIX } from './producers.js';
import { createRedelivery, REDELIVERY } from './redelivery.js';
import type { RedeliverySettings } from './redelivery.js';

/** How soon another process takes over from one that died. */
const LEASE_MS = 20_000;
const ASK_FOR_LEASE_EVERY_MS = 5_000;
const FIRST_BACKOFF_MS = 250;
const MAX_BACKOFF_MS = 5_000;

export interface RelayOptions {
  mongo: Mongo;
  redisUrl: string;
  log: Logger;
  /**
   * Separates the queues of several installations (or tests) in one Redis; equal for relay and workers. Default
   * `dtplatform`.
   */
  queuePrefix?: string;
  /** For tests, which do not wait for minutes. */
  redelivery?: Partial<RedeliverySettings>;
}

export interface Relay {
  /** Stops after the current batch. */
  stop: () => Promise<void>;
  /** False while the relay fails. */
  healthy: () => boolean;
  /** The state of the outbox, whichever process relays it. */
  backlog: () => Promise<Backlog>;
}

/**
 * Moves messages from the outbox to their queues, each under its own id. A change stream reports new ones; a sweep
 * finds those it missed. A message stays in the outbox until its consumer has processed it: one that its queue lost is
 * sent again. All of this waits while Redis is unavailable. Order is not preserved.
 *
 * Start one in each worker process: one of them works, and another takes over when it stops (within 5 seconds) or dies
 * (within 25 seconds).
 */
export async function startRelay(options: RelayOptions): Promise<Relay> {
  const { mongo, log } = options;
  const redis = await connectRedis({ url: options.redisUrl, kind: 'producer', log });
  const producers = createProducers(redis, options.queuePrefix ?? DEFAULT_QUEUE_PREFIX, log);
  const lease = createLease(mongo, 'outbox-relay', { ttlMs: LEASE_MS });
  const stopping = new AbortController();
  const pause = (timeMs: number) => delay(timeMs, undefined, { signal: stopping.signal }).catch(() => undefined);
  let failures = 0;
  const succeeded = () => {
    if (failures > 0) log.info('relay recovered');
    failures = 0;
  };
  const settings = { ...REDELIVERY, ...options.redelivery };
  const outboxRelay = createOutboxRelay({
    mongo,
    producers,
    openAcknowledgements: async (queues, onChange) => {
      await redis.ping();
      const { redisUrl } = options;
      return openAcknowledgements({ redis, redisUrl, log, eventsKey: producers.eventsKey, queues, onChange });
    },
    redelivery: createRedelivery(mongo, producers, settings, log),
    checkAfterMs: settings.checkAfterMs,
    onSuccess: succeeded,
  });

  const work = async (): Promise<void> => {
    if (await lease.hold()) return lease.whileHeld((signal) => outboxRelay.run(signal), stopping.signal);
    succeeded(); // Another process relays them.
    await pause(ASK_FOR_LEASE_EVERY_MS);
  };

  const recover = async (error: unknown): Promise<void> => {
    failures += 1;
    if (failures === 1) log.warn({ err: error }, 'relay failed');
    await producers.reset();
    await outboxRelay.batchOnly().catch(() => undefined);
    await pause(Math.min(FIRST_BACKOFF_MS * 2 ** failures, MAX_BACKOFF_MS));
  };

  const running = (async () => {
    while (!stopping.signal.aborted) await work().catch(recover);
    await lease.release().catch(() => undefined);
  })();

  return {
    healthy: () => failures === 0,
    backlog: () => backlogOf(mongo),
    async stop() {
      stopping.abort();
      await running;
      await producers.reset();
      await redis.close();
    },
  };
}

/** The contents of the outbox. */
interface Backlog {
  /** Messages that are not in their queue yet. */
  messages: number;
  /** Age of the oldest of these; 0 if there is none. */
  oldestAgeSec: number;
  /** Messages in their queue that their consumer has not processed. */
  unprocessed: number;
  /** Of those, the ones whose last attempt had failed at the last check. */
  failed: number;
}

async function backlogOf(mongo: Mongo): Promise<Backlog> {
  const outbox = mongo.model(outboxModel);
  const [all, unprocessed, failed, oldest] = await Promise.all([
    outbox.estimatedDocumentCount(),
    outbox.countDocuments({ checkAt: after(0) }),
    outbox.countDocuments({ 'failure.at': after(0) }),
    outbox.findOne({ checkAt: null }).sort({ createdAt: 1 }).select({ createdAt: 1 }).lean(),
  ]);
  const oldestAgeSec = oldest ? Math.max(0, Date.now() - oldest.createdAt) / 1000 : 0;
  return { messages: Math.max(0, all - unprocessed), oldestAgeSec, unprocessed, failed };
}
