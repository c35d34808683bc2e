import { usageRecorded } from '@dtplatform/contracts';
import type { Mongo } from '@dtplatform/mongo';
import { startWorker } from '@dtplatform/queue';
import type { Jobs, ProcessContext } from '@dtplatform/service';
import type { WorkerConfig } from '../config.js';
import { createUsageLedger } from '../store/metrics/usage-ledger.js';
import { usageQueue } from './catalogue.js';
import { recordUsage } from './record-usage.job.js';

/** Concurrent messages share a transaction, so each costs less when there are more of them. */
const CONCURRENCY = 200;

/** Processes usage messages until the lifecycle stops. */
export async function startJobs(
  { config, mongo, log, lifecycle }: ProcessContext & { config: WorkerConfig; mongo: Mongo },
  options: { queuePrefix?: string } = {},
): Promise<Jobs> {
  const worker = await startWorker({
    catalogue: usageQueue,
    handlers: { [usageRecorded.name]: recordUsage(createUsageLedger(mongo, log)) },
    redisUrl: config.REDIS_URL,
    concurrency: CONCURRENCY,
    log,
    ...options,
  });
  lifecycle.onStop('usage worker', () => worker.stop(config.SHUTDOWN_GRACE_MS));
  return { workers: [worker] };
}
