import { z } from 'zod';
import { METRICS } from './metric-catalogue.js';
import type { Dimensions, MetricName } from './metric-catalogue.js';
import type { Month } from './period.js';

const Sums = z.record(z.string(), z.number());

/** A stored series. `_id` is `<namespace>/<metric>/<value>…`, which keeps the series of a namespace together. */
export const Series = z.object({
  _id: z.string(),
  /** The current value: the sum of all months. */
  value: z.number(),
  /** Sums of the changes by month, such as `2026-11`. */
  months: Sums,
  /** How often it was written. */
  writes: z.number(),
});
export type Series = z.infer<typeof Series>;

/** The stored changes of one series in one month. `_id` is that of the series and the month: `…/2026-11`. */
export const SeriesMonth = z.object({
  _id: z.string(),
  /** Sums of the changes by hour of the month, from 0. Hours without changes are missing. */
  hours: Sums,
});
export type SeriesMonth = z.infer<typeof SeriesMonth>;

/** What the points of a period are computed from: all months of a series, and the hours of the months in the period. */
export type SeriesChanges = Pick<Series, 'months'> & { hours: Map<Month, SeriesMonth['hours']> };

/** Identifies a series: a metric in a namespace, narrowed by values of its first dimensions. */
export interface SeriesName {
  namespace: string;
  metric: MetricName;
  values: string[];
}

/** The key under which a series is stored: those of a namespace, and of an owner in it, follow each other. */
export const seriesKey = ({ namespace, metric, values }: SeriesName): string => keyOf([namespace, metric, ...values]);

/** Parts are encoded, because they may contain a slash. */
export const keyOf = (parts: string[]): string => parts.map(encodeURIComponent).join('/');

/** The series of a key. */
export function seriesOf(key: string): SeriesName {
  const [namespace = '', metric, ...values] = key.split('/').map(decodeURIComponent);
  return { namespace, metric: metric as MetricName, values };
}

/**
 * The series that the dimensions select. Undefined if there is none, because a version means nothing without its file,
 * collection or item (docs/contract.md, "Metrics"). Dimensions that the metric does not have are ignored.
 */
export function seriesNamed(namespace: string, metric: MetricName, given: Dimensions): SeriesName | undefined {
  const owner = given.file_id ?? given.collection ?? given.item;
  if (given.version !== undefined && owner === undefined) return undefined;
  const values = leadingValues(metric, given);
  const isNarrowedBelow = METRICS[metric].slice(values.length).some((dimension) => given[dimension] !== undefined);
  return isNarrowedBelow ? undefined : { namespace, metric, values };
}

/** All series that a change counts in: that of the namespace, then one for each further dimension of the change. */
export function seriesOfChange(namespace: string, metric: MetricName, dimensions: Dimensions): SeriesName[] {
  const values = leadingValues(metric, dimensions);
  return [...values.keys(), values.length].map((depth) => ({ namespace, metric, values: values.slice(0, depth) }));
}

/** The values of the metric's dimensions, up to the first missing one. */
function leadingValues(metric: MetricName, given: Dimensions): string[] {
  const values: string[] = [];
  for (const dimension of METRICS[metric]) {
    const value = given[dimension];
    if (value === undefined) break;
    values.push(value);
  }
  return values;
}

/** A stored second name of a dimension's value. `_id` is `<namespace>/<dimension>/<value>…` and ends with that name. */
export const DimensionAlias = z.object({ _id: z.string(), value: z.string() });
export type DimensionAlias = z.infer<typeof DimensionAlias>;
