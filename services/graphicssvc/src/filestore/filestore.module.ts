import { z } from 'zod';
import { workspaceDeleted } from '@dtplatform/contracts';
import { defineCatalogue } from '@dtplatform/queue';
import type { NamespaceContents } from '@dtplatform/queue';
import { jobsOf, resource } from '@dtplatform/runtime';
import type { Config } from '../config.js';
import { evictFiles, processLoad, sweepLeftovers } from './filestore.job.js';
import type { SweepParts } from './filestore.job.js';
import { filestoreRoutes } from './filestore.routes.js';
import { loadModel } from './load.model.js';

/** With exponential backoff, a load is retried for about two minutes. */
export const loadJobs = defineCatalogue('graphicssvc.loads', {
  'load.process': { payload: z.object({ loadId: z.string() }), attempts: 8, endsIfDiscarded: true },
});

export const namespaceJobs = defineCatalogue('graphicssvc.namespaces', { [workspaceDeleted.name]: workspaceDeleted });

interface Worker extends SweepParts {
  config: Pick<Config, 'LOADS_AT_ONCE' | 'EVICTION_EVERY_SEC'>;
  loadContents: NamespaceContents;
}

export const filestore = resource({
  tags: { filestore: 'Loads of graphics files into the store.' },
  models: [loadModel],
  routes: (parts: Parameters<typeof filestoreRoutes>[0]) => [filestoreRoutes(parts)],
  jobs: ({ config, loading }: Worker) => [
    jobsOf(loadJobs, { 'load.process': processLoad(loading) }, { concurrency: config.LOADS_AT_ONCE }),
  ],
  contents: ({ loadContents }: Worker) => loadContents,
  sweeps(parts: Worker) {
    sweepLeftovers(parts);
    evictFiles(parts);
  },
});
