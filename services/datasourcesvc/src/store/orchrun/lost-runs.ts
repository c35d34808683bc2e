import type { ClientSession } from 'mongodb';
import type { Mongo } from '@dtplatform/mongo';
import type { Run } from '../../domain/orchrun/run.js';
import { RUNS } from '../indexes.js';

/** A run without a heartbeat for this long counts as lost. */
export const LOST_AFTER_MS = 60_000;
const MAX_AT_ONCE = 1_000;

/** Adds runs to the outbox as part of the transaction. A run that is already waiting there is not added again. */
export type EnqueueRuns = (session: ClientSession, runIds: string[]) => Promise<void>;

export interface LostRuns {
  /**
   * Queues runs without a heartbeat again; this has no effect on those that are still in the queue. A lost run of class
   * INSTANT ends as ERROR, since its caller is gone.
   * @param nowMs milliseconds since 1970
   * @returns how many runs were lost
   */
  recover(nowMs?: number): Promise<number>;
}

export function createLostRuns(mongo: Mongo, enqueue: EnqueueRuns): LostRuns {
  const runs = mongo.db.collection<Run>(RUNS);

  const instant = (nowMs: number) =>
    runs.updateMany(
      { '_work.checkAt': { $lte: nowMs }, '_work.instant': true },
      {
        $set: { _status: 'ERROR', _statusmsg: 'The process that worked on the run ended.', _updatedat: String(nowMs) },
        $unset: { '_work.checkAt': 1, '_work.claim': 1 },
      },
    );
  const queued = (nowMs: number) =>
    mongo.transaction(async (session) => {
      const lost = await runs
        .find({ '_work.checkAt': { $lte: nowMs } }, { session, projection: { _id: 1 } })
        .sort({ '_work.checkAt': 1 })
        .limit(MAX_AT_ONCE)
        .toArray();
      const ids = lost.map(({ _id }) => _id);
      await runs.updateMany({ _id: { $in: ids } }, { $set: { '_work.checkAt': nowMs + LOST_AFTER_MS } }, { session });
      await enqueue(session, ids);
      return ids.length;
    });

  return {
    async recover(nowMs = Date.now()) {
      const { modifiedCount } = await instant(nowMs);
      return modifiedCount + (await queued(nowMs));
    },
  };
}
