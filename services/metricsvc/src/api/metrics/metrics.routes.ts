import { documents, ok, route, routes } from '@dtplatform/http';
import type { Deps } from '../../deps.js';
import { MetricSeries } from '../../domain/metrics/metric-series.js';
import { errors } from '../../errors.js';
import { getMetricSeries } from './get-metric-series.handler.js';
import { DimensionParams, MetricParams, SeriesQuery, ValueQuery, WholeSeriesQuery } from './metrics.schemas.js';

export const metricRoutes = (deps: Deps) => {
  const series = {
    summary: 'Read a metric over time, by hour or day.',
    description:
      'A series has at most 9000 points. An hour or day without changes repeats the value of the one before.',
    errors: [errors.periodBackwards, errors.periodTooLong],
    needs: documents({ rule: 'filter', action: 'READ', resource: '*:*' }),
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
    route.get('/:name/by-dimension', {
      ...series,
      operation: 'metrics.series-of-query',
      summary: 'Read a metric over time, by hour or day, with all dimensions in the query.',
      params: MetricParams,
      query: WholeSeriesQuery,
    }),
    route.get('/:name', {
      operation: 'metrics.value',
      summary: 'Read the current value of a metric, as one point.',
      needs: documents({ rule: 'filter', action: 'READ', resource: '*:*' }),
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
