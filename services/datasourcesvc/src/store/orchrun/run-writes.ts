import { setTimeout as delay } from 'node:timers/promises';
import type { Leases } from '@dtplatform/lease';
import { documentErrors, mongoErrors } from '@dtplatform/mongo';
import type { RunEnd, RunStore, StepChanges } from '../../domain/orchrun/ports.js';
import type { Run } from '../../domain/orchrun/run.js';

/** While the database is unavailable, what is done is kept in memory about as long as the lease of the run lasts. */
const ATTEMPTS = 20;
const PAUSE_MS = 1_000;

/** The writes of the process that holds the lease of a run. */
export function createRunWrites(leases: Leases<Run>): Pick<RunStore, 'record' | 'report' | 'end'> {
  const now = () => String(Date.now());

  function write(run: Run, { done, steps, ...end }: RunEnd): Promise<boolean> {
    const { $set, $unset } = stepUpdates(steps);
    return whenAvailable(() =>
      leases.write(
        run,
        {
          $set: { ...$set, ...end, '_work.done': done, _updatedat: now() },
          $unset: { ...$unset, '_work.mustNotRepeat': 1 },
        },
        { release: true },
      ),
    );
  }

  return {
    record: (run, { done, steps, mustNotRepeat }) => {
      const { $set, $unset } = stepUpdates(steps);
      const guard = mustNotRepeat
        ? { $set: { '_work.mustNotRepeat': true }, $unset: {} }
        : { $set: {}, $unset: { '_work.mustNotRepeat': 1 } };
      return whenAvailable(() =>
        leases.write(run, {
          $set: { ...$set, ...guard.$set, '_work.done': done, _updatedat: now() },
          $unset: { ...$unset, ...guard.$unset },
        }),
      );
    },
    report: (run, index, reported) =>
      leases.write(run, { $set: { ...stepUpdates({ [index]: reported }).$set, _updatedat: now() } }),
    async end(run, end) {
      try {
        return await write(run, end);
      } catch (error) {
        // A run that has ended and cannot be stored so must not be taken for one that still runs.
        if (!documentErrors(error)) throw error;
        const done = Math.min(end.done, run.orchrunsteps.length - 1);
        return write(run, { _status: 'ERROR', done, steps: {}, _statusmsg: 'The result of the run cannot be stored.' });
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
