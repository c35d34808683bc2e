import { startExclusiveSweep, startSweep } from '@dtplatform/lease';
import type { Mongo } from '@dtplatform/mongo';
import type { Outbox } from '@dtplatform/queue';
import type { ProcessContext } from '@dtplatform/service';
import { createBatches } from '../store/readings/batches.js';
import { createReadingRemovals } from '../store/readings/reading-removals.js';

const REMOVE_EXPIRED_EVERY_MS = 60_000;

/** Stores acknowledged readings whose process died, and removes expired ones. */
export function startReadingSweeps({
  mongo,
  outbox,
  log,
  lifecycle,
}: Pick<ProcessContext, 'log' | 'lifecycle'> & { mongo: Mongo; outbox: Outbox }): void {
  const batches = createBatches(mongo);
  const removals = createReadingRemovals({ mongo, outbox });
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
