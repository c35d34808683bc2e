import type { Access } from '@dtplatform/permissions';
import { METRIC_NAMES, METRICS } from './metric-catalogue.js';
import type { Dimensions, MetricName } from './metric-catalogue.js';
import { pointsOf } from './metric-series.js';
import type { MetricSeries, MetricValues, Point } from './metric-series.js';
import { monthsBetween, periodOf } from './period.js';
import type { PeriodRequest } from './period.js';
import { seriesNamed } from './series.js';
import type { SeriesName } from './series.js';
import type { SeriesStore } from './series.store.js';

interface MetricRequest {
  metric: MetricName;
  namespace: string;
  dimensions: Dimensions;
}

interface Deps {
  seriesStore: SeriesStore;
}

export function createMetrics({ seriesStore }: Deps) {
  return {
    /** The current value as one point; no points if the caller has no permission in the namespace. */
    async value(request: MetricRequest, access: Access): Promise<MetricSeries> {
      const series = await visibleSeries(request, access);
      if (!series) return answer(request, []);
      const value = (await seriesStore.value(series)) ?? 0;
      return answer(request, [{ timestamp: new Date().toISOString(), value }]);
    },
    /** The current values of all metrics of a namespace; none if the caller has no permission in it. */
    async values(namespace: string, access: Access): Promise<MetricValues> {
      const timestamp = new Date().toISOString();
      if (!(await isVisible(namespace, access))) return { namespace, timestamp, metrics: [] };
      const values = await seriesStore.values(namespace);
      const metrics = METRIC_NAMES.map((metricName) => ({ metricName, value: values.get(metricName) ?? 0 }));
      return { namespace, timestamp, metrics };
    },
    /** One point per hour or day of a period. @throws 400 if the period ends before it starts or is too long */
    async series(request: MetricRequest, asked: PeriodRequest, access: Access): Promise<MetricSeries> {
      const period = periodOf(asked, Date.now());
      const series = await visibleSeries(request, access);
      if (!series) return answer(request, []);
      const changes = await seriesStore.changes(series, monthsBetween(period.fromMs, period.toMs));
      return answer(request, pointsOf(changes, period));
    },
  };
}

export type Metrics = ReturnType<typeof createMetrics>;

async function isVisible(namespace: string, access: Access): Promise<boolean> {
  const visible = await access.namespaces();
  return visible === 'all' || visible.includes(namespace);
}

/** Undefined, as lists are empty, if the caller has no permission. */
async function visibleSeries(request: MetricRequest, access: Access): Promise<SeriesName | undefined> {
  if (!(await isVisible(request.namespace, access))) return undefined;
  return seriesNamed(request.namespace, request.metric, request.dimensions);
}

function answer({ metric, namespace, dimensions }: MetricRequest, metrics: Point[]): MetricSeries {
  const given = METRICS[metric].flatMap((name) => (dimensions[name] === undefined ? [] : [[name, dimensions[name]]]));
  return {
    metricName: metric,
    dimensions: { namespace, ...(Object.fromEntries(given) as Record<string, string>) },
    metrics,
  };
}
