import { shownText } from '@dtplatform/contracts';
import type { Logger } from '@dtplatform/logging';
import { trusted } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import { outboxModel } from './outbox.model.js';
import type { Failure, OutboxEntry } from './outbox.model.js';
import type { Producers } from './producers.js';

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
}

export const REDELIVERY: RedeliverySettings = { checkAfterMs: 60_000, maxCheckAfterMs: 600_000 };

/**
 * Looks after messages that were handed over some time ago and are not processed: those that their queue no longer has are
 * sent again, at once if Redis was emptied. Their queue tries the others again itself; why the last attempt failed is
 * recorded.
 */
export function createRedelivery(mongo: Mongo, producers: Producers, settings: RedeliverySettings, log: Logger) {
  const outbox = mongo.model(outboxModel);
  // A pipeline that Mongoose would neither cast nor check.
  const collection = mongo.db.collection<OutboxEntry>(outboxModel.collection);

  /** Checks entries again after as long as they have waited, within bounds. */
  function postponed(entries: readonly OutboxEntry[], now: number) {
    const age = { $subtract: [now, '$createdAt'] };
    const waitMs = { $min: [{ $max: [age, settings.checkAfterMs] }, settings.maxCheckAfterMs] };
    const filter = { _id: { $in: entries.map(({ _id }) => _id) } };
    return { updateMany: { filter, update: [{ $set: { checkAt: { $add: [now, waitMs] } } }] } };
  }

  return {
    /** @returns whether more entries may be due */
    async checkDue(now: number): Promise<boolean> {
      if (await producers.wasEmptied(mongo.db.databaseName))
        await outbox.updateMany({ checkAt: trusted({ $gt: now }) }, { $set: { checkAt: now } });
      const due = await outbox
        .find({ checkAt: trusted({ $gt: 0, $lte: now }) })
        .sort({ checkAt: 1 })
        .limit(BATCH)
        .lean();
      if (due.length === 0) return false;
      const jobs = await producers.jobsOf(due);
      const lost = due.filter((_, index) => !jobs[index]);
      if (lost.length > 0) log.warn({ count: lost.length }, 'messages that their queue no longer has are sent again');
      await producers.add(lost);
      const failures = jobs.flatMap((job) => {
        if (!job?.id || !job.failedReason) return [];
        const failure: Failure = {
          times: job.attemptsMade,
          at: job.processedOn ?? now,
          message: shownText(job.failedReason, MAX_MESSAGE_LENGTH),
        };
        return { updateOne: { filter: { _id: job.id }, update: { $set: { failure } } } };
      });
      await collection.bulkWrite([postponed(due, now), ...failures], { ordered: false });
      return due.length === BATCH;
    },
  };
}
