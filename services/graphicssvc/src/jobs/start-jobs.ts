import { workspaceDeleted } from '@dtplatform/contracts';
import { startSweep } from '@dtplatform/lease';
import { emptyNamespaces, startRelay, startWorker } from '@dtplatform/queue';
import type { Jobs } from '@dtplatform/service';
import type { Deps } from '../deps.js';
import { loadJobs, namespaceJobs } from './catalogue.js';
import { evictFiles } from './evict-files.job.js';
import { processLoad } from './process-load.job.js';

/**
 * Works on queued loads, empties the namespaces of deleted workspaces, relays the outbox to the queue, removes
 * leftovers and evicts files, until the lifecycle stops.
 */
export async function startJobs(deps: Deps, options: { queuePrefix?: string } = {}): Promise<Jobs> {
  const { config, lifecycle, log, mongo } = deps;
  const queue = { redisUrl: config.REDIS_URL, log, queuePrefix: options.queuePrefix };

  const workers = [
    await startWorker({
      ...queue,
      catalogue: loadJobs,
      handlers: { 'load.process': processLoad(deps) },
      concurrency: config.LOADS_AT_ONCE,
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
  const discardLeftovers = () => deps.loading.discardLeftovers();
  const leftovers = startSweep({ what: 'parts of ended loads', recover: discardLeftovers, log });
  lifecycle.onStop('sweep of leftovers', () => leftovers.stop());

  evictFiles(deps);

  return { workers, relay };
}
