import type { JobHandler } from '@dtplatform/queue';
import type { TelemetryItemOf } from '../domain/readings/ports.js';
import type { createBatches } from '../store/readings/batches.js';
import type { createReadingRemovals } from '../store/readings/reading-removals.js';

interface Deps {
  batches: Pick<ReturnType<typeof createBatches>, 'areWaiting'>;
  removals: Pick<ReturnType<typeof createReadingRemovals>, 'removeOfTelemetryItem'>;
}

/** Removes the readings of a deleted telemetry item, once none are on their way. */
export const cleanUpTelemetryItem =
  ({ batches, removals }: Deps): JobHandler<TelemetryItemOf> =>
  async (of) => {
    if (await batches.areWaiting(of.itemId)) throw new Error('Readings of the collection are still on their way.');
    await removals.removeOfTelemetryItem(of);
  };
