import { startSweep } from '@dtplatform/lease';
import { startRelay, startWorker } from '@dtplatform/queue';
import type { Jobs } from '@dtplatform/service';
import type { Deps } from '../deps.js';
import { loadJobs } from './catalogue.js';
import { processLoad } from './process-load.job.js';

/**
 * Works on queued loads, relays the outbox to the queue, recovers lost loads and removes leftovers, until the lifecycle
 * stops.
 */
export async function startJobs(deps: Deps, options: { queuePrefix?: string } = {}): Promise<Jobs> {
  const { config, lifecycle, log, mongo } = deps;
  const queue = { redisUrl: config.REDIS_URL, log, queuePrefix: options.queuePrefix };

  const worker = await startWorker({
    ...queue,
    catalogue: loadJobs,
    handlers: { 'load.process': processLoad(deps) },
    concurrency: config.LOADS_AT_ONCE,
  });
  lifecycle.onStop('worker', () => worker.stop(config.SHUTDOWN_GRACE_MS));
  const relay = await startRelay({ ...queue, mongo });
  lifecycle.onStop('outbox relay', () => relay.stop());
  const sweep = startSweep({ what: 'loads', recover: () => deps.loadStore.requeueLost(), log });
  lifecycle.onStop('sweep of loads', () => sweep.stop());
  const discardLeftovers = () => deps.loading.discardLeftovers();
  const leftovers = startSweep({ what: 'parts of ended loads', recover: discardLeftovers, log });
  lifecycle.onStop('sweep of leftovers', () => leftovers.stop());

  return { workers: [worker], relay };
}
