import { startExclusiveSweep, startSweep } from '@dtplatform/lease';
import type { JobHandler } from '@dtplatform/queue';
import type { ProcessContext } from '@dtplatform/runtime';
import type { Batches } from './batches.store.js';
import type { TelemetryItemOf } from './place-readings.js';
import type { ReadingRemovals } from './reading-removals.store.js';

export interface ReadingWorker extends ProcessContext {
  batches: Batches;
  removals: ReadingRemovals;
}

/** Retried until no batches are waiting. */
export const cleanUpTelemetryItem =
  ({ batches, removals }: Pick<ReadingWorker, 'batches' | 'removals'>): JobHandler<TelemetryItemOf> =>
  async (of) => {
    if (await batches.areWaiting(of.itemId))
      throw new Error('Some readings of the collection have not been stored yet.');
    await removals.removeOfTelemetryItem(of);
  };

const REMOVE_EXPIRED_EVERY_MS = 60_000;

/** Stores acknowledged readings of dead processes and removes expired ones. */
export function sweepReadings({ batches, removals, log, lifecycle }: ReadingWorker): void {
  const drop: Parameters<typeof batches.recover>[0] = async (batch, readings) => {
    log.error({ itemId: batch._itemId, readings: readings.length }, 'readings cannot be stored');
    await removals.drop(batch, readings);
  };
  const recovery = startSweep({ what: 'batches of readings', recover: () => batches.recover(drop), log });
  lifecycle.onStop('sweep of readings', () => recovery.stop());
  const expiry = startExclusiveSweep({
    what: 'expired readings',
    lease: removals.lease,
    everyMs: REMOVE_EXPIRED_EVERY_MS,
    work: (signal) => removals.removeExpired(signal),
    log,
  });
  lifecycle.onStop('expiry of readings', () => expiry.stop());
}
