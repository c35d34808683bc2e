import { setTimeout as delay } from 'node:timers/promises';
import { trusted } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import type { createAcknowledgements } from './acknowledgements.js';
import { openFeed } from './feed.js';
import { foldWaiting, recordHandOver } from './hand-over.js';
import { outboxModel } from './outbox.model.js';
import type { OutboxEntry } from './outbox.model.js';
import type { Producers } from './producers.js';
import type { createRedelivery } from './redelivery.js';

const BATCH = 500;
/**
 * Pause after a batch that was not full: under load more entries then share one hand-over. An entry waits for at most this
 * long, and not at all if none came just before it.
 */
const GATHER_MS = 25;
const SWEEP_EVERY_MS = 5_000;
/** Younger entries are left to the change stream. */
const SWEEP_OLDER_THAN_MS = 2_000;
const ACKNOWLEDGE_EVERY_MS = 200;
const CHECK_EVERY_MS = 1_000;

interface Deps {
  mongo: Mongo;
  producers: Producers;
  acknowledgements: ReturnType<typeof createAcknowledgements>;
  redelivery: ReturnType<typeof createRedelivery>;
  /** See `RedeliverySettings`. */
  checkAfterMs: number;
  onSuccess: () => void;
}

/**
 * Moves entries from the outbox to their queues, and removes those that were processed, until the signal is aborted.
 * Rejects when MongoDB or Redis fails. All steps run one after the other, so no acknowledgement comes before the record
 * of its hand-over.
 */
export function createOutboxRelay(deps: Deps) {
  const { mongo, producers, acknowledgements, redelivery } = deps;
  const outbox = mongo.model(outboxModel);

  const relay = async (entries: OutboxEntry[]): Promise<void> => {
    if (entries.length > 0) {
      const isAwaited = entries.filter(({ forget }) => !forget);
      acknowledgements.follow(new Set(isAwaited.map(({ queue }) => queue)));
      await producers.add(entries);
      await recordHandOver(mongo, entries, Date.now() + deps.checkAfterMs);
    }
    deps.onSuccess();
  };

  /** Relays entries that the change stream has missed. @returns whether there may be more */
  const sweep = async (createdBefore: number): Promise<boolean> => {
    const filter = { checkAt: null, createdAt: trusted({ $lte: createdBefore }) };
    const entries = await outbox.find(filter).sort({ createdAt: 1 }).limit(BATCH).lean();
    await relay(entries);
    return entries.length === BATCH;
  };

  /**
   * Removes entries that their consumers have processed; ids of other services' messages match nothing. @returns
   * whether to continue
   */
  const acknowledge = async (): Promise<boolean> => {
    const { ids, hasMore } = await acknowledgements.take();
    // Only what was handed over: the deltas of other entries are not folded yet.
    if (ids.length > 0) await outbox.deleteMany({ _id: trusted({ $in: ids }), checkAt: trusted({ $gt: 0 }) });
    return hasMore;
  };

  return {
    async run(signal: AbortSignal): Promise<void> {
      const feed = await openFeed(mongo);
      try {
        acknowledgements.follow(await outbox.distinct('queue', { checkAt: trusted({ $gt: 0 }) }));
        const steps = [
          repeated(acknowledge, ACKNOWLEDGE_EVERY_MS),
          repeated(() => redelivery.checkDue(Date.now()), CHECK_EVERY_MS),
        ];
        // The change stream reports nothing that was there before.
        let isFirst = true;
        const catchUp = repeated(async () => {
          const hasMore = await sweep(Date.now() - (isFirst ? 0 : SWEEP_OLDER_THAN_MS));
          isFirst &&= hasMore;
          return hasMore;
        }, SWEEP_EVERY_MS);
        steps.push(catchUp);
        while (!signal.aborted) {
          const nextAt = Math.min(...steps.map((step) => step.nextAt));
          const entries = await feed.take(BATCH, Math.max(0, nextAt - Date.now()), signal);
          await relay(entries);
          if (feed.takeGap()) catchUp.nextAt = 0;
          for (const step of steps) await step.runIfDue();
          if (entries.length > 0 && entries.length < BATCH) await delay(GATHER_MS);
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

/**
 * A step that runs regularly, and again at once as long as it has more to do. Its work is bounded, so that others get
 * their turn.
 */
function repeated(work: () => Promise<boolean>, everyMs: number) {
  const step = {
    nextAt: 0,
    async runIfDue(): Promise<void> {
      if (Date.now() < step.nextAt) return;
      step.nextAt = Date.now() + ((await work()) ? 0 : everyMs);
    },
  };
  return step;
}
