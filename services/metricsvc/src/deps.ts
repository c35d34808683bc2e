import { newId } from '@dtplatform/mongo';
import { createAccess, openBackends } from '@dtplatform/service';
import type { AccessSources, ProcessContext, ServiceDeps } from '@dtplatform/service';
import type { Config, WorkerConfig } from './config.js';
import { createMetrics } from './domain/metrics/metrics.js';
import type { Metrics } from './domain/metrics/metrics.js';
import type { UsageSource } from './domain/reconciliations/ports.js';
import { createReconciliations } from './domain/reconciliations/reconciliations.js';
import type { Reconciliations } from './domain/reconciliations/reconciliations.js';
import { createSeriesStore } from './store/metrics/series-store.js';
import { createReconciliationStore } from './store/reconciliations/reconciliation-store.js';
import { remoteRecounts } from './store/reconciliations/remote-recounts.js';
import { schema } from './store/schema.js';

/** Longer than a service takes for a recount, so that it answers what it cannot recount in time. */
const RECOUNT_TIMEOUT_MS = 20_000;

export interface Deps extends ServiceDeps {
  config: Config;
  metrics: Metrics;
  reconciliations: Reconciliations;
}

/** Constructs everything. */
export async function createDeps(config: Config, context: ProcessContext, ports: AccessSources = {}): Promise<Deps> {
  const backends = await openBackends({ name: 'metricsvc', schema }, config, context);
  const { authenticate, checks } = createAccess(backends, config, ports);
  const metrics = createMetrics({ seriesStore: createSeriesStore(backends.mongo) });
  const reconciliationStore = createReconciliationStore(backends.mongo);
  const reconciliations = createReconciliations({ reconciliationStore, newId });
  return { ...backends, checks: { ...backends.checks, ...checks }, authenticate, config, metrics, reconciliations };
}

/** Constructs what the worker needs: it has no callers. @param ports the services that report usage; tests give their own */
export async function createWorkerDeps(
  config: WorkerConfig,
  context: ProcessContext,
  ports: { sources?: UsageSource[] } = {},
) {
  const backends = await openBackends({ name: 'metricsvc-worker', schema }, config, context);
  const { FILESVC_URL, ITEMSVC_URL, PASSPORTSVC_URL } = config;
  const urls = { filesvc: FILESVC_URL, itemsvc: ITEMSVC_URL, passportsvc: PASSPORTSVC_URL };
  const clientOf = (url: string) => backends.serviceClient(url, { timeoutMs: RECOUNT_TIMEOUT_MS });
  const sources = ports.sources ?? Object.entries(urls).map(([service, url]) => remoteRecounts(service, clientOf(url)));
  const { mongodb, migrations } = backends.checks;
  return { ...context, config, mongo: backends.mongo, sources, checks: { mongodb: mongodb!, migrations } };
}
export type WorkerDeps = Awaited<ReturnType<typeof createWorkerDeps>>;
