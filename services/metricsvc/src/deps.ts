import { createAccess, openBackends } from '@dtplatform/service';
import type { AccessSources, ProcessContext, ServiceDeps } from '@dtplatform/service';
import type { Config } from './config.js';
import { createMetrics } from './domain/metrics/metrics.js';
import type { Metrics } from './domain/metrics/metrics.js';
import { createSeriesStore } from './store/metrics/series-store.js';
import { schema } from './store/schema.js';

export interface Deps extends ServiceDeps {
  config: Config;
  metrics: Metrics;
}

/** Constructs everything. */
export async function createDeps(config: Config, context: ProcessContext, ports: AccessSources = {}): Promise<Deps> {
  const backends = await openBackends({ name: 'metricsvc', schema }, config, context);
  const { authenticate, checks } = createAccess(backends, config, ports);
  const metrics = createMetrics({ seriesStore: createSeriesStore(backends.mongo) });
  return { ...backends, checks: { ...backends.checks, ...checks }, authenticate, config, metrics };
}
