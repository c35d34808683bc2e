import { workspaceDeleted } from '@dtplatform/contracts';
import { startSweep } from '@dtplatform/lease';
import { emptyNamespaces, startRelay, startWorker } from '@dtplatform/queue';
import type { Jobs } from '@dtplatform/service';
import type { Deps } from '../deps.js';
import { namespaceJobs, runJobs } from './catalogue.js';
import { removeOldRuns } from './remove-old-runs.job.js';
import { createRunWorker } from './run-worker.js';
import { startScheduledRuns } from './start-scheduled-runs.job.js';

/** Together with the lease of a run, how soon another worker takes over the runs of one that died: within 30 seconds. */
const RECOVER_EVERY_MS = 5_000;

/**
 * Works on queued runs, empties the namespaces of deleted workspaces, relays the outbox to the queue, starts scheduled runs,
 * recovers lost runs and removes old ones, until the lifecycle stops.
 */
export async function startJobs(deps: Deps, options: { queuePrefix?: string } = {}): Promise<Jobs> {
  const { config, lifecycle, log, mongo } = deps;
  const queue = { redisUrl: config.REDIS_URL, log, queuePrefix: options.queuePrefix };

  const { runStore, execution } = deps;
  const runWorker = createRunWorker({ runStore, execution, places: config.RUNS_AT_ONCE, log });
  const workers = [
    await startWorker({
      ...queue,
      catalogue: runJobs,
      handlers: { 'run.queued': (_message, { signal }) => runWorker.startQueued(signal) },
      concurrency: 1,
    }),
    await startWorker({
      ...queue,
      catalogue: namespaceJobs,
      handlers: { [workspaceDeleted.name]: emptyNamespaces(deps.namespaceContents) },
    }),
  ];
  lifecycle.onStop('workers', () =>
    Promise.all([...workers, runWorker].map((worker) => worker.stop(config.SHUTDOWN_GRACE_MS))),
  );
  const relay = await startRelay({ ...queue, mongo });
  lifecycle.onStop('outbox relay', () => relay.stop());
  const sweep = startSweep({ what: 'runs', recover: () => runWorker.recover(), log, everyMs: RECOVER_EVERY_MS });
  lifecycle.onStop('sweep of runs', () => sweep.stop());
  removeOldRuns(deps);

  return { workers, relay, gauges: startScheduledRuns(deps) };
}
