import type { Express } from 'express';
import { createServiceApp } from '@dtplatform/service';
import type { ServiceApi } from '@dtplatform/service';
import { metricRoutes } from './api/metrics/metrics.routes.js';
import { reconciliationRoutes } from './api/reconciliations/reconciliations.routes.js';
import type { Deps } from './deps.js';

export const createApi = (deps: Deps): ServiceApi => ({
  title: 'Metrics',
  description: 'Usage of a namespace, now and over time.',
  tags: {
    metrics: 'Counts and sizes of what a namespace holds, as values and as series.',
    reconciliations: 'Comparisons of metrics with what services hold, for operators of the platform.',
  },
  documents: new URL('../', import.meta.url),
  mounts: [{ prefix: '/metricsvc/api/v1', tables: [metricRoutes(deps), reconciliationRoutes(deps)] }],
});

export const createApp = (deps: Deps): Express => createServiceApp(createApi(deps), deps);
