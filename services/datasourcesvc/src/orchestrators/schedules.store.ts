import type { ClientSession, Mongo } from '@dtplatform/mongo';
import type { Run } from '../orchrun/run.js';
import type { RunStore } from '../orchrun/runs.store.js';
import type { Scheduled, ScheduleState } from './orchestrator.js';
import { orchestratorModel } from './orchestrator.model.js';

interface Deps {
  mongo: Mongo;
  runStore: Pick<RunStore, 'enqueue'>;
}

/** Another process has handled the due time, or the orchestrator was changed. */
class NoLongerDue extends Error {
  override readonly name = 'NoLongerDue';
}

const FAILING = { '_schedule.isFailing': true };

/**
 * Schedules of orchestrators in MongoDB. A write returns false, without effect, if the orchestrator was changed or
 * removed since it was read or if another process has handled the due time. Bypasses Mongoose, which would raise the
 * revision.
 */
export function createScheduleStore({ mongo, runStore }: Deps) {
  const orchestrators = mongo.model(orchestratorModel);

  async function write(scheduled: Scheduled, update: object, session?: ClientSession): Promise<boolean> {
    const { _id, _schedule } = scheduled;
    const unchanged = { _revision: scheduled._revision, '_schedule.dueAt': _schedule.dueAt };
    const written = await mongo.collection(orchestratorModel).updateOne({ _id, ...unchanged }, update, { session });
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
    /** The database's time, the same for all processes; milliseconds since 1970. */
    async now(): Promise<number> {
      const { localTime } = (await mongo.db.command({ hello: 1 })) as { localTime: Date };
      return localTime.getTime();
    },
    /** Orchestrators to start, longest due first. */
    findDue,
    /** Due time of the oldest run that waits or whose attempts fail; undefined if none does. */
    async waitsSince(nowMs: number): Promise<number | undefined> {
      const [due] = await findDue(nowMs, 1);
      const isFailing = { '_schedule.isFailing': true, '_schedule.dueAt': { $lte: nowMs } };
      const [failing] = await longestSince(isFailing, 'dueAt', 1);
      const times = [due?._schedule.tryAt, failing?._schedule.dueAt].filter((time) => time !== undefined);
      return times.length > 0 ? Math.min(...times) : undefined;
    },
    /**
     * Queues the run of a due time and sets the next one, in one transaction.
     * @throws 429 when too many runs are queued in a namespace
     */
    async start(scheduled: Scheduled, run: Run, nextMs: number): Promise<boolean> {
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
    /** Advances to the next due time without a run. */
    skip: (scheduled: Scheduled, nextMs: number, statusmsg: string): Promise<boolean> =>
      write(scheduled, {
        $set: { '_schedule.dueAt': nextMs, '_schedule.tryAt': nextMs, '_schedule.statusmsg': statusmsg },
        $unset: { '_schedule.isFailing': 1 },
      }),
    /** Retries the same due time later. */
    postpone: (
      scheduled: Scheduled,
      { tryAt, statusmsg, isFailing }: Pick<ScheduleState, 'tryAt' | 'statusmsg' | 'isFailing'>,
    ): Promise<boolean> =>
      write(scheduled, {
        $set: { '_schedule.tryAt': tryAt, '_schedule.statusmsg': statusmsg, ...(isFailing && FAILING) },
        ...(!isFailing && { $unset: FAILING }),
      }),
  };
}

export type ScheduleStore = ReturnType<typeof createScheduleStore>;
