import { z } from 'zod';
import { Namespace } from '@dtplatform/contracts';
import { nsfilter } from '@dtplatform/http';
import { METRIC_NAMES } from '../../domain/metric-catalogue.js';

/** An id, a version's number or a `_userItemId`. */
const DimensionValue = z.string().min(1).max(256);

/** `z.iso` takes the Z and offsets; a time without a zone is UTC. */
const Iso8601 = z.union(
  [z.iso.datetime({ offset: true, local: true }), z.iso.datetime({ offset: true, precision: -1 }), z.iso.date()],
  'must be a time in ISO 8601',
);
const Time = Iso8601.transform((text) => Date.parse(/T[^Z+-]*$/.test(text) ? `${text}Z` : text)).refine(
  (ms) => ms >= 0,
  'must not be before 1970',
);

/** Where the dimensions follow the name at once, a part of them may be taken for a part of the name. */
const MetricName = z
  .string()
  .transform((text) => text.split(';', 1)[0])
  .pipe(z.enum(METRIC_NAMES));

export const MetricParams = z.object({ name: MetricName });
export type MetricParams = z.infer<typeof MetricParams>;
export const DimensionParams = MetricParams.extend({ dimensions: z.string() });

const dimensions = {
  file_id: DimensionValue.optional(),
  collection: DimensionValue.optional(),
  item: DimensionValue.optional(),
  version: DimensionValue.optional(),
};

const period = {
  'period.from': Time.optional(),
  'period.to': Time.optional(),
  'period.granularity': z.enum(['hour', 'day']).optional(),
};

const sameNamespace = (query: { namespace: string; nsfilter?: string | undefined }) =>
  query.nsfilter === undefined || query.nsfilter === query.namespace;
const DIFFERENT = { path: ['nsfilter'], message: 'must be the same as namespace, or absent' };

export const ValueQuery = z
  .object({ namespace: Namespace, nsfilter: nsfilter.optional(), ...dimensions })
  .refine(sameNamespace, DIFFERENT);
export type ValueQuery = z.infer<typeof ValueQuery>;

/** Dimensions and period, wherever in the URL they were. */
export const SeriesRequest = z
  .object({ namespace: Namespace, nsfilter: nsfilter.optional(), ...dimensions, ...period })
  .refine(sameNamespace, DIFFERENT);

/** The query of a series as such: dimensions may be in the path instead. Judged when both are joined. */
export const SeriesQuery = z.looseObject({
  namespace: z.string().optional(),
  nsfilter: nsfilter.optional(),
  ...dimensions,
  'period.from': z.string().optional().describe('ISO 8601; seven days before the end when it is left out'),
  'period.to': z.string().optional().describe('ISO 8601; now when it is left out'),
  'period.granularity': z.string().optional().describe('hour (default) or day'),
});
export type SeriesQuery = z.infer<typeof SeriesQuery>;

export const MetricSeries = z.object({
  metricName: z.enum(METRIC_NAMES),
  dimensions: z.record(z.string(), z.string()),
  metrics: z.array(z.object({ timestamp: z.iso.datetime(), value: z.number() })),
});
