import { usageBatch, workspaceDeleted } from '@dtplatform/contracts';
import { startSweep } from '@dtplatform/lease';
import type { Mongo } from '@dtplatform/mongo';
import { defineCatalogue } from '@dtplatform/queue';
import { jobsOf, resource } from '@dtplatform/runtime';
import type { ProcessContext } from '@dtplatform/runtime';
import type { Metrics } from './metrics.js';
import * as models from './metrics.model.js';
import { metricRoutes } from './metrics.routes.js';
import { createNamespaceContents } from './namespaces.store.js';
import { recordUsage } from './record-usage.job.js';
import type { UsageLedger } from './usage.store.js';

const usageQueue = defineCatalogue(usageBatch.queue, { [usageBatch.name]: usageBatch });
/** Sent by passportsvc. */
export const namespaceJobs = defineCatalogue('metricsvc.namespaces', { [workspaceDeleted.name]: workspaceDeleted });

/** Concurrent batches share a transaction. */
const CONCURRENCY = 16;

interface Worker extends ProcessContext {
  ledger: UsageLedger;
  mongo: Mongo;
  sweepEveryMs?: number | undefined;
}

export const metrics = resource({
  tags: { metrics: 'Counts and sizes of the contents of a namespace, as values and series.' },
  models: [
    models.seriesModel,
    models.seriesMonthModel,
    models.dimensionAliasModel,
    models.appliedMessageModel,
    models.unknownUsageModel,
    models.closedNamespaceModel,
  ],
  routes: (parts: { metrics: Metrics }) => [metricRoutes(parts)],
  jobs: ({ ledger }: Worker) => [
    jobsOf(usageQueue, { [usageBatch.name]: recordUsage(ledger) }, { concurrency: CONCURRENCY }),
  ],
  contents: ({ mongo }: Worker) => createNamespaceContents(mongo),
  sweeps({ ledger, log, lifecycle, sweepEveryMs: everyMs }: Worker) {
    // During an upgrade, an older worker may still set aside usage that this version supports.
    const sweep = startSweep({ what: 'kept usage', recover: () => ledger.addKept(), log, everyMs });
    lifecycle.onStop('sweep of kept usage', () => sweep.stop());
    const help = 'Hourly sums of metrics that this version does not support.';
    return [{ name: 'usage_unknown_sums', help, read: () => ledger.countKept() }];
  },
});
