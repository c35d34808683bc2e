import { z } from 'zod';
import { workspaceDeleted } from '@dtplatform/contracts';
import { defineCatalogue } from '@dtplatform/queue';
import { jobsOf, resource } from '@dtplatform/runtime';
import { createNamespaceContents } from './namespaces.store.js';
import { runRoutes } from './orchrun.routes.js';
import { runModel } from './run.model.js';
import { recoverRuns, removeOldRuns } from './runs.job.js';

/** The jobs of this service. A message only means that runs are queued; MongoDB has the runs. */
export const runJobs = defineCatalogue('datasourcesvc.runs', { 'run.queued': z.object({}) });

/** From passportsvc. */
export const namespaceJobs = defineCatalogue('datasourcesvc.namespaces', { [workspaceDeleted.name]: workspaceDeleted });

type Worker = Parameters<typeof createNamespaceContents>[0] &
  Parameters<typeof recoverRuns>[0] &
  Parameters<typeof removeOldRuns>[0] & { config: { SHUTDOWN_GRACE_MS: number } };

export const orchrun = resource({
  tags: { runs: 'Executions of orchestrators.' },
  models: [runModel],
  routes: (parts: Parameters<typeof runRoutes>[0]) => [runRoutes(parts)],
  jobs({ runWorker, config, lifecycle }: Worker) {
    // While runs end, the admin port still responds.
    lifecycle.onStop('runs', () => runWorker.stop(config.SHUTDOWN_GRACE_MS));
    const startQueued = (_message: unknown, { signal }: { signal: AbortSignal }) => runWorker.startQueued(signal);
    return [jobsOf(runJobs, { 'run.queued': startQueued }, { concurrency: 1 })];
  },
  /** Includes orchestrators. */
  contents: (parts: Worker) => createNamespaceContents(parts),
  sweeps(parts: Worker) {
    recoverRuns(parts);
    removeOldRuns(parts);
  },
});
