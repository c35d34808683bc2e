import { startSweep } from '@dtplatform/lease';
import type { Deps } from '../deps.js';

const EVERY_MS = 1_000;
/** Longer than an upgrade takes. */
const UPGRADE_MS = 3600_000;

/**
 * Ends the access of users whose deactivation was stored by a process that died or did not reach Redis, and completes users
 * that the previous version creates during an upgrade.
 */
export function finishPendingAccess({
  users,
  userAccess,
  log,
  lifecycle,
}: Pick<Deps, 'users' | 'userAccess' | 'log' | 'lifecycle'>): void {
  const start = Date.now();
  const sweeps = [
    startSweep({ what: 'access of users', recover: () => userAccess.finishPending(), log, everyMs: EVERY_MS }),
    startSweep({
      what: 'search attributes of users',
      recover: () => (Date.now() - start < UPGRADE_MS ? users.completeSearch(start - UPGRADE_MS) : Promise.resolve(0)),
      log,
      everyMs: EVERY_MS,
    }),
  ];
  lifecycle.onStop('sweeps of users', async () => {
    await Promise.all(sweeps.map((sweep) => sweep.stop()));
  });
}
