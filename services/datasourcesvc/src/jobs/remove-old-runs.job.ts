import { startExclusiveSweep } from '@dtplatform/lease';
import type { Deps } from '../deps.js';

const EVERY_MS = 3_600_000;
const DAY_MS = 24 * 3_600_000;

/** Removes runs that ended long ago, in one process at a time. */
export function removeOldRuns({ config, runStore, historyLease: lease, lifecycle, log }: Deps): void {
  async function work(signal: AbortSignal): Promise<void> {
    const count = await runStore.removeEndedBefore(Date.now() - config.RUNS_KEPT_DAYS * DAY_MS, signal);
    if (count > 0) log.info({ count }, 'removed runs that ended long ago');
  }
  const sweep = startExclusiveSweep({ what: 'old runs', lease, work, log, everyMs: EVERY_MS });
  lifecycle.onStop('sweep of old runs', () => sweep.stop());
}
