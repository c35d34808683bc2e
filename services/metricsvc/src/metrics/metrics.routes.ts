import { z } from 'zod';
import { isoToMs, Namespace } from '@dtplatform/contracts';
import { documents, nsfilter, ok, parseNamed, route, routes } from '@dtplatform/http';
import type { Handler } from '@dtplatform/http';
import { errors } from '../errors.js';
import { matrixParameters } from './matrix-parameters.http.js';
import { Dimensions, METRIC_NAMES } from './metric-catalogue.js';
import { MetricSeries, MetricValues } from './metric-series.js';
import type { Metrics } from './metrics.js';
import { Granularity } from './period.js';

const Time = z
  .string()
  .transform(isoToMs)
  .pipe(z.number('must be a time in ISO 8601').min(0, 'must not be before 1970'));

/** Express may include dimensions that directly follow the name. */
const MetricName = z
  .string()
  .meta({ enum: METRIC_NAMES })
  .transform((text) => text.split(';', 1)[0])
  .refine((name) => (METRIC_NAMES as readonly unknown[]).includes(name), {
    message: 'The metric does not exist.',
    params: { isNotFound: true },
  })
  .pipe(z.enum(METRIC_NAMES))
  .describe('The name of the metric.');

const MetricParams = z.object({ name: MetricName });
type MetricParams = z.infer<typeof MetricParams>;
const DimensionParams = MetricParams.extend({
  // Parsed from the raw path; the pattern is for the API description.
  dimensions: z
    .string()
    .meta({ pattern: '^[^;=]+=[^;]*(;[^;=]+=[^;]*)*$' })
    .describe(
      '`namespace` and dimensions of the metric, as `name=value` pairs joined by `;`. Only the values are percent-encoded.',
    ),
});

const sameNamespace = (query: { namespace: string; nsfilter?: string | undefined }) =>
  query.nsfilter === undefined || query.nsfilter === query.namespace;
const DIFFERENT = { path: ['nsfilter'], message: 'must be the same as namespace, or absent' };

const fields = {
  namespace: Namespace.describe('The namespace to measure.'),
  nsfilter: nsfilter.optional().describe('Must equal `namespace` if sent.'),
  ...Dimensions.shape,
};
const Request = z.object(fields);
const ValueQuery = Request.refine(sameNamespace, DIFFERENT);

const ValuesQuery = Request.pick({ namespace: true, nsfilter: true }).refine(sameNamespace, DIFFERENT);

/** Dimensions and period, merged from path and query. */
const SeriesRequest = Request.extend({
  'period.from': Time.optional(),
  'period.to': Time.optional(),
  'period.granularity': Granularity.optional(),
}).refine(sameNamespace, DIFFERENT);

/** Query only: dimensions may also be in the path, so `SeriesRequest` validates both together. */
const SeriesQuery = z.object({
  ...fields,
  namespace: z.string().optional().describe('The namespace to measure; required unless the path contains it.'),
  'period.from': z
    .string()
    .optional()
    .describe(
      'The start of the period in ISO 8601, in UTC unless it has an offset; seven days before its end by default.',
    ),
  'period.to': z
    .string()
    .optional()
    .describe('The end of the period in ISO 8601, in UTC unless it has an offset; now by default.'),
  'period.granularity': z
    .string()
    .meta({ enum: Granularity.options })
    .optional()
    .describe('The resolution: one point per hour (the default) or per day in UTC.'),
});
type SeriesQuery = z.infer<typeof SeriesQuery>;

/** For paths without dimensions. */
const WholeSeriesQuery = SeriesQuery.extend({ namespace: fields.namespace });

interface Parts {
  metrics: Metrics;
}

/** GET /metrics/{name}/by-dimension;{dimensions}?{period}: one point per hour or day (docs/contract.md, "Metrics"). */
const getMetricSeries =
  ({ metrics }: Parts): Handler<{ params: MetricParams; query: SeriesQuery }> =>
  async ({ params, query, access, req, res }) => {
    const {
      namespace,
      nsfilter: _nsfilter,
      'period.from': fromMs,
      'period.to': toMs,
      'period.granularity': granularity,
      ...dimensions
    } = parseNamed({ res }, SeriesRequest, { ...query, ...matrixParameters(req.url ?? '') }, 'query');
    const period = { fromMs, toMs, granularity };
    return ok(await metrics.series({ metric: params.name, namespace, dimensions }, period, access));
  };

export const metricRoutes = (parts: Parts) => {
  const series = {
    summary: 'Read a metric over time, by hour or day.',
    description: 'A series has at most 9000 points. An hour or day without changes repeats the previous value.',
    errors: [errors.periodBackwards, errors.periodTooLong],
    needs: documents({ rule: 'filter', action: 'READ', resource: '*:*' }),
    query: SeriesQuery,
    responses: { 200: MetricSeries },
    handler: getMetricSeries(parts),
  };
  return routes('/metrics', [
    route.get('/', {
      operation: 'metrics.list',
      summary: 'Read what a namespace holds, in numbers: the current value of each metric.',
      needs: documents({ rule: 'filter', action: 'READ', resource: '*:*' }),
      query: ValuesQuery,
      responses: { 200: MetricValues },
      handler: async ({ query, access }) => ok(await parts.metrics.values(query.namespace, access)),
    }),
    route.get('/:name/by-dimension;:dimensions', { operation: 'metrics.series', params: DimensionParams, ...series }),
    // The contract has the dimensions directly after the name for one metric; this accepts them for all.
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
      responses: { 200: MetricSeries },
      handler: async ({ params, query, access }) => {
        const { namespace, nsfilter: _nsfilter, ...dimensions } = query;
        return ok(await parts.metrics.value({ metric: params.name, namespace, dimensions }, access));
      },
    }),
  ]);
};
