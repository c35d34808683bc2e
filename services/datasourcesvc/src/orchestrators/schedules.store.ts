import type { ClientSession, Mongo } from '@dtplatform/mongo';
import type { Run } from '../orchrun/run.js';
import { orchestratorModel } from './orchestrator.model.js';
import type { Scheduled, ScheduleStore } from './orchestrators.js';

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

const FAILING = { '_schedule.isFailing': true };

/** Schedules of orchestrators in MongoDB. Written past Mongoose, which would raise the revision. */
export function createScheduleStore({ mongo, runStore }: Deps): ScheduleStore {
  const orchestrators = mongo.model(orchestratorModel);

  async function write(scheduled: Scheduled, update: object, session?: ClientSession): Promise<boolean> {
    const { _id, _schedule } = scheduled;
    const unchanged = { _revision: scheduled._revision, '_schedule.dueAt': _schedule.dueAt };
    const written = await orchestrators.collection.updateOne({ _id, ...unchanged } as never, update, { session });
    return written.matchedCount === 1;
  }

  const longestSince = (filter: object, by: 'tryAt' | 'dueAt', limit: number) =>
    orchestrators.collection
      .find(filter)
      .sort({ [`_schedule.${by}`]: 1 })
      .limit(limit)
      .toArray() as unknown as Promise<Scheduled[]>;
  const findDue = (nowMs: number, limit: number) =>
    longestSince({ '_schedule.tryAt': { $lte: nowMs } }, 'tryAt', limit);

  return {
    async now() {
      const { localTime } = (await mongo.db.command({ hello: 1 })) as { localTime: Date };
      return localTime.getTime();
    },
    findDue,
    async waitsSince(nowMs) {
      const [due] = await findDue(nowMs, 1);
      const isFailing = { '_schedule.isFailing': true, '_schedule.dueAt': { $lte: nowMs } };
      const [failing] = await longestSince(isFailing, 'dueAt', 1);
      const times = [due?._schedule.tryAt, failing?._schedule.dueAt].filter((time) => time !== undefined);
      return times.length > 0 ? Math.min(...times) : undefined;
    },
    async start(scheduled, run, nextMs) {
      const next = {
        $set: { '_schedule.dueAt': nextMs, '_schedule.tryAt': nextMs },
        $unset: { '_schedule.statusmsg': 1, '_schedule.isFailing': 1 },
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
        $unset: { '_schedule.isFailing': 1 },
      }),
    postpone: (scheduled, { tryAt, statusmsg, isFailing }) =>
      write(scheduled, {
        $set: { '_schedule.tryAt': tryAt, '_schedule.statusmsg': statusmsg, ...(isFailing && FAILING) },
        ...(!isFailing && { $unset: FAILING }),
      }),
  };
}
