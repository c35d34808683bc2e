import { z } from 'zod';
import type { Projection } from '../query/projection.js';
import { isValue } from './reading.js';

const UNITS_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const MAX_EVERY_MS = 366 * UNITS_MS.d;

/** The length of a step, such as `15m`: a whole number and ms, s, m, h or d; at most 366 days. In milliseconds. */
export const Every = z.string().transform((text, context) => {
  const [, count, unit] = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text) ?? [];
  const everyMs = Number(count) * UNITS_MS[unit as keyof typeof UNITS_MS];
  if (everyMs > 0 && everyMs <= MAX_EVERY_MS) return everyMs;
  context.addIssue('must be a whole number and ms, s, m, h or d, such as 15m, up to 366d');
  return z.NEVER;
});

export const AggregateFunction = z.enum(['avg', 'min', 'max', 'last', 'count']);
export type AggregateFunction = z.infer<typeof AggregateFunction>;

/** Joins the readings of each telemetry item, step by step; steps start at multiples of their length since 1970. */
export interface DownSampling {
  everyMs: number;
  /** With one, a field has its value; with several, an object of their values. */
  functions: AggregateFunction[];
}

/** Whether a projection chooses values by their names: all that it can do where readings are joined. */
export const choosesValues = ({ kind, paths }: Projection): boolean =>
  (kind === 'without' || paths.length > 0) && paths.every((path) => isValue(path) && !path.includes('.'));
