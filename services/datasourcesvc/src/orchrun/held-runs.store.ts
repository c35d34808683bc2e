import { setTimeout as delay } from 'node:timers/promises';
import type { HeldWrite, Leases } from '@dtplatform/lease';
import { coalesce, documentErrors, mongoErrors, SHARED_WRITE } from '@dtplatform/mongo';
import type { Run } from './run.js';
import type { RunEnd, RunStore, StepChanges } from './runs.js';

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

/** Claims several runs at once. */
export const createClaims = (leases: Leases<Run>): Pick<RunStore, 'claimQueued' | 'claimLost'> => {
  const set = () => ({
    _revision: RAISED,
    _status: 'RUNNING',
    _updatedat: String(Date.now()),
    // The time limit covers all processes that work on the run.
    '_work.startedAt': { $ifNull: ['$_work.startedAt', Date.now()] },
    '_work.slots': '$$REMOVE',
  });
  return {
    claimQueued: (limit) => leases.claimMany(QUEUED, { set: set(), sort: { _updatedat: 1 }, limit }),
    claimLost: (limit) => leases.claimMany(LOST, { set: set(), sort: { '_work.lease.until': 1 }, limit }),
  };
};

/** While the database is unavailable, what is done is kept in memory about as long as the lease of the run lasts. */
const ATTEMPTS = 20;
const PAUSE_MS = 1_000;
const POSTPONED = { $add: [{ $ifNull: ['$_work.postponed', 0] }, 1] };

/** The writes of the process that holds the lease of a run. Those of several runs at the same time are one command. */
export function createRunWrites(leases: Leases<Run>): Pick<RunStore, 'record' | 'report' | 'end' | 'putOff'> {
  const now = () => String(Date.now());
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
    record: (run, { done, steps, mustNotRepeat }) => {
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
    report: (run, index, reported) =>
      leases.write(run, { $set: { ...stepUpdates({ [index]: reported }).$set, _updatedat: now() } }),
    putOff: (run, delayMs) => leases.expireIn(run, delayMs, delayMs > 0 ? { '_work.postponed': POSTPONED } : {}),
    async end(run, end) {
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
