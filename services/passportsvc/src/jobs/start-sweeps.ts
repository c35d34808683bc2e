import { startSweep } from '@dtplatform/lease';
import { sweepGrants } from '@dtplatform/mongo';
import type { Deps } from '../deps.js';

type Process = Pick<Deps, 'log' | 'lifecycle'>;

/** While there is nothing to do. */
const IDLE_MS = 5_000;
/** Longer than an upgrade takes. */
const UPGRADE_MS = 3600_000;

/** Starts what every replica of the service does on a timer. Several may do the same at the same time. */
export function startSweeps(deps: Process & Pick<Deps, 'pendingGrants' | 'groupSync' | 'deletions' | 'invites'>): void {
  const { groupSync, deletions, invites, log } = deps;
  const every = sweeping(deps);
  // Of apps that the migration created, whenever that runs and objectmodelsvc accepts them.
  sweepGrants(deps);
  every(2_000, 'members of groups', () => groupSync.pushPending());
  every(2_000, 'deletions', () => deletions.finishDue());
  every(5_000, 'reminders of invites', async () => {
    const sent = await invites.remind();
    if (sent > 0) log.info({ count: sent }, 'reminders of invites are sent');
    // They are due by their time, and not lost work.
    return 0;
  });
}

/**
 * The same for users: ends the access of those whose change was stored by a process that then died or did not reach Redis.
 * Also completes and counts users that the previous version creates during an upgrade.
 */
export function startUserSweeps(deps: Process & Pick<Deps, 'users' | 'accessEndings'>): void {
  const { users, accessEndings } = deps;
  const every = sweeping(deps);
  const start = Date.now();
  const duringUpgrade = (work: () => Promise<number>) => () =>
    Date.now() - start < UPGRADE_MS ? work() : Promise.resolve(0);
  every(1_000, 'access of users', () => accessEndings.finishPending());
  every(
    1_000,
    'search attributes of users',
    duringUpgrade(() => users.completeSearch(start - UPGRADE_MS)),
  );
  // Counting takes a while.
  every(
    30_000,
    'counts of users',
    duringUpgrade(() => users.correctCounts()),
  );
}

const sweeping =
  ({ log, lifecycle }: Process) =>
  (everyMs: number, what: string, recover: () => Promise<number>): void => {
    const sweep = startSweep({ what, recover, log, everyMs, idleMs: Math.max(everyMs, IDLE_MS) });
    lifecycle.onStop(`sweep of ${what}`, () => sweep.stop());
  };
