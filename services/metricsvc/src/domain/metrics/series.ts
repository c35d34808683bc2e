import { z } from 'zod';
import type { Month } from './hours.js';

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
