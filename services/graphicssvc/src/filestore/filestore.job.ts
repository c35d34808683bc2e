import { startExclusiveSweep, startSweep } from '@dtplatform/lease';
import type { NamedLease } from '@dtplatform/lease';
import { Postponed } from '@dtplatform/queue';
import type { JobHandler } from '@dtplatform/queue';
import type { ProcessContext } from '@dtplatform/runtime';
import type { Config } from '../config.js';
import type { Eviction } from './eviction.js';
import type { Loading } from './loading.js';

/** When to check a load that another process took over: that process may have died. */
const TAKEN_MS = 60_000;

/** Resolves when the load ends or this process shuts down. */
export const processLoad =
  (loading: Pick<Loading, 'process'>): JobHandler<{ loadId: string }> =>
  async ({ loadId }, { signal, lastAttempt, isDiscarded }) => {
    const processed = await loading.process(loadId, { shutdown: signal, mayRetry: !lastAttempt, isDiscarded });
    if (processed === 'taken') throw new Postponed(TAKEN_MS);
  };

export interface SweepParts extends ProcessContext {
  config: Pick<Config, 'EVICTION_EVERY_SEC'>;
  loading: Loading;
  eviction: Eviction;
  evictionLease: NamedLease;
}

export function sweepLeftovers({ loading, lifecycle, log }: SweepParts): void {
  const sweep = startSweep({ what: 'parts of ended loads', recover: () => loading.discardLeftovers(), log });
  lifecycle.onStop('sweep of leftovers', () => sweep.stop());
}

export function evictFiles({ config, eviction, evictionLease: lease, lifecycle, log }: SweepParts): void {
  async function work(signal: AbortSignal): Promise<void> {
    const { count, bytes } = await eviction.run(signal);
    if (count > 0) log.info({ count, bytes }, 'evicted files from the store');
  }
  const everyMs = config.EVICTION_EVERY_SEC * 1000;
  const sweep = startExclusiveSweep({ what: 'eviction', lease, work, log, everyMs });
  lifecycle.onStop('eviction', () => sweep.stop());
}
