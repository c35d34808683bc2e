import { startExclusiveSweep } from '@dtplatform/lease';
import type { Deps } from '../deps.js';

/** Keeps the store within its limits, in one process at a time. */
export function evictFiles({ config, eviction, evictionLease: lease, lifecycle, log }: Deps): void {
  async function work(signal: AbortSignal): Promise<void> {
    const { count, bytes } = await eviction.run(signal);
    if (count > 0) log.info({ count, bytes }, 'evicted files from the store');
  }
  const everyMs = config.EVICTION_EVERY_SEC * 1000;
  const sweep = startExclusiveSweep({ what: 'eviction', lease, work, log, everyMs });
  lifecycle.onStop('eviction', () => sweep.stop());
}
