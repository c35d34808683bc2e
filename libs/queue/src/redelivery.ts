import { shownText } from '@dtplatform/contracts';
import type { Logger } from '@dtplatform/logging';
import type { Mongo } from '@dtplatform/mongo';
import { MAX_BYTES, MAX_ENTRIES, READ_AT_ONCE, readEntries } from './feed.js';
import { outboxModel } from './outbox.js';
import type { Failure } from './outbox.js';
import type { JobState, Producers } from './producers.js';

const MAX_MESSAGE_LENGTH = 1_000;
/** Pause when no message is pending, in case an earlier relay hands one over. */
const IDLE_MS = 60_000;

export interface RedeliverySettings {
  /**
   * When the relay first checks that a queue still has a message; the delay grows with the message's age. Default one
   * minute.
   */
  checkAfterMs: number;
  /** Longest delay between two checks. Default 10 minutes. */
  maxCheckAfterMs: number;
}

export const REDELIVERY: RedeliverySettings = { checkAfterMs: 60_000, maxCheckAfterMs: 600_000 };

/**
 * Checks messages that were handed over some time ago and are not processed. Resends those that their queue has lost,
 * immediately if Redis was emptied. The queue retries the others itself; the reason of their last failure is recorded.
 */
export function createRedelivery(mongo: Mongo, producers: Producers, settings: RedeliverySettings, log: Logger) {
  // The driver's collection: there is nothing to cast.
  const outbox = mongo.collection(outboxModel);

  const readLost = (ids: string[]) =>
    readEntries(outbox.find({ _id: { $in: ids } }, { batchSize: READ_AT_ONCE }), MAX_BYTES);

  /** Delays the next check for as long as the entry has already waited, within limits. */
  function postponed(ids: string[], now: number) {
    const age = { $subtract: [now, '$createdAt'] };
    const waitMs = { $min: [{ $max: [age, settings.checkAfterMs] }, settings.maxCheckAfterMs] };
    return { updateMany: { filter: { _id: { $in: ids } }, update: [{ $set: { checkAt: { $add: [now, waitMs] } } }] } };
  }

  let idleUntil = 0;

  return {
    /** Messages were handed over. */
    resume: (): void => void (idleUntil = 0),

    /** @returns whether more entries may be due */
    async checkDue(now: number): Promise<boolean> {
      if (now < idleUntil) return false;
      const first = await outbox.findOne({ checkAt: { $gt: 0 } }, { sort: { checkAt: 1 }, projection: { checkAt: 1 } });
      if (!first) {
        idleUntil = now + IDLE_MS;
        return false;
      }
      const database = mongo.db.databaseName;
      if (await producers.wasEmptied(database)) {
        await outbox.updateMany({ checkAt: { $gt: now } }, { $set: { checkAt: now } });
        await producers.mark(database);
      } else if (first.checkAt! > now) return false;
      const isDue = { checkAt: { $gt: 0, $lte: now } };
      const projection = { _id: 1, queue: 1 };
      const due = await outbox.find(isDue, { sort: { checkAt: 1 }, limit: MAX_ENTRIES, projection }).toArray();
      if (due.length === 0) return false;
      const jobs = await producers.jobsOf(due);
      const lost = due.filter((_, index) => !jobs[index]).map(({ _id }) => _id);
      const { entries, isFull } = await readLost(lost);
      if (entries.length > 0) log.warn({ count: entries.length }, 'resending messages missing from their queue');
      await producers.add(entries);
      const present = due.filter((_, index) => jobs[index]).map(({ _id }) => _id);
      const failures = due.flatMap(({ _id }, index) => failureUpdate(_id, jobs[index]));
      const again = entries.map(({ _id }) => _id);
      await outbox.bulkWrite([postponed([...present, ...again], now), ...failures], { ordered: false });
      return isFull || due.length === MAX_ENTRIES;
    },
  };
}

function failureUpdate(_id: string, job: JobState | undefined) {
  if (job?.error === undefined) return [];
  const { error, attempts: times, at } = job;
  const failure: Failure = { times, at, message: shownText(error, MAX_MESSAGE_LENGTH) };
  return [{ updateOne: { filter: { _id }, update: { $set: { failure } } } }];
}
