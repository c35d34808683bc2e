import { setTimeout as delay } from 'node:timers/promises';
import { keepLease } from '@dtplatform/lease';
import type { HeldWrite, KeptLease, Leases } from '@dtplatform/lease';
import { coalesce, documentErrors, mongoErrors, SHARED_WRITE } from '@dtplatform/mongo';
import type { Run, StepState } from './run.js';

/** What happened in steps, by their index. What is undefined in a state is removed. */
export type StepChanges = Readonly<Record<number, StepState>>;

interface RunProgress {
  /** Completed steps. */
  done: number;
  steps: StepChanges;
  /** The step after these begins next, and may not run again if it is cut. */
  mustNotRepeat: boolean;
}

export interface RunEnd extends Pick<Run, '_statusmsg' | '_result'>, Omit<RunProgress, 'mustNotRepeat'> {
  _status: 'COMPLETED' | 'ERROR';
}

const HEARTBEAT_MS = 5_000;
/** A run without a heartbeat for this long counts as lost. */
export const LEASE_MS = 20_000;

const QUEUED = { _status: 'QUEUED' };
/**
 * A process that cannot reach the database for a moment cannot send heartbeats either. A step that may not run again has more
 * time, since its run would end as ERROR.
 */
const MORE_TIME_MS = { $cond: ['$_work.mustNotRepeat', 40_000, 0] };
const LOST = {
  '_work.lease.until': { $exists: true },
  // The first comparison uses the index.
  $expr: {
    $and: [
      { $lte: ['$_work.lease.until', '$$NOW'] },
      { $lte: [{ $add: ['$_work.lease.until', MORE_TIME_MS] }, '$$NOW'] },
    ],
  },
};
const RAISED = { $add: ['$_revision', 1] };

/** While the database is unavailable, what is done is kept in memory about as long as the lease of the run lasts. */
const ATTEMPTS = 20;
const PAUSE_MS = 1_000;
const POSTPONED = { $add: [{ $ifNull: ['$_work.postponed', 0] }, 1] };

/**
 * The claims of runs, and the writes of the process that holds the lease of one. Those of several runs at the same time are one
 * command.
 */
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
    // Which of several leases were lost: what was written is written again, and has no further effect.
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
    /** Starts queued runs, the oldest first. The promise resolves to those that this process now works on. */
    claimQueued: (limit: number): Promise<Run[]> =>
      leases.claimMany(QUEUED, { set: claimed(), sort: { _updatedat: 1 }, limit }),
    /** Takes over runs whose process has died or has put them off. */
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
    /** Shows what the current step reports. */
    report: (run: Run, index: number, reported: StepState): Promise<boolean> =>
      leases.write(run, { $set: { ...stepUpdates({ [index]: reported }).$set, _updatedat: now() } }),
    /** Leaves the run to any process. @param delayMs not before that time; it counts how often a run was put off for a while */
    putOff: (run: Run, delayMs: number): Promise<boolean> =>
      leases.expireIn(run, delayMs, delayMs > 0 ? { '_work.postponed': POSTPONED } : {}),
    async end(run: Run, end: RunEnd): Promise<void> {
      try {
        await write(run, end);
      } catch (error) {
        // A run that has ended and cannot be stored so must not be taken for one that still runs.
        if (!documentErrors(error)) throw error;
        const done = Math.min(end.done, run.orchrunsteps.length - 1);
        await write(run, { _status: 'ERROR', done, steps: {}, _statusmsg: 'The result of the run cannot be stored.' });
      }
    },
  };
}

/** What changes in steps, as operators of an update. */
export function stepUpdates(steps: StepChanges): { $set: Record<string, unknown>; $unset: Record<string, 1> } {
  const fields = Object.entries(steps).flatMap(([index, state]) =>
    Object.entries<unknown>(state).map(([name, value]) => [`orchrunsteps.${index}.${name}`, value] as const),
  );
  return {
    $set: Object.fromEntries(fields.filter(([, value]) => value !== undefined)),
    $unset: Object.fromEntries(fields.filter(([, value]) => value === undefined).map(([path]) => [path, 1])),
  };
}

/** What was done must not be done again because the database was unavailable for a moment. The fence makes it safe. */
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
