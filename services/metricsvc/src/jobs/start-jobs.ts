import { usageBatch, workspaceDeleted } from '@dtplatform/contracts';
import { startSweep } from '@dtplatform/lease';
import { emptyNamespaces, startWorker } from '@dtplatform/queue';
import type { Jobs } from '@dtplatform/service';
import type { WorkerDeps } from '../deps.js';
import { createUsageLedger } from '../store/metrics/usage-ledger.js';
import { createNamespaceContents } from '../store/namespaces/namespace-contents.js';
import { namespaceJobs, usageQueue } from './catalogue.js';
import { reconcileUsage } from './reconcile-usage.job.js';
import { recordUsage } from './record-usage.job.js';

/** Batches that come at the same time share a transaction. */
const CONCURRENCY = 16;

/**
 * Processes usage messages, empties the namespaces of deleted workspaces, adds the usage that was kept, and compares
 * metrics with what services hold, until the lifecycle stops.
 */
export async function startJobs(
  deps: WorkerDeps,
  { sweepEveryMs, ...options }: { queuePrefix?: string; sweepEveryMs?: number } = {},
): Promise<Jobs> {
  const { config, mongo, log, lifecycle } = deps;
  const ledger = createUsageLedger(mongo, log);
  const queues = { redisUrl: config.REDIS_URL, log, ...options };
  const workers = [
    await startWorker({
      ...queues,
      catalogue: usageQueue,
      handlers: { [usageBatch.name]: recordUsage(ledger) },
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
  const unknown = { name: 'usage_unknown_sums', help, read: () => ledger.countKept() };
  return { workers, gauges: [unknown, ...reconcileUsage({ ...deps, sweepEveryMs })] };
}
