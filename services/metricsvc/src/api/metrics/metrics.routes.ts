import { filtered, ok, route, routes } from '@dtplatform/http';
import type { Deps } from '../../deps.js';
import { MetricSeries } from '../../domain/metrics/metric-series.js';
import { getMetricSeries } from './get-metric-series.handler.js';
import { DimensionParams, MetricParams, SeriesQuery, ValueQuery } from './metrics.schemas.js';

export const metricRoutes = (deps: Deps) => {
  const series = {
    summary: 'A metric over time, by hour or day.',
    needs: filtered('READ', '*:*'),
    query: SeriesQuery,
    replies: { 200: MetricSeries },
    handler: getMetricSeries(deps),
  };
  return routes('/metrics', [
    route.get('/:name/by-dimension;:dimensions', { operation: 'metrics.series', params: DimensionParams, ...series }),
    // The contract shows one metric with the dimensions directly after its name. All metrics accept that.
    route.get('/:name/;:dimensions', {
      operation: 'metrics.series-after-slash',
      aliasOf: 'metrics.series',
      params: DimensionParams,
      ...series,
    }),
    route.get('/:name;:dimensions', {
      operation: 'metrics.series-after-name',
      aliasOf: 'metrics.series',
      params: DimensionParams,
      ...series,
    }),
    route.get('/:name/by-dimension', { operation: 'metrics.series-of-query', params: MetricParams, ...series }),
    route.get('/:name', {
      operation: 'metrics.value',
      summary: 'The current value of a metric.',
      needs: filtered('READ', '*:*'),
      params: MetricParams,
      query: ValueQuery,
      replies: { 200: MetricSeries },
      handler: async ({ params, query, access }) => {
        const { namespace, nsfilter: _nsfilter, ...dimensions } = query;
        return ok(await deps.metrics.value({ metric: params.name, namespace, dimensions }, access));
      },
    }),
  ]);
};
