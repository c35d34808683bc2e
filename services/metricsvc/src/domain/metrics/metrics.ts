import type { Access } from '@dtplatform/permissions';
import { monthsBetween } from './hours.js';
import { METRICS } from './metric-catalogue.js';
import type { Dimensions, MetricName } from './metric-catalogue.js';
import { pointsOf } from './metric-series.js';
import type { MetricSeries, Point } from './metric-series.js';
import { periodOf } from './period.js';
import type { PeriodRequest } from './period.js';
import type { SeriesStore } from './ports.js';
import { seriesNamed } from './series-name.js';
import type { SeriesName } from './series-name.js';

interface MetricRequest {
  metric: MetricName;
  namespace: string;
  dimensions: Dimensions;
}

interface Deps {
  seriesStore: SeriesStore;
}

export interface Metrics {
  /** The current value as one point. No points if the caller holds no permission in the namespace. */
  value(request: MetricRequest, access: Access): Promise<MetricSeries>;
  /** One point for each hour or day of a period. @throws 400 when the period ends before it starts or is too long */
  series(request: MetricRequest, period: PeriodRequest, access: Access): Promise<MetricSeries>;
}

export function createMetrics({ seriesStore }: Deps): Metrics {
  return {
    async value(request, access) {
      const series = await visibleSeries(request, access);
      if (!series) return answer(request, []);
      const value = (await seriesStore.value(series)) ?? 0;
      return answer(request, [{ timestamp: new Date().toISOString(), value }]);
    },
    async series(request, asked, access) {
      const period = periodOf(asked, Date.now());
      const series = await visibleSeries(request, access);
      if (!series) return answer(request, []);
      const changes = await seriesStore.changes(series, monthsBetween(period.fromMs, period.toMs));
      return answer(request, pointsOf(changes, period));
    },
  };
}

/** As in lists, what the caller may not see is empty rather than refused. */
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
