import { usageRecorded } from '@dtplatform/contracts';
import type { ReadinessChecks } from '@dtplatform/http';
import { connectMongo } from '@dtplatform/mongo';
import { startWorker } from '@dtplatform/queue';
import type { ProcessContext } from '@dtplatform/service';
import type { WorkerConfig } from '../config.js';
import { createUsageLedger } from '../store/usage-ledger.js';
import { usageQueue } from './catalogue.js';
import { recordUsage } from './record-usage.job.js';

/** Messages at once: they share a transaction, so more of them cost less each. */
const CONCURRENCY = 200;
/** Messages take milliseconds; those that wait for the database begin again elsewhere. */
const STOP_GRACE_MS = 2000;

/** Works on usage until the lifecycle stops. */
export async function startUsageWorker(
  config: WorkerConfig,
  { log, lifecycle }: ProcessContext,
  options: { queuePrefix?: string } = {},
): Promise<{ checks: ReadinessChecks }> {
  const mongo = await connectMongo({
    url: config.MONGO_URL,
    database: config.MONGO_DB,
    appName: 'metricsvc-worker',
    log,
  });
  lifecycle.onStop('mongodb', () => mongo.close());
  const worker = await startWorker({
    catalogue: usageQueue,
    handlers: { [usageRecorded.name]: recordUsage(createUsageLedger(mongo, log)) },
    redisUrl: config.REDIS_URL,
    concurrency: CONCURRENCY,
    log,
    ...options,
  });
  lifecycle.onStop('usage worker', () => worker.stop(STOP_GRACE_MS));
  return { checks: { mongodb: () => mongo.ping(), redis: () => worker.ping() } };
}
