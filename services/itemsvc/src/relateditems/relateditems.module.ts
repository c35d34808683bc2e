import { defineCatalogue, taskPayload } from '@dtplatform/queue';
import type { Tasks } from '@dtplatform/queue';
import { jobsOf, resource } from '@dtplatform/runtime';
import { addRelatedItems } from './add-related-items.job.js';
import { bulkBatchModel } from './bulk.store.js';
import type { BulkWriter } from './bulk.store.js';
import { relatedItemModel } from './related-item.model.js';
import { relatedItemRoutes, singleRelatedItemRoutes } from './relateditems.routes.js';

export const bulkJobs = defineCatalogue('itemsvc.bulk', {
  // A dead worker's transaction may stay open, and conflict with others, for a minute.
  'related-items.add': { payload: taskPayload, attempts: 8 },
});

export const relateditems = resource({
  tags: { relatedItems: 'The items in collections: file items, telemetry items and free-form items.' },
  models: [relatedItemModel, bulkBatchModel],
  routes: (parts: Parameters<typeof relatedItemRoutes>[0]) => [
    relatedItemRoutes(parts),
    singleRelatedItemRoutes(parts),
  ],
  jobs: ({ tasks, bulkWriter }: { tasks: Tasks; bulkWriter: BulkWriter }) => [
    jobsOf(bulkJobs, { 'related-items.add': addRelatedItems(tasks, bulkWriter) }, { concurrency: 2 }),
  ],
});
