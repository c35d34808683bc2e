import { setTimeout as delay } from 'node:timers/promises';
import { keepLease } from '@dtplatform/lease';
import type { HeldWrite, KeptLease, Leases } from '@dtplatform/lease';
import { coalesce, documentErrors, mongoErrors, SHARED_WRITE } from '@dtplatform/mongo';
import type { Run, StepState } from './run.js';

/** Changes of steps by index. Undefined values remove fields. */
export type StepChanges = Readonly<Record<number, StepState>>;

interface RunProgress {
  /** Completed steps. */
  done: number;
  steps: StepChanges;
  /** The step that starts next may not be repeated if it is interrupted. */
  mustNotRepeat: boolean;
}

export interface RunEnd extends Pick<Run, '_statusmsg' | '_result'>, Omit<RunProgress, 'mustNotRepeat'> {
  _status: 'COMPLETED' | 'ERROR';
}

const HEARTBEAT_MS = 5_000;
/** A run without a heartbeat for this long is lost. */
export const LEASE_MS = 20_000;

const QUEUED = { _status: 'QUEUED' };
/**
 * A process that briefly cannot reach the database cannot send heartbeats either. A step that may not be repeated gets
 * more time, because its run would end as ERROR.
 */
const MORE_TIME_MS = { $cond: ['$_work.mustNotRepeat', 40_000, 0] };
const LOST = {
  '_work.lease.until': { $exists: true },
  // Redundant, but uses the index.
  $expr: {
    $and: [
      { $lte: ['$_work.lease.until', '$$NOW'] },
      { $lte: [{ $add: ['$_work.lease.until', MORE_TIME_MS] }, '$$NOW'] },
    ],
  },
};
const RAISED = { $add: ['$_revision', 1] };

/** While the database is unavailable, finished steps are kept in memory for about the lifetime of the lease. */
const ATTEMPTS = 20;
const PAUSE_MS = 1_000;
const POSTPONED = { $add: [{ $ifNull: ['$_work.postponed', 0] }, 1] };

/** Claims runs, and writes as the holder of a run's lease. Concurrent writes of several runs are one command. */
export function createHeldRuns(leases: Leases<Run>) {
  const now = () => String(Date.now());
  const claimed = () => ({
    _revision: RAISED,
    _status: 'RUNNING',
    _updatedat: now(),
    // The time limit covers all processes that work on the run.
    '_work.startedAt': { $ifNull: ['$_work.startedAt', Date.now()] },
    '_work.slots': '$$REMOVE',
  });
  const writeAlone = ({ held, update, release }: HeldWrite<Run>) => leases.write(held, update, { release });
  const writeTogether = coalesce(async (writes: HeldWrite<Run>[]): Promise<boolean[]> => {
    if (writes.length > 1 && (await leases.writeMany(writes))) return writes.map(() => true);
    // Repeats each write to find the lost leases. A repeated write has no further effect.
    return Promise.all(writes.map(writeAlone));
  }, SHARED_WRITE);
  const writeHeld = (write: HeldWrite<Run>) => whenAvailable(() => writeTogether(write));

  function write(run: Run, { done, steps, ...end }: RunEnd): Promise<boolean> {
    const { $set, $unset } = stepUpdates(steps);
    const update = {
      $set: { ...$set, ...end, '_work.done': done, _updatedat: now() },
      $unset: { ...$unset, '_work.mustNotRepeat': 1 },
    };
    return writeHeld({ held: run, update, release: true });
  }

  return {
    /** Claims queued runs, oldest first. */
    claimQueued: (limit: number): Promise<Run[]> =>
      leases.claimMany(QUEUED, { set: claimed(), sort: { _updatedat: 1 }, limit }),
    /** Claims runs whose process died or that were postponed. */
    claimLost: (limit: number): Promise<Run[]> =>
      leases.claimMany(LOST, { set: claimed(), sort: { '_work.lease.until': 1 }, limit }),
    /** Sends heartbeats while this process works on a run. @param signal ends the work for another reason */
    keep: (run: Run, signal: AbortSignal): KeptLease => keepLease(leases, run, { signal, heartbeatMs: HEARTBEAT_MS }),
    record: (run: Run, { done, steps, mustNotRepeat }: RunProgress): Promise<boolean> => {
      const { $set, $unset } = stepUpdates(steps);
      const guard = mustNotRepeat
        ? { $set: { '_work.mustNotRepeat': true }, $unset: {} }
        : { $set: {}, $unset: { '_work.mustNotRepeat': 1 } };
      const update = {
        $set: { ...$set, ...guard.$set, '_work.done': done, _updatedat: now() },
        $unset: { ...$unset, ...guard.$unset },
      };
      return writeHeld({ held: run, update });
    },
    /** Publishes the progress of the current step. */
    report: (run: Run, index: number, reported: StepState): Promise<boolean> =>
      leases.write(run, { $set: { ...stepUpdates({ [index]: reported }).$set, _updatedat: now() } }),
    /** Leaves the run to any process. @param delayMs the earliest time; a delay counts as a postponement */
    putOff: (run: Run, delayMs: number): Promise<boolean> =>
      leases.expireIn(run, delayMs, delayMs > 0 ? { '_work.postponed': POSTPONED } : {}),
    async end(run: Run, end: RunEnd): Promise<void> {
      try {
        await write(run, end);
      } catch (error) {
        // A run whose end cannot be stored must not look like a running one.
        if (!documentErrors(error)) throw error;
        const done = Math.min(end.done, run.orchrunsteps.length - 1);
        await write(run, { _status: 'ERROR', done, steps: {}, _statusmsg: 'The result of the run cannot be stored.' });
      }
    },
  };
}

/** Step changes as update operators. */
export function stepUpdates(steps: StepChanges): { $set: Record<string, unknown>; $unset: Record<string, 1> } {
  const fields = Object.entries(steps).flatMap(([index, state]) =>
    Object.entries<unknown>(state).map(([name, value]) => [`orchrunsteps.${index}.${name}`, value] as const),
  );
  return {
    $set: Object.fromEntries(fields.filter(([, value]) => value !== undefined)),
    $unset: Object.fromEntries(fields.filter(([, value]) => value === undefined).map(([path]) => [path, 1])),
  };
}

/** Retries, so that a short outage does not cause a step to be repeated. Safe because of the fence. */
async function whenAvailable(write: () => Promise<boolean>): Promise<boolean> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await write();
    } catch (error) {
      if (!mongoErrors(error) || attempt === ATTEMPTS) throw error;
    }
    await delay(PAUSE_MS, undefined, { ref: false });
  }
}
