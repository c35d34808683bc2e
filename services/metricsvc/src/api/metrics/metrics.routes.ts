import { route, routes } from '@dtplatform/http';
import type { Deps } from '../../deps.js';
import { getMetricSeries } from './get-metric-series.handler.js';
import { getMetric } from './get-metric.handler.js';
import { DimensionParams, MetricParams, MetricSeries, SeriesQuery, ValueQuery } from './metrics.schemas.js';

export const metricRoutes = (deps: Deps) => {
  const series = {
    summary: 'A metric over time, by hour or day.',
    query: SeriesQuery,
    replies: { 200: MetricSeries },
    handler: getMetricSeries(deps),
  };
  return routes('/metrics', [
    route.get('/:name/by-dimension;:dimensions', { operation: 'metrics.series', params: DimensionParams, ...series }),
    // The contract writes one metric with the dimensions directly after its name; it works for all.
    route.get('/:name/;:dimensions', { operation: 'metrics.series-after-slash', params: DimensionParams, ...series }),
    route.get('/:name;:dimensions', { operation: 'metrics.series-after-name', params: DimensionParams, ...series }),
    route.get('/:name/by-dimension', { operation: 'metrics.series-of-query', params: MetricParams, ...series }),
    route.get('/:name', {
      operation: 'metrics.value',
      summary: 'The value of a metric now.',
      params: MetricParams,
      query: ValueQuery,
      replies: { 200: MetricSeries },
      handler: getMetric(deps),
    }),
  ]);
};
