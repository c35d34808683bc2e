import { z } from 'zod';
import { METRICS } from './metric-catalogue.js';
import type { Dimensions, MetricName } from './metric-catalogue.js';
import type { Month } from './period.js';

const Sums = z.record(z.string(), z.number());

/** `_id` is `<namespace>/<metric>/<value>…`, which keeps the series of a namespace adjacent. */
export const Series = z.object({
  _id: z.string(),
  /** The current value: the sum of all months. */
  value: z.number(),
  /** Changes by month, such as `2026-11`. */
  months: Sums,
  /** Number of writes. */
  writes: z.number(),
});
export type Series = z.infer<typeof Series>;

/** The changes of a series in one month. `_id` is that of the series and the month: `…/2026-11`. */
export const SeriesMonth = z.object({
  _id: z.string(),
  /** Changes by zero-based hour of the month; hours without changes are absent. */
  hours: Sums,
});
export type SeriesMonth = z.infer<typeof SeriesMonth>;

/** The data for the points of a period: all months of a series, and the hours of the months in the period. */
export type SeriesChanges = Pick<Series, 'months'> & { hours: Map<Month, SeriesMonth['hours']> };

/** A metric in a namespace, narrowed by values of its first dimensions. */
export interface SeriesName {
  namespace: string;
  metric: MetricName;
  values: string[];
}

/** Keeps the series of a namespace, and of each owner in it, adjacent. */
export const seriesKey = ({ namespace, metric, values }: SeriesName): string => keyOf([namespace, metric, ...values]);

/** Parts are encoded because they may contain a slash. */
export const keyOf = (parts: string[]): string => parts.map(encodeURIComponent).join('/');

export function seriesOf(key: string): SeriesName {
  const [namespace = '', metric, ...values] = key.split('/').map(decodeURIComponent);
  return { namespace, metric: metric as MetricName, values };
}

/**
 * The series that the dimensions select. Undefined if a dimension lacks a preceding one, such as a version without its
 * file (docs/contract.md, "Metrics"). Ignores dimensions that the metric does not have.
 */
export function seriesNamed(namespace: string, metric: MetricName, given: Dimensions): SeriesName | undefined {
  const owner = given.file_id ?? given.collection ?? given.item;
  if (given.version !== undefined && owner === undefined) return undefined;
  const values = leadingValues(metric, given);
  const isNarrowedBelow = METRICS[metric].slice(values.length).some((dimension) => given[dimension] !== undefined);
  return isNarrowedBelow ? undefined : { namespace, metric, values };
}

/** All series that a change counts in: that of the namespace, and one for each dimension. */
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

/** An alias of a dimension's value. `_id` is `<namespace>/<dimension>/<value>…` and ends with the alias. */
export const DimensionAlias = z.object({ _id: z.string(), value: z.string() });
export type DimensionAlias = z.infer<typeof DimensionAlias>;
