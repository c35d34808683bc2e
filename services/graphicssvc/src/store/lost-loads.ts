import type { ClientSession } from 'mongodb';
import type { Mongo } from '@dtplatform/mongo';
import type { Load } from '../domain/load.js';
import { LOADS } from './indexes.js';

/** A load that shows no sign of life for this long counts as lost. */
export const LOST_AFTER_MS = 60_000;
const MAX_AT_ONCE = 1_000;

/** Puts a load's message into the outbox, as a part of the transaction. The same request twice is one message. */
export type EnqueueLoad = (session: ClientSession, load: Pick<Load, '_id' | '_work'>) => Promise<void>;

export interface LostLoads {
  /**
   * Puts loads that show no sign of life into the queue again, where the queue may still have them: then nothing happens.
   * @param nowMs milliseconds since 1970
   * @returns how many were lost
   */
  recover(nowMs?: number): Promise<number>;
}

export function createLostLoads(mongo: Mongo, enqueue: EnqueueLoad): LostLoads {
  const loads = mongo.db.collection<Load>(LOADS);
  return {
    async recover(nowMs = Date.now()) {
      const lost = await loads
        .find({ '_work.checkAt': { $lte: nowMs } })
        .sort({ '_work.checkAt': 1 })
        .limit(MAX_AT_ONCE)
        .toArray();
      for (const load of lost) {
        await mongo.transaction(async (session) => {
          const filter = { _id: load._id, '_work.checkAt': { $lte: nowMs } };
          const update = { $set: { '_work.checkAt': nowMs + LOST_AFTER_MS } };
          const { matchedCount } = await loads.updateOne(filter, update, { session });
          if (matchedCount === 1) await enqueue(session, load);
        });
      }
      return lost.length;
    },
  };
}
