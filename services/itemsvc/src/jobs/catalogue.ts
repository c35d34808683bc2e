import { z } from 'zod';
import { workspaceDeleted } from '@dtplatform/contracts';
import { defineCatalogue, taskPayload } from '@dtplatform/queue';

const TelemetryItemOf = z.object({ itemId: z.string(), versionId: z.string(), telItemId: z.string() });

/** Work on items that no caller waits for. */
export const itemJobs = defineCatalogue('itemsvc.items', {
  /** Removes what a deleted item leaves behind. */
  'item.clean-up': { payload: z.object({ itemId: z.string() }), attempts: 8 },
  /** Removes what a deleted version of an item leaves behind. */
  'version.clean-up': { payload: z.object({ itemId: z.string(), versionId: z.string() }), attempts: 8 },
  /** Builds an index of related items. */
  'related-index.fill': { payload: z.object({ indexId: z.string() }), attempts: 8 },
  /** Removes what is left of one. */
  'related-index.clear': {
    payload: z.object({ itemId: z.string(), indexId: z.string(), slot: z.number().optional() }),
    attempts: 8,
  },
  /** Removes the readings of a deleted telemetry item. */
  'telemetry-item.clean-up': { payload: TelemetryItemOf, attempts: 8 },
  /** Removes what is in the namespaces of a deleted workspace. From passportsvc. */
  [workspaceDeleted.name]: workspaceDeleted,
});

/** Accepted bulks of related items. */
export const bulkJobs = defineCatalogue('itemsvc.bulk', {
  // A worker that dies may leave a transaction open for a minute, which others conflict with.
  'related-items.add': { payload: taskPayload, attempts: 8 },
});

/** Accepted writes of telemetry configurations. */
export const telemetryJobs = defineCatalogue('itemsvc.telemetry', {
  'telemetry-config.create': taskPayload,
  'telemetry-config.change': taskPayload,
});

/** Messages of devices, whose readings are to be stored. Their scripts run in the worker. */
export const ingestionJobs = defineCatalogue('itemsvc.ingestion', {
  'telemetry.ingest': { payload: taskPayload, attempts: 8 },
  /** Messages of an MQTT broker, for which nobody waits. */
  'telemetry.ingest-group': { payload: z.object({ groupId: z.string() }), attempts: 8 },
});
