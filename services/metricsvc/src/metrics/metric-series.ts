import { z } from 'zod';
import { METRIC_NAMES } from './metric-catalogue.js';
import { DAY_MS, HOUR_MS, hourOfMonth, monthOf, startOfMonth } from './period.js';
import type { Period } from './period.js';
import type { SeriesChanges, SeriesMonth } from './series.js';

const Point = z.object({
  timestamp: z.iso
    .datetime()
    .describe('The start of the hour or day; for the current value, the time of the call. ISO 8601 in UTC.'),
  value: z.number().describe('The value at the end of the hour or day, or now; sizes are in bytes.'),
});
export type Point = z.infer<typeof Point>;

/** A metric in responses (docs/contract.md, "Metrics"). */
export const MetricSeries = z
  .object({
    metricName: z.enum(METRIC_NAMES).describe('The name of the metric.'),
    dimensions: z.record(z.string(), z.string()).describe('The `namespace` and the dimensions given in the call.'),
    metrics: z
      .array(Point)
      .describe(
        'The points, earliest first; none if the caller has no permission in the namespace, or for a `version` without its owner.',
      ),
  })
  .meta({ id: 'MetricSeries', description: 'A metric, as one point now or as points over time.' });
export type MetricSeries = z.infer<typeof MetricSeries>;

/** All metrics of a namespace, now. */
export const MetricValues = z
  .object({
    namespace: z.string().describe('The namespace.'),
    timestamp: z.iso.datetime().describe('The time of the call. ISO 8601 in UTC.'),
    metrics: z
      .array(
        MetricSeries.pick({ metricName: true }).extend({
          value: Point.shape.value.describe('The current value; sizes are in bytes.'),
        }),
      )
      .describe('All metrics with their values; none if the caller has no permission in the namespace.'),
  })
  .meta({ id: 'MetricValues', description: 'What a namespace holds, in numbers.' });
export type MetricValues = z.infer<typeof MetricValues>;

/** The points of a period. A step without changes repeats the previous value. */
export function pointsOf(series: SeriesChanges | undefined, { fromMs, toMs, stepMs }: Period): Point[] {
  const points: Point[] = [];
  const sumOf = series && changesIn(series, stepMs);
  let value = series ? valueBefore(series, fromMs) : 0;
  let prefix = '';
  for (let atMs = fromMs; atMs < toMs; atMs += stepMs) {
    if (sumOf) value += sumOf(atMs);
    const hour = (atMs % DAY_MS) / HOUR_MS;
    if (hour === 0 || prefix === '') prefix = new Date(atMs).toISOString().slice(0, 11);
    points.push({ timestamp: prefix + HOUR_SUFFIXES[hour]!, value });
  }
  return points;
}

const HOUR_SUFFIXES = Array.from({ length: 24 }, (_, hour) => `${String(hour).padStart(2, '0')}:00:00.000Z`);

function valueBefore({ months, hours }: SeriesChanges, atMs: number): number {
  const month = monthOf(atMs);
  let value = 0;
  for (const [earlier, sum] of Object.entries(months)) if (earlier < month) value += sum;
  const untilHour = hourOfMonth(atMs, month);
  for (const [hour, sum] of Object.entries(hours.get(month) ?? {})) if (Number(hour) < untilHour) value += sum;
  return value;
}

/** Returns the sum of the changes in the step that starts at a given time. A step lies within one month. */
function changesIn({ hours }: SeriesChanges, stepMs: number): (atMs: number) => number {
  const hoursPerStep = stepMs / HOUR_MS;
  let month = '';
  let monthStartMs = 0;
  let monthEndMs = 0;
  let sums: SeriesMonth['hours'] | undefined;
  return (atMs) => {
    if (atMs >= monthEndMs) {
      month = monthOf(atMs);
      monthStartMs = startOfMonth(month);
      monthEndMs = startOfMonth(monthOf(monthStartMs + 32 * DAY_MS));
      sums = hours.get(month);
    }
    if (!sums) return 0;
    let sum = 0;
    const first = (atMs - monthStartMs) / HOUR_MS;
    for (let hour = first; hour < first + hoursPerStep; hour++) sum += sums[hour] ?? 0;
    return sum;
  };
}
