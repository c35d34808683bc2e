import { jobsOf, resource } from '@dtplatform/runtime';
import { itemJobs } from '../nameduseritems/nameduseritems.module.js';
import { buildIndex, clearIndex } from './indexes.job.js';
import { indexRoutes } from './indexes.routes.js';
import { relatedIndexModel } from './indexes.store.js';
import type { IndexBuilder } from './indexes.store.js';

export const indexes = resource({
  tags: { indexes: 'Indexes on fields of the items in collections.' },
  models: [relatedIndexModel],
  routes: (parts: Parameters<typeof indexRoutes>[0]) => [indexRoutes(parts)],
  jobs: ({ indexBuilder }: { indexBuilder: IndexBuilder }) => [
    jobsOf(itemJobs, {
      'related-index.fill': buildIndex(indexBuilder),
      'related-index.clear': clearIndex(indexBuilder),
    }),
  ],
});
