import { startSweep } from '@dtplatform/lease';
import { startRelay, startWorker } from '@dtplatform/queue';
import type { Jobs } from '@dtplatform/service';
import type { Deps } from '../deps.js';
import { runJobs } from './catalogue.js';
import { processRun } from './process-run.job.js';

/** Works on queued runs, relays the outbox to the queue and recovers lost runs, until the lifecycle stops. */
export async function startJobs(deps: Deps, options: { queuePrefix?: string } = {}): Promise<Jobs> {
  const { config, lifecycle, log, mongo } = deps;
  const queue = { redisUrl: config.REDIS_URL, log, queuePrefix: options.queuePrefix };

  const worker = await startWorker({
    ...queue,
    catalogue: runJobs,
    handlers: { 'run.process': processRun(deps) },
    concurrency: config.RUNS_AT_ONCE,
  });
  lifecycle.onStop('worker', () => worker.stop(config.SHUTDOWN_GRACE_MS));
  const relay = await startRelay({ ...queue, mongo });
  lifecycle.onStop('outbox relay', () => relay.stop());
  const sweep = startSweep({ what: 'runs', recover: () => deps.runStore.requeueLost(), log });
  lifecycle.onStop('sweep of runs', () => sweep.stop());

  return { workers: [worker], relay };
}
