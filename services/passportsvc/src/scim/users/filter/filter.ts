import type { AttributePath } from '../attributes.js';
import { comparable } from '../comparable.js';

export type Comparison = 'eq' | 'ne' | 'co' | 'sw' | 'ew' | 'gt' | 'ge' | 'lt' | 'le';

/** Dates in milliseconds, strings as `comparableText` returns them. */
export type Comparable = string | number | boolean;

/**
 * A SCIM filter with resolved attributes (RFC 7644, section 3.4.2.2). Inside `any`, paths are relative to the value.
 */
export type ScimFilter =
  | { op: 'and'; filters: ScimFilter[] }
  | { op: 'or'; filters: ScimFilter[] }
  | { op: 'not'; filter: ScimFilter }
  /** One value of a multi-valued attribute matches all of the filter. */
  | { op: 'any'; path: AttributePath; filter: ScimFilter }
  /** The attribute has a value. */
  | { op: 'pr'; path: AttributePath }
  | { op: Comparison; path: AttributePath; value: Comparable };

type Values = Record<string, unknown>;

export const TESTS: Record<Comparison, (actual: Comparable, expected: Comparable) => boolean> = {
  eq: (actual, expected) => actual === expected,
  ne: (actual, expected) => actual !== expected,
  co: (actual, expected) => String(actual).includes(String(expected)),
  sw: (actual, expected) => String(actual).startsWith(String(expected)),
  ew: (actual, expected) => String(actual).endsWith(String(expected)),
  gt: (actual, expected) => actual > expected,
  ge: (actual, expected) => actual >= expected,
  lt: (actual, expected) => actual < expected,
  le: (actual, expected) => actual <= expected,
};

/** Whether one value of a multi-valued attribute matches the filter of a value path. Values are never nested. */
export function matchesFilter(value: Values, filter: ScimFilter): boolean {
  if (filter.op === 'and') return filter.filters.every((one) => matchesFilter(value, one));
  if (filter.op === 'or') return filter.filters.some((one) => matchesFilter(value, one));
  if (filter.op === 'not') return !matchesFilter(value, filter.filter);
  if (filter.op === 'any') return false;
  const actual = actualOf(value, filter.path);
  if (filter.op === 'pr') return actual !== undefined;
  return actual === undefined ? filter.op === 'ne' : TESTS[filter.op](actual, filter.value);
}

const actualOf = (value: Values, [attribute]: AttributePath) =>
  comparable(attribute, value[attribute.name]) as Comparable | undefined;
