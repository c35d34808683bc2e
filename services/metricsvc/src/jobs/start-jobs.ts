import { usageRecorded, workspaceDeleted } from '@dtplatform/contracts';
import { startSweep } from '@dtplatform/lease';
import type { Mongo } from '@dtplatform/mongo';
import { emptyNamespaces, startWorker } from '@dtplatform/queue';
import type { Jobs, ProcessContext } from '@dtplatform/service';
import type { WorkerConfig } from '../config.js';
import { createUsageLedger } from '../store/metrics/usage-ledger.js';
import { createNamespaceContents } from '../store/namespaces/namespace-contents.js';
import { namespaceJobs, usageQueue } from './catalogue.js';
import { recordUsage } from './record-usage.job.js';

/** Concurrent messages share a transaction, so each costs less when there are more of them. */
const CONCURRENCY = 200;

/**
 * Processes usage messages, empties the namespaces of deleted workspaces, and adds what earlier versions kept, until the
 * lifecycle stops.
 */
export async function startJobs(
  { config, mongo, log, lifecycle }: ProcessContext & { config: WorkerConfig; mongo: Mongo },
  { sweepEveryMs, ...options }: { queuePrefix?: string; sweepEveryMs?: number } = {},
): Promise<Jobs> {
  const ledger = createUsageLedger(mongo, log);
  const queues = { redisUrl: config.REDIS_URL, log, ...options };
  const workers = [
    await startWorker({
      ...queues,
      catalogue: usageQueue,
      handlers: { [usageRecorded.name]: recordUsage(ledger) },
      concurrency: CONCURRENCY,
    }),
    await startWorker({
      ...queues,
      catalogue: namespaceJobs,
      handlers: { [workspaceDeleted.name]: emptyNamespaces(createNamespaceContents(mongo)) },
    }),
  ];
  lifecycle.onStop('workers', () => Promise.all(workers.map((worker) => worker.stop(config.SHUTDOWN_GRACE_MS))));
  // An older worker keeps usage that this version knows, until it is replaced.
  const sweep = startSweep({ what: 'kept usage', recover: () => ledger.addKept(), log, everyMs: sweepEveryMs });
  lifecycle.onStop('sweep of kept usage', () => sweep.stop());
  const help = 'Hourly sums of metrics that this version does not know, kept for one that does.';
  return { workers, gauges: [{ name: 'usage_unknown_sums', help, read: () => ledger.countKept() }] };
}
