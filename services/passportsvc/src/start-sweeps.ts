import { startSweep } from '@dtplatform/lease';
import { sweepGrants } from '@dtplatform/mongo';
import type { Deps } from './service.js';

type Process = Pick<Deps, 'log' | 'lifecycle'>;

/** While there is nothing to do. */
const IDLE_MS = 8_000;
const IDLE_ACCESS_MS = 5_000;
const REMIND_EVERY_MS = 15_000;

/** Starts what every replica of the service does on a timer. Several may do the same at the same time. */
export function startSweeps(
  deps: Process & Pick<Deps, 'pendingGrants' | 'groupSync' | 'deletions' | 'invites'>,
  { remindEveryMs = REMIND_EVERY_MS } = {},
): void {
  const { groupSync, deletions, invites, log } = deps;
  const every = sweeping(deps);
  // Of apps that the migration created, whenever that runs and objectmodelsvc accepts them.
  sweepGrants(deps);
  every(2_000, 'members of groups', () => groupSync.pushPending());
  every(2_000, 'deletions', () => deletions.finishDue());
  const remind = async () => {
    const sent = await invites.remind();
    if (sent > 0) log.info({ count: sent }, 'reminders of invites are sent');
    // They are due by their time, and not lost work.
    return 0;
  };
  every(remindEveryMs, 'reminders of invites', remind, remindEveryMs);
}

/** The same for users: ends the access of those whose change was stored by a process that then died or did not reach Redis. */
export function startUserSweeps(deps: Process & Pick<Deps, 'accessEndings'>): void {
  sweeping(deps)(1_000, 'access of users', () => deps.accessEndings.finishPending(), IDLE_ACCESS_MS);
}

const sweeping =
  ({ log, lifecycle }: Process) =>
  (everyMs: number, what: string, recover: () => Promise<number>, idleMs = Math.max(everyMs, IDLE_MS)): void => {
    const sweep = startSweep({ what, recover, log, everyMs, idleMs });
    lifecycle.onStop(`sweep of ${what}`, () => sweep.stop());
  };
