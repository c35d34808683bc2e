import type { ClientSession } from 'mongodb';
import type { Mongo } from '@dtplatform/mongo';
import type { Load } from '../../domain/filestore/load.js';
import { LOADS } from '../indexes.js';

/** A load without a heartbeat for this long counts as lost. */
export const LOST_AFTER_MS = 60_000;
const MAX_AT_ONCE = 1_000;

/** Adds loads to the outbox as part of the transaction. A request that is already waiting there is not added again. */
export type EnqueueLoads = (session: ClientSession, loads: Pick<Load, '_id' | '_work'>[]) => Promise<void>;

export interface LostLoads {
  /**
   * Queues loads without a heartbeat again; this has no effect on those that are still in the queue.
   * @param nowMs milliseconds since 1970
   * @returns how many loads were lost
   */
  recover(nowMs?: number): Promise<number>;
}

export function createLostLoads(mongo: Mongo, enqueue: EnqueueLoads): LostLoads {
  const loads = mongo.db.collection<Load>(LOADS);
  return {
    recover: (nowMs = Date.now()) =>
      mongo.transaction(async (session) => {
        const lost = await loads
          .find({ '_work.checkAt': { $lte: nowMs } }, { session })
          .sort({ '_work.checkAt': 1 })
          .limit(MAX_AT_ONCE)
          .toArray();
        const ids = lost.map(({ _id }) => _id);
        await loads.updateMany(
          { _id: { $in: ids } },
          { $set: { '_work.checkAt': nowMs + LOST_AFTER_MS } },
          { session },
        );
        await enqueue(session, lost);
        return lost.length;
      }),
  };
}
