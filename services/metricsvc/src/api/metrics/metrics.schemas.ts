import { z } from 'zod';
import { Namespace } from '@dtplatform/contracts';
import { nsfilter } from '@dtplatform/http';
import { Dimensions, METRIC_NAMES } from '../../domain/metrics/metric-catalogue.js';
import { Granularity } from '../../domain/metrics/period.js';

/** A time without a time zone is UTC. */
const Iso8601 = z.union(
  [z.iso.datetime({ offset: true, local: true }), z.iso.datetime({ offset: true, precision: -1 }), z.iso.date()],
  'must be a time in ISO 8601',
);
const Time = Iso8601.transform((text) => Date.parse(/T[^Z+-]*$/.test(text) ? `${text}Z` : text)).refine(
  (ms) => ms >= 0,
  'must not be before 1970',
);

/** If dimensions directly follow the name, Express may pass some of them as part of the name. */
const MetricName = z
  .string()
  .transform((text) => text.split(';', 1)[0])
  .pipe(z.enum(METRIC_NAMES));

export const MetricParams = z.object({ name: MetricName });
export type MetricParams = z.infer<typeof MetricParams>;
export const DimensionParams = MetricParams.extend({ dimensions: z.string() });

const sameNamespace = (query: { namespace: string; nsfilter?: string | undefined }) =>
  query.nsfilter === undefined || query.nsfilter === query.namespace;
const DIFFERENT = { path: ['nsfilter'], message: 'must be the same as namespace, or absent' };

const Request = z.object({ namespace: Namespace, nsfilter: nsfilter.optional(), ...Dimensions.shape });
export const ValueQuery = Request.refine(sameNamespace, DIFFERENT);

/** Dimensions and period, from the path and the query together. */
export const SeriesRequest = Request.extend({
  'period.from': Time.optional(),
  'period.to': Time.optional(),
  'period.granularity': Granularity.optional(),
}).refine(sameNamespace, DIFFERENT);

/** The query alone. The dimensions may be in the path instead, so SeriesRequest validates both together. */
export const SeriesQuery = z.looseObject({
  namespace: z.string().optional(),
  nsfilter: nsfilter.optional(),
  ...Dimensions.shape,
  'period.from': z.string().optional().describe('ISO 8601. Default: seven days before the end'),
  'period.to': z.string().optional().describe('ISO 8601. Default: now'),
  'period.granularity': z.string().optional().describe('hour (default) or day'),
});
export type SeriesQuery = z.infer<typeof SeriesQuery>;
