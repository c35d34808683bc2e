import { z } from 'zod';
import { workspaceDeleted } from '@dtplatform/contracts';
import { defineCatalogue, taskPayload } from '@dtplatform/queue';

/** Work on items that no caller waits for. */
export const itemJobs = defineCatalogue('itemsvc.items', {
  /** Removes what a deleted item leaves behind. */
  'item.clean-up': { payload: z.object({ itemId: z.string() }), attempts: 8 },
  /** Removes what is in the namespaces of a deleted workspace. From passportsvc. */
  [workspaceDeleted.name]: workspaceDeleted,
});

/** Accepted writes of telemetry configurations. */
export const telemetryJobs = defineCatalogue('itemsvc.telemetry', { 'telemetry-config.create': taskPayload });
