import { startSweep } from '@dtplatform/lease';
import { sweepGrants } from '@dtplatform/mongo';
import type { Deps } from './service.js';

type Process = Pick<Deps, 'log' | 'lifecycle'>;

/** While idle. */
const IDLE_MS = 8_000;
const IDLE_ACCESS_MS = 5_000;
/** Only looks at a variable while Redis stays connected. */
const RESTORE_EVERY_MS = 500;
const REMIND_EVERY_MS = 15_000;

/** Starts the timers of every replica; concurrent runs are safe. */
export function startSweeps(
  deps: Process & Pick<Deps, 'pendingGrants' | 'groupSync' | 'deletions' | 'invites'>,
  { remindEveryMs = REMIND_EVERY_MS } = {},
): void {
  const { groupSync, deletions, invites, log } = deps;
  const every = sweeping(deps);
  // Creates the grants of the migration's apps once objectmodelsvc accepts them.
  sweepGrants(deps);
  every(2_000, 'members of groups', () => groupSync.pushPending());
  every(2_000, 'deletions', () => deletions.finishDue());
  const remind = async () => {
    const sent = await invites.remind();
    if (sent > 0) log.info({ count: sent }, 'reminders of invites are sent');
    // Not counted as repairs: reminders become due by time.
    return 0;
  };
  every(remindEveryMs, 'reminders of invites', remind, remindEveryMs);
}

/** Repeats in Redis what it may have lost: as soon as possible, since lost marks make revoked tokens valid again. */
export function startTokenSweeps(deps: Process & Pick<Deps, 'tokenRejections'>): void {
  // Not counted as repairs: most marks are still there.
  const restore = () => deps.tokenRejections.restore().then(() => 0);
  sweeping(deps)(RESTORE_EVERY_MS, 'revoked tokens', restore, RESTORE_EVERY_MS);
}

/** Ends the access of users whose change was stored by a process that crashed or did not reach Redis. */
export function startUserSweeps(deps: Process & Pick<Deps, 'accessEndings'>): void {
  sweeping(deps)(1_000, 'access of users', () => deps.accessEndings.finishPending(), IDLE_ACCESS_MS);
}

const sweeping =
  ({ log, lifecycle }: Process) =>
  (everyMs: number, what: string, recover: () => Promise<number>, idleMs = Math.max(everyMs, IDLE_MS)): void => {
    const sweep = startSweep({ what, recover, log, everyMs, idleMs });
    lifecycle.onStop(`sweep of ${what}`, () => sweep.stop());
  };
