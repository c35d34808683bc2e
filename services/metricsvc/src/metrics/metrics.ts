import type { Access } from '@dtplatform/permissions';
import { METRICS } from './metric-catalogue.js';
import type { Dimensions, MetricName } from './metric-catalogue.js';
import { pointsOf } from './metric-series.js';
import type { MetricSeries, Point } from './metric-series.js';
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

/** Undefined, as lists are empty, if the caller has no permission. */
async function visibleSeries(request: MetricRequest, access: Access): Promise<SeriesName | undefined> {
  const visible = await access.namespaces();
  if (visible !== 'all' && !visible.includes(request.namespace)) return undefined;
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
