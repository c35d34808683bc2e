import { z } from 'zod';
import { isoToMs, Namespace } from '@dtplatform/contracts';
import { nsfilter } from '@dtplatform/http';
import { Dimensions, METRIC_NAMES } from '../../domain/metrics/metric-catalogue.js';
import { Granularity } from '../../domain/metrics/period.js';

const Time = z
  .string()
  .transform(isoToMs)
  .pipe(z.number('must be a time in ISO 8601').min(0, 'must not be before 1970'));

/** If dimensions directly follow the name, Express may pass some of them as part of the name. */
const MetricName = z
  .string()
  .meta({ enum: METRIC_NAMES })
  .transform((text) => text.split(';', 1)[0])
  .refine((name) => (METRIC_NAMES as readonly unknown[]).includes(name), {
    message: 'There is no such metric.',
    params: { isNotFound: true },
  })
  .pipe(z.enum(METRIC_NAMES))
  .describe('The name of the metric.');

export const MetricParams = z.object({ name: MetricName });
export type MetricParams = z.infer<typeof MetricParams>;
export const DimensionParams = MetricParams.extend({
  // Parsed from the raw path, so the pattern is for the reference alone.
  dimensions: z
    .string()
    .meta({ pattern: '^[^;=]+=[^;]*(;[^;=]+=[^;]*)*$' })
    .describe(
      '`namespace`, and dimensions of the metric, as `name=value` joined by `;`, of which only the values are percent-encoded.',
    ),
});

const sameNamespace = (query: { namespace: string; nsfilter?: string | undefined }) =>
  query.nsfilter === undefined || query.nsfilter === query.namespace;
const DIFFERENT = { path: ['nsfilter'], message: 'must be the same as namespace, or absent' };

const fields = {
  namespace: Namespace.describe('The namespace to count in.'),
  nsfilter: nsfilter.optional().describe('Must be the same as `namespace` if it is sent.'),
  ...Dimensions.shape,
};
const Request = z.object(fields);
export const ValueQuery = Request.refine(sameNamespace, DIFFERENT);

/** Dimensions and period, from the path and the query together. */
export const SeriesRequest = Request.extend({
  'period.from': Time.optional(),
  'period.to': Time.optional(),
  'period.granularity': Granularity.optional(),
}).refine(sameNamespace, DIFFERENT);

/** The query alone. The dimensions may be in the path instead, so SeriesRequest validates both together. */
export const SeriesQuery = z.object({
  ...fields,
  namespace: z
    .string()
    .optional()
    .describe('The namespace to count in, unless it is among the dimensions of the path.'),
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
    .describe('Whether there is a point for each hour, which is the default, or for each day in UTC.'),
});
export type SeriesQuery = z.infer<typeof SeriesQuery>;

/** The query where no dimensions are in the path. */
export const WholeSeriesQuery = SeriesQuery.extend({ namespace: fields.namespace });
