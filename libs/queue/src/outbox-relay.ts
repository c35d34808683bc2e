import { trusted } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import { openFeed } from './feed.js';
import { outboxModel } from './outbox.model.js';
import type { OutboxEntry } from './outbox.model.js';
import type { Producers } from './producers.js';
import { foldWaiting, settle } from './settle.js';

const BATCH = 500;
const SWEEP_EVERY_MS = 5_000;
/** Younger entries are left to the change stream. */
const SWEEP_OLDER_THAN_MS = 2_000;

/** Moves entries from the outbox to their queues until the signal is aborted. Rejects when MongoDB or Redis fails. */
export function createOutboxRelay(mongo: Mongo, producers: Producers, onSuccess: () => void) {
  const outbox = mongo.model(outboxModel);

  const relay = async (entries: OutboxEntry[]): Promise<void> => {
    if (entries.length > 0) {
      await producers.add(entries);
      await settle(mongo, entries);
    }
    onSuccess();
  };

  const sweep = async (createdBefore: number, signal: AbortSignal): Promise<void> => {
    let count = BATCH;
    while (count === BATCH && !signal.aborted) {
      const filter = { createdAt: trusted({ $lte: createdBefore }) };
      const entries = await outbox.find(filter).sort({ createdAt: 1 }).limit(BATCH).lean();
      await relay(entries);
      count = entries.length;
    }
  };

  return {
    async run(signal: AbortSignal): Promise<void> {
      const feed = await openFeed(mongo);
      try {
        await sweep(Date.now(), signal);
        for (let sweepAt = Date.now() + SWEEP_EVERY_MS; !signal.aborted;) {
          await relay(await feed.take(BATCH, sweepAt - Date.now(), signal));
          if (Date.now() < sweepAt && !feed.takeGap()) continue;
          await sweep(Date.now() - SWEEP_OLDER_THAN_MS, signal);
          sweepAt = Date.now() + SWEEP_EVERY_MS;
        }
      } finally {
        await feed.close();
      }
    },

    /** Folds waiting deltas without relaying their messages, so that totals stay fast while Redis is unavailable. */
    async foldOnly(): Promise<void> {
      while ((await foldWaiting(mongo, BATCH)) === BATCH);
    },
  };
}
