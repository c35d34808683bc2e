import { setTimeout as delay } from 'node:timers/promises';
import type { HeldWrite, Leases } from '@dtplatform/lease';
import { coalesce, documentErrors, mongoErrors, SHARED_WRITE } from '@dtplatform/mongo';
import type { RunEnd, RunStore, StepChanges } from '../../domain/orchrun/ports.js';
import type { Run } from '../../domain/orchrun/run.js';

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
