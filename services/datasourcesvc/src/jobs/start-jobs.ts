import type { ReadinessChecks } from '@dtplatform/http';
import { startRelay, startSweep, startWorker } from '@dtplatform/queue';
import type { Deps } from '../deps.js';
import { runJobs } from './catalogue.js';
import { processRun } from './process-run.job.js';

/** What the end of a worker needs besides the time that its jobs are given. */
const END_OF_WORKER_MS = 4_000;

/**
 * Carries runs to the queue, works on them and looks for lost ones, until the lifecycle stops.
 * @returns checks of what it stands on
 */
export async function startJobs(deps: Deps, options: { queuePrefix?: string } = {}): Promise<ReadinessChecks> {
  const { config, lifecycle, log, mongo } = deps;
  const queue = { redisUrl: config.REDIS_URL, log, queuePrefix: options.queuePrefix };

  const relay = await startRelay({ ...queue, mongo });
  lifecycle.onStop('outbox relay', () => relay.stop());
  const worker = await startWorker({
    ...queue,
    catalogue: runJobs,
    handlers: { 'run.process': processRun(deps) },
    concurrency: config.RUNS_AT_ONCE,
  });
  lifecycle.onStop('worker', () => worker.stop(Math.max(0, config.SHUTDOWN_GRACE_MS - END_OF_WORKER_MS)));
  const sweep = startSweep({ what: 'runs', recover: () => deps.lostRuns.recover(), log });
  lifecycle.onStop('sweep of runs', () => sweep.stop());

  return {
    worker: () => worker.ping(),
    relay: async () => {
      if (!relay.healthy()) throw new Error('messages are not carried');
    },
  };
}
