import { workspaceDeleted } from '@dtplatform/contracts';
import { startSweep } from '@dtplatform/lease';
import { emptyNamespaces, startRelay, startWorker } from '@dtplatform/queue';
import type { Jobs } from '@dtplatform/service';
import type { Deps } from '../deps.js';
import { namespaceJobs, runJobs } from './catalogue.js';
import { processRun } from './process-run.job.js';
import { removeOldRuns } from './remove-old-runs.job.js';
import { startScheduledRuns } from './start-scheduled-runs.job.js';

/**
 * Works on queued runs, empties the namespaces of deleted workspaces, relays the outbox to the queue, starts scheduled runs,
 * recovers lost runs and removes old ones, until the lifecycle stops.
 */
export async function startJobs(deps: Deps, options: { queuePrefix?: string } = {}): Promise<Jobs> {
  const { config, lifecycle, log, mongo } = deps;
  const queue = { redisUrl: config.REDIS_URL, log, queuePrefix: options.queuePrefix };

  const workers = [
    await startWorker({
      ...queue,
      catalogue: runJobs,
      handlers: { 'run.process': processRun(deps) },
      concurrency: config.RUNS_AT_ONCE,
    }),
    await startWorker({
      ...queue,
      catalogue: namespaceJobs,
      handlers: { [workspaceDeleted.name]: emptyNamespaces(deps.namespaceContents) },
    }),
  ];
  lifecycle.onStop('workers', () => Promise.all(workers.map((worker) => worker.stop(config.SHUTDOWN_GRACE_MS))));
  const relay = await startRelay({ ...queue, mongo });
  lifecycle.onStop('outbox relay', () => relay.stop());
  const sweep = startSweep({ what: 'runs', recover: () => deps.runStore.requeueLost(), log });
  lifecycle.onStop('sweep of runs', () => sweep.stop());
  removeOldRuns(deps);

  return { workers, relay, gauges: startScheduledRuns(deps) };
}
