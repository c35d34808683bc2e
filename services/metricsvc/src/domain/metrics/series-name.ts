import { METRICS } from './metric-catalogue.js';
import type { Dimension, MetricName } from './metric-catalogue.js';

export type Dimensions = Partial<Record<Dimension, string>>;

/** One series: a metric in a namespace, narrowed by the values of the first of its dimensions. */
export interface SeriesName {
  namespace: string;
  metric: MetricName;
  values: string[];
}

/**
 * The series that dimensions name, or undefined when there is none: a version is one of a file, a collection or an item
 * and means nothing without it (contract: Metrics). Dimensions that the metric does not have are left out.
 */
export function seriesNamed(namespace: string, metric: MetricName, given: Dimensions): SeriesName | undefined {
  const owner = given.file_id ?? given.collection ?? given.item;
  if (given.version !== undefined && owner === undefined) return undefined;
  const values = leadingValues(metric, given);
  const isNarrowedBelow = METRICS[metric].slice(values.length).some((dimension) => given[dimension] !== undefined);
  return isNarrowedBelow ? undefined : { namespace, metric, values };
}

/** All series that a change belongs to: the whole namespace's, then one for each further dimension that it names. */
export function seriesOfChange(namespace: string, metric: MetricName, dimensions: Dimensions): SeriesName[] {
  const values = leadingValues(metric, dimensions);
  const depths = Array.from({ length: values.length + 1 }, (_, depth) => depth);
  return depths.map((depth) => ({ namespace, metric, values: values.slice(0, depth) }));
}

/** The values of the metric's dimensions up to the first that is missing. */
function leadingValues(metric: MetricName, given: Dimensions): string[] {
  const values: string[] = [];
  for (const dimension of METRICS[metric]) {
    const value = given[dimension];
    if (value === undefined) break;
    values.push(value);
  }
  return values;
}
