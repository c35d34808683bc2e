import { createLease, newId } from '@dtplatform/mongo';
import { createAccess, createServiceApp, defineService, openBackends } from '@dtplatform/runtime';
import type { AccessSources, ProcessContext } from '@dtplatform/runtime';
import type { Config, WorkerConfig } from './config.js';
import { createMetrics } from './metrics/metrics.js';
import { metrics, namespaceJobs } from './metrics/metrics.module.js';
import { createSeriesStore } from './metrics/series.store.js';
import { createUsageLedger } from './metrics/usage.store.js';
import { createNamespaceCheck } from './reconciliations/check-namespace.js';
import type { UsageSource } from './reconciliations/compare.js';
import { createCounterStore } from './reconciliations/counters.store.js';
import { createReconciliations } from './reconciliations/reconciliations.js';
import { reconciliations } from './reconciliations/reconciliations.module.js';
import { createReconciliationStore } from './reconciliations/reconciliations.store.js';
import { remoteRecounts } from './reconciliations/remote-recounts.client.js';
import { createReconciler } from './reconciliations/run-reconciliations.js';

export const service = defineService({
  name: 'metricsvc',
  title: 'Metrics',
  description: 'The usage of a namespace, now and over time.',
  documents: new URL('../', import.meta.url),
  resources: [metrics, reconciliations],
  namespaceJobs,
});

export type Deps = Awaited<ReturnType<typeof createDeps>>;

export async function createDeps(config: Config, context: ProcessContext, ports: AccessSources = {}) {
  const backends = await openBackends(service, config, context);
  const access = createAccess(backends, config, ports);
  const { mongo } = backends;
  return {
    ...backends,
    config,
    authenticate: access.authenticate,
    checks: { ...backends.checks, ...access.checks },
    metrics: createMetrics({ seriesStore: createSeriesStore(mongo) }),
    reconciliations: createReconciliations({ reconciliationStore: createReconciliationStore(mongo), newId }),
  };
}

export const createApp = (deps: Deps) => createServiceApp(service.createApi(deps), deps);

/** Longer than a service's own limit for a recount, so that its response arrives. */
const RECOUNT_TIMEOUT_MS = 20_000;

interface WorkerPorts {
  sources?: UsageSource[];
  sweepEveryMs?: number;
}

/** @param ports replaced by tests */
export async function createWorkerDeps(
  config: WorkerConfig,
  context: ProcessContext,
  { sources, sweepEveryMs }: WorkerPorts = {},
) {
  const backends = await openBackends({ ...service, name: 'metricsvc-worker' }, config, context);
  const { FILESVC_URL, ITEMSVC_URL, PASSPORTSVC_URL } = config;
  const urls = { filesvc: FILESVC_URL, itemsvc: ITEMSVC_URL, passportsvc: PASSPORTSVC_URL };
  const clientOf = (url: string) => backends.serviceClient(url, { timeoutMs: RECOUNT_TIMEOUT_MS });
  const { mongo, checks } = backends;
  const reconciliationStore = createReconciliationStore(mongo);
  const counters = createCounterStore(mongo);
  const isCorrecting = config.USAGE_RECONCILE === 'correct';
  const recounts = sources ?? Object.entries(urls).map(([name, url]) => remoteRecounts(name, clientOf(url)));
  return {
    ...context,
    config,
    mongo,
    checks: { mongodb: checks.mongodb!, migrations: checks.migrations },
    ledger: createUsageLedger(mongo, context.log),
    reconciliationStore,
    reconciler: createReconciler({
      ...{ reconciliationStore, counters, isCorrecting },
      check: createNamespaceCheck({ counters, sources: recounts, isCorrecting }),
      everyHours: config.USAGE_RECONCILE_HOURS,
      log: context.log,
    }),
    reconciliationLease: createLease(mongo, 'usage-reconciliation'),
    sweepEveryMs,
  };
}
