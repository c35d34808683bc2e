import type { ClientSession } from 'mongodb';
import type { Mongo } from '@dtplatform/mongo';
import type { Run } from '../domain/run.js';
import { RUNS } from './indexes.js';

/** A run that shows no sign of life for this long counts as lost. */
export const LOST_AFTER_MS = 60_000;
const MAX_AT_ONCE = 1_000;

/** Puts a run's message into the outbox, as a part of the transaction. The same run twice is one message. */
export type EnqueueRun = (session: ClientSession, runId: string) => Promise<void>;

export interface LostRuns {
  /**
   * Puts runs that show no sign of life into the queue again, where the queue may still have them: then nothing happens.
   * A lost run of class INSTANT ends as ERROR, since its caller is gone.
   * @param nowMs milliseconds since 1970
   * @returns how many were lost
   */
  recover(nowMs?: number): Promise<number>;
}

export function createLostRuns(mongo: Mongo, enqueue: EnqueueRun): LostRuns {
  const runs = mongo.db.collection<Run>(RUNS);

  const failInstant = (nowMs: number) =>
    runs.updateMany(
      { '_work.checkAt': { $lte: nowMs }, '_work.instant': true },
      {
        $set: { _status: 'ERROR', _statusmsg: 'The process that worked on the run ended.', _updatedat: String(nowMs) },
        $unset: { '_work.checkAt': 1, '_work.claim': 1 },
      },
    );

  return {
    async recover(nowMs = Date.now()) {
      const { modifiedCount } = await failInstant(nowMs);
      const lost = await runs
        .find({ '_work.checkAt': { $lte: nowMs } }, { projection: { _id: 1 } })
        .sort({ '_work.checkAt': 1 })
        .limit(MAX_AT_ONCE)
        .toArray();
      for (const { _id } of lost) {
        await mongo.transaction(async (session) => {
          const update = { $set: { '_work.checkAt': nowMs + LOST_AFTER_MS } };
          const { matchedCount } = await runs.updateOne({ _id, '_work.checkAt': { $lte: nowMs } }, update, { session });
          if (matchedCount === 1) await enqueue(session, _id);
        });
      }
      return modifiedCount + lost.length;
    },
  };
}
