import { z } from 'zod';
import { defineCatalogue, taskPayload } from '@dtplatform/queue';

/** Work on items that no caller waits for. */
export const itemJobs = defineCatalogue('itemsvc.items', {
  /** Removes what a deleted item leaves behind. */
  'item.clean-up': { payload: z.object({ itemId: z.string() }), attempts: 8 },
});

/** Accepted writes of telemetry configurations. */
export const telemetryJobs = defineCatalogue('itemsvc.telemetry', { 'telemetry-config.create': taskPayload });
