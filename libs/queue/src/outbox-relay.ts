import { setTimeout as delay } from 'node:timers/promises';
import type { Mongo } from '@dtplatform/mongo';
import type { Acknowledgements } from './acknowledgements.js';
import { createAutoResetEvent } from './auto-reset-event.js';
import { batchWaiting } from './batch-waiting.js';
import { MAX_BYTES, MAX_ENTRIES, openFeed, READ_AT_ONCE, readEntries } from './feed.js';
import { outboxModel } from './outbox.js';
import type { OutboxEntry } from './outbox.js';
import type { Producers } from './producers.js';
import type { createRedelivery } from './redelivery.js';

/**
 * Pause after a hand-over: under load more entries share the next one. An entry waits for at most this long, and not at
 * all if none came just before it.
 */
const GATHER_MS = 25;
/** How long messages wait for others to share their batch. */
const BATCH_AFTER_MS = 500;
/** Finds what the change stream missed or an earlier relay left behind. */
const SWEEP_EVERY_MS = 60_000;
/** Younger entries are left to the change stream. */
const SWEEP_OLDER_THAN_MS = 2_000;
/** Overlap of the change stream and the first sweep, by the writers' clocks. */
const OVERLAP_MS = 10_000;
/** How soon an emptied Redis is noticed while messages are handed over. */
const CHECK_EVERY_MS = 15_000;

interface Deps {
  mongo: Mongo;
  producers: Producers;
  openAcknowledgements: (queues: string[], onChange: () => void) => Promise<Acknowledgements>;
  redelivery: ReturnType<typeof createRedelivery>;
  /** See `RedeliverySettings`. */
  checkAfterMs: number;
  onSuccess: () => void;
}

/**
 * Moves entries from the outbox to their queues and removes processed ones, until the signal aborts. Rejects when
 * MongoDB or Redis fails. All steps run sequentially.
 */
export function createOutboxRelay(deps: Deps) {
  const { mongo, producers, redelivery, checkAfterMs } = deps;
  const outbox = outboxOf(mongo);

  async function handOver(entries: OutboxEntry[], acknowledgements: Acknowledgements): Promise<void> {
    if (entries.length > 0) {
      await producers.add(entries);
      const ids = entries.map(({ _id }) => _id);
      await outbox.updateMany({ _id: { $in: ids } }, { $set: { checkAt: Date.now() + checkAfterMs } });
      acknowledgements.follow(new Set(entries.map(({ queue }) => queue)));
      redelivery.resume();
    }
    deps.onSuccess();
  }

  return {
    async run(signal: AbortSignal): Promise<void> {
      const changed = createAutoResetEvent(signal);
      redelivery.resume();
      const handedOver = await outbox.distinct('queue', { checkAt: { $gt: 0 } });
      const acknowledgements = await deps.openAcknowledgements(handedOver, changed.set);
      const feed = await openFeed(mongo, changed.set).catch((error: unknown) => {
        acknowledgements.close();
        throw error;
      });
      // The change stream does not report earlier entries.
      let isFirst = true;
      const openedAt = Date.now();
      /** Handing an entry over twice would run it again if its first job has ended by then. */
      const swept = new Set<string>();
      const sweep = repeated(async () => {
        const { entries, isFull } = await findUnsent(outbox, Date.now() - (isFirst ? 0 : SWEEP_OLDER_THAN_MS));
        await handOver(entries, acknowledgements);
        const alsoReported = entries.filter(({ createdAt }) => isFirst && createdAt > openedAt - OVERLAP_MS);
        for (const { _id } of alsoReported) swept.add(_id);
        const hasMore = isFull || entries.length === MAX_ENTRIES;
        isFirst &&= hasMore;
        return hasMore;
      }, SWEEP_EVERY_MS);
      const batch = repeated(() => batchWaiting(mongo), SWEEP_EVERY_MS);
      const remove = repeated(() => removeProcessed(outbox, acknowledgements.take()), Infinity);
      const check = repeated(() => redelivery.checkDue(Date.now()), Math.min(CHECK_EVERY_MS, checkAfterMs));
      // Processed entries are removed before they could be mistaken for lost ones.
      const steps = [remove, check, sweep, batch];
      try {
        while (!signal.aborted) {
          await changed.wait(Math.min(...steps.map(({ nextAt }) => nextAt)) - Date.now());
          const entries = feed.take(MAX_ENTRIES, MAX_BYTES);
          const unsent = entries.filter(({ _id }) => !swept.delete(_id));
          await handOver(unsent, acknowledgements);
          if (feed.takeGap()) sweep.within(2 * SWEEP_OLDER_THAN_MS);
          if (feed.takeUnbatched()) batch.within(BATCH_AFTER_MS);
          if (acknowledgements.hasSome()) remove.within(0);
          for (const step of steps) await step.runIfDue();
          if (feed.hasMore()) changed.set();
          else if (entries.length > 0) await delay(GATHER_MS);
        }
      } finally {
        acknowledgements.close();
        await feed.close();
      }
    },

    /** Makes batches without sending them, so that totals stay fast while Redis is unavailable. */
    async batchOnly(): Promise<void> {
      while (await batchWaiting(mongo));
    },
  };
}

/** The driver's collection: there is nothing to cast. */
const outboxOf = ({ db }: Mongo) => db.collection<OutboxEntry>(outboxModel.collection);
type Outbox = ReturnType<typeof outboxOf>;

function findUnsent(outbox: Outbox, createdBefore: number) {
  const unsent = { checkAt: { $exists: false }, batch: { $exists: false }, createdAt: { $lte: createdBefore } };
  const found = outbox.find(unsent, { sort: { createdAt: 1 }, limit: MAX_ENTRIES, batchSize: READ_AT_ONCE });
  return readEntries(found, MAX_BYTES);
}

/**
 * Removes entries that their consumers have processed; ids of other services' messages match nothing. An entry that was
 * put again under its id, and is not handed over yet, stays.
 */
async function removeProcessed(outbox: Outbox, ids: string[]): Promise<false> {
  if (ids.length > 0) await outbox.deleteMany({ _id: { $in: ids }, checkAt: { $gt: 0 } });
  return false;
}

/**
 * A periodic step that runs again at once while it has more to do. Its work is bounded, so that others get their turn.
 */
function repeated(work: () => Promise<boolean>, everyMs: number) {
  const step = {
    nextAt: 0,
    within: (ms: number): void => void (step.nextAt = Math.min(step.nextAt, Date.now() + ms)),
    async runIfDue(): Promise<void> {
      if (Date.now() < step.nextAt) return;
      step.nextAt = Date.now() + ((await work()) ? 0 : everyMs);
    },
  };
  return step;
}
