import { z } from 'zod';
import { workspaceDeleted } from '@dtplatform/contracts';
import { grantMarkModel, parentLockModel } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import { defineCatalogue } from '@dtplatform/queue';
import type { Outbox } from '@dtplatform/queue';
import { jobsOf, resource } from '@dtplatform/runtime';
import { itemModel } from './item.model.js';
import { cleanUpItem, cleanUpVersion } from './items.job.js';
import type { Leftovers } from './leftovers.store.js';
import { itemRoutes } from './nameduseritems.routes.js';
import { createItemContents } from './namespaces.store.js';

/** Background work on items and everything below them. */
export const itemJobs = defineCatalogue('itemsvc.items', {
  'item.clean-up': { payload: z.object({ itemId: z.string() }), attempts: 8 },
  'version.clean-up': { payload: z.object({ itemId: z.string(), versionId: z.string() }), attempts: 8 },
  'related-index.fill': { payload: z.object({ indexId: z.string() }), attempts: 8 },
  'related-index.clear': {
    payload: z.object({ itemId: z.string(), indexId: z.string(), slot: z.number().optional() }),
    attempts: 8,
  },
  'telemetry-item.clean-up': {
    payload: z.object({ itemId: z.string(), versionId: z.string(), telItemId: z.string() }),
    attempts: 8,
  },
  /** Sent by passportsvc. */
  [workspaceDeleted.name]: workspaceDeleted,
});

interface Worker {
  mongo: Mongo;
  outbox: Outbox;
  leftovers: Leftovers;
}

export const nameduseritems = resource({
  tags: { items: 'Named items: composite items, collections, scripts and user configurations.' },
  models: [itemModel, parentLockModel, grantMarkModel],
  routes: (parts: Parameters<typeof itemRoutes>[0]) => [itemRoutes(parts)],
  jobs: ({ leftovers }: Worker) => [
    jobsOf(itemJobs, { 'item.clean-up': cleanUpItem(leftovers), 'version.clean-up': cleanUpVersion(leftovers) }),
  ],
  contents: ({ mongo, outbox }: Worker) =>
    createItemContents({ mongo, outbox, cleanUp: itemJobs.messages['item.clean-up'] }),
});
