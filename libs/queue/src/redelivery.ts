import { shownText } from '@dtplatform/contracts';
import type { Logger } from '@dtplatform/logging';
import { trusted } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import { outboxModel } from './outbox.model.js';
import type { OutboxEntry } from './outbox.model.js';
import type { JobState, Producers } from './producers.js';

const BATCH = 500;
const MAX_MESSAGE_LENGTH = 1_000;

export interface RedeliverySettings {
  /**
   * How soon the relay looks whether a queue still has a message. The older the message, the longer it waits. Default a
   * minute.
   */
  checkAfterMs: number;
  /** The longest time between two looks. Default 10 minutes. */
  maxCheckAfterMs: number;
  /**
   * How soon a job that used up its attempts gets new ones. Doubles each time, up to `maxCheckAfterMs`. Default a
   * minute.
   */
  retryFailedAfterMs: number;
}

export const REDELIVERY: RedeliverySettings = {
  checkAfterMs: 60_000,
  maxCheckAfterMs: 600_000,
  retryFailedAfterMs: 60_000,
};

/**
 * Checks entries that were handed over some time ago, and sees to it that each is processed in the end: sends those
 * again that their queue has lost, and gives new attempts to those that have used theirs up.
 */
export function createRedelivery(mongo: Mongo, producers: Producers, settings: RedeliverySettings, log: Logger) {
  const outbox = mongo.model(outboxModel);
  // Filters and pipelines that Mongoose would neither cast nor check.
  const collection = mongo.db.collection<OutboxEntry>(outboxModel.collection);

  /** Checks entries again after as long as they have waited, within bounds. */
  async function postpone(entries: readonly OutboxEntry[], now: number): Promise<void> {
    const age = { $subtract: [now, '$createdAt'] };
    const waitMs = { $min: [{ $max: [age, settings.checkAfterMs] }, settings.maxCheckAfterMs] };
    await collection.updateMany(idsOf(entries), [{ $set: { checkAt: { $add: [now, waitMs] } } }]);
  }

  async function recordFailures(failed: readonly (OutboxEntry & { job: JobState })[]): Promise<void> {
    const updates = failed.map(({ _id, failure, job: { failedAt: at = 0, error = '' } }) => {
      const times = (failure?.times ?? 0) + 1;
      const $set = {
        failure: { times, at, message: shownText(error, MAX_MESSAGE_LENGTH) },
        checkAt: at + Math.min(settings.retryFailedAfterMs * 2 ** (times - 1), settings.maxCheckAfterMs),
      };
      return { updateOne: { filter: { _id }, update: { $set } } };
    });
    if (updates.length > 0) await outbox.bulkWrite(updates, { ordered: false });
  }

  return {
    /** @returns whether more entries may be due */
    async checkDue(now: number): Promise<boolean> {
      const due = await outbox
        .find({ checkAt: trusted({ $gt: 0, $lte: now }) })
        .sort({ checkAt: 1 })
        .limit(BATCH)
        .lean();
      if (due.length === 0) return false;
      const states = await producers.statesOf(due);
      const checked = due.map((entry, index) => ({ ...entry, job: states[index]! }));
      const inState = (state: JobState['state']) => checked.filter(({ job }) => job.state === state);

      const lost = inState('missing');
      const failed = inState('failed');
      const again = failed.filter(({ failure, job }) => failure?.at === job.failedAt);
      if (lost.length > 0) log.warn({ count: lost.length }, 'messages that their queue no longer has are sent again');
      if (again.length > 0) log.warn({ count: again.length }, 'messages that failed are tried again');
      await producers.remove(again);
      await producers.add([...lost, ...again]);
      await postpone([...inState('pending'), ...lost, ...again], now);
      await recordFailures(failed.filter((entry) => !again.includes(entry)));
      await collection.deleteMany(idsOf(inState('completed')));
      return due.length === BATCH;
    },
  };
}

const idsOf = (entries: readonly OutboxEntry[]) => ({ _id: { $in: entries.map(({ _id }) => _id) } });
