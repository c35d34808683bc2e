import type { Filter } from '@dtplatform/mongo';

/** As long as a bucket of any granularity may span. */
const MAX_SPAN_MS = 30 * 86_400_000;
const NEGATIONS: Partial<Record<string, string>> = { $eq: '$ne', $gt: '$lte', $gte: '$lt', $in: '$nin' };

/**
 * Compares the time of readings. MongoDB looks for buckets by their ids, which begin with a time, and finds nothing if a lower
 * bound minus the span of a bucket is before 1970. It does not do so with the negation of the opposite.
 */
export function timeFilter(operator: string, value: Date | readonly Date[]): Filter {
  const isEarly = [value].flat().some((time) => time.getTime() < MAX_SPAN_MS);
  const negation = isEarly ? NEGATIONS[operator] : undefined;
  return { _ts: negation ? { $not: { [negation]: value } } : { [operator]: value } };
}
