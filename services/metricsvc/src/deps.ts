import { createFoundation } from '@dtplatform/service';
import type { Foundation, Ports, ProcessContext } from '@dtplatform/service';
import type { Config } from './config.js';
import { createMetrics } from './domain/metrics/metrics.js';
import type { Metrics } from './domain/metrics/metrics.js';
import { createSeriesStore } from './store/metrics/series-store.js';
import { schema } from './store/schema.js';

export interface Deps extends Foundation {
  config: Config;
  metrics: Metrics;
}

/** Constructs everything. */
export async function createDeps(config: Config, context: ProcessContext, ports: Ports = {}): Promise<Deps> {
  const foundation = await createFoundation({ name: 'metricsvc', schema }, config, context, ports);
  return { ...foundation, config, metrics: createMetrics({ seriesStore: createSeriesStore(foundation.mongo) }) };
}
