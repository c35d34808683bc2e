import type { ClientSession, Mongo } from '@dtplatform/mongo';
import { revisionOf } from '@dtplatform/resource';
import type { Scheduled, ScheduleStore } from '../../domain/orchestrators/ports.js';
import type { Run } from '../../domain/orchrun/run.js';
import { orchestratorModel } from './orchestrator.model.js';

interface Deps {
  mongo: Mongo;
  runStore: {
    /** Queues a run, in one transaction with another write. */
    enqueue(run: Run, alongside: (session: ClientSession) => Promise<void>): Promise<void>;
  };
}

/** Another process has dealt with the due time, or the orchestrator was changed. */
class NoLongerDue extends Error {
  override readonly name = 'NoLongerDue';
}

/** Schedules of orchestrators in MongoDB. Written past Mongoose, which would raise the revision. */
export function createScheduleStore({ mongo, runStore }: Deps): ScheduleStore {
  const orchestrators = mongo.model(orchestratorModel);

  async function write(scheduled: Scheduled, update: object, session?: ClientSession): Promise<boolean> {
    const { _id, _schedule } = scheduled;
    const unchanged = { _revision: revisionOf(scheduled), '_schedule.dueAt': _schedule.dueAt };
    const written = await orchestrators.collection.updateOne({ _id, ...unchanged } as never, update, { session });
    return written.matchedCount === 1;
  }

  return {
    findDue: (nowMs, limit) =>
      orchestrators.collection
        .find({ '_schedule.tryAt': { $lte: nowMs } })
        .sort({ '_schedule.tryAt': 1 })
        .limit(limit)
        .toArray() as unknown as Promise<Scheduled[]>,
    async start(scheduled, run, nextMs) {
      const next = {
        $set: { '_schedule.dueAt': nextMs, '_schedule.tryAt': nextMs },
        $unset: { '_schedule.statusmsg': 1 },
      };
      try {
        await runStore.enqueue(run, async (session) => {
          if (!(await write(scheduled, next, session))) throw new NoLongerDue();
        });
        return true;
      } catch (error) {
        if (error instanceof NoLongerDue) return false;
        throw error;
      }
    },
    skip: (scheduled, nextMs, statusmsg) =>
      write(scheduled, {
        $set: { '_schedule.dueAt': nextMs, '_schedule.tryAt': nextMs, '_schedule.statusmsg': statusmsg },
      }),
    postpone: (scheduled, tryAtMs, statusmsg) =>
      write(scheduled, { $set: { '_schedule.tryAt': tryAtMs, '_schedule.statusmsg': statusmsg } }),
  };
}
