import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '@dtplatform/logging';
import type { Mongo } from '@dtplatform/mongo';
import { connectRedis } from '@dtplatform/redis';
import { openFeed } from './feed.js';
import { OUTBOX } from './outbox.js';
import type { OutboxEntry } from './outbox.js';
import { createProducers } from './producers.js';
import { DEFAULT_QUEUE_PREFIX } from './queue-keys.js';
import { foldWaiting, settle } from './settle.js';

const BATCH = 500;
const SWEEP_EVERY_MS = 5_000;
/** Younger entries are left to the change stream. */
const SWEEP_OLDER_THAN_MS = 2_000;
const MAX_BACKOFF_MS = 5_000;

export interface RelayOptions {
  mongo: Mongo;
  redisUrl: string;
  log: Logger;
  /** Keeps the queues of several installations (or tests) on one Redis apart; the same for relay and workers. Default `dtplatform`. */
  queuePrefix?: string;
}

export interface Relay {
  stop(): Promise<void>;
  /** False while the last attempt to carry messages failed. */
  healthy(): boolean;
}

/**
 * Carries messages from the outbox to their queues, each under its own id, and settles those that Redis has acknowledged.
 * A change stream tells of new ones, a sweep finds what it missed. While Redis is away they stay in the outbox. Order is not kept.
 */
export async function startRelay(options: RelayOptions): Promise<Relay> {
  const { mongo, log } = options;
  const redis = await connectRedis({ url: options.redisUrl, kind: 'producer', log });
  const producers = createProducers(redis.client, options.queuePrefix ?? DEFAULT_QUEUE_PREFIX);
  const outbox = mongo.db.collection<OutboxEntry>(OUTBOX);
  const stopping = new AbortController();
  let isHealthy = true;

  const carry = async (entries: OutboxEntry[]) => {
    if (entries.length === 0) return;
    await producers.add(entries);
    await settle(mongo, entries);
  };

  const sweep = async (createdBefore: number) => {
    for (;;) {
      const filter = { createdAt: { $lte: createdBefore } };
      const entries = await outbox.find(filter).sort({ createdAt: 1 }).limit(BATCH).toArray();
      await carry(entries);
      if (entries.length < BATCH || stopping.signal.aborted) return;
    }
  };

  const run = async () => {
    const feed = openFeed(outbox);
    const wake = () => feed.wake();
    stopping.signal.addEventListener('abort', wake);
    try {
      let sweepAt = 0;
      while (!stopping.signal.aborted) {
        if (feed.takeGap()) sweepAt = 0;
        if (Date.now() >= sweepAt) {
          await sweep(sweepAt === 0 ? Date.now() : Date.now() - SWEEP_OLDER_THAN_MS);
          sweepAt = Date.now() + SWEEP_EVERY_MS;
        }
        await carry(await feed.take(BATCH, sweepAt - Date.now()));
        isHealthy = true;
      }
    } finally {
      stopping.signal.removeEventListener('abort', wake);
      await feed.close();
    }
  };

  const runForEver = async () => {
    for (let failures = 0; !stopping.signal.aborted; failures = isHealthy ? 0 : failures + 1) {
      try {
        await run();
      } catch (error) {
        if (isHealthy) log.warn({ err: error }, 'carrying messages to their queues failed');
        isHealthy = false;
        await foldAll(mongo).catch(() => undefined);
        await delay(Math.min(250 * 2 ** failures, MAX_BACKOFF_MS), undefined, { signal: stopping.signal }).catch(
          () => undefined,
        );
      }
    }
  };

  const running = runForEver();
  return {
    healthy: () => isHealthy,
    async stop() {
      stopping.abort();
      await running;
      await producers.close();
      await redis.close();
    },
  };
}

async function foldAll(mongo: Mongo): Promise<void> {
  while ((await foldWaiting(mongo, BATCH)) === BATCH);
}
