import { DAY_MS, HOUR_MS, hourOfMonth, monthOf, startOfMonth } from './hours.js';
import type { Month } from './hours.js';
import type { Period } from './period.js';

/** What is kept of a series. */
export interface StoredSeries {
  /** Sum of the changes of each month. */
  months: Record<Month, number>;
  /** Sums of the changes by hour of the month, for the months of the period. Hours without a change are missing. */
  hours: Map<Month, Record<number, number>>;
}

export interface Point {
  /** Start of the hour or day, ISO 8601 in UTC. */
  timestamp: string;
  /** The value at the end of it. */
  value: number;
}

/** The points of a period: each holds the value at its end, where nothing changed the value before. */
export function pointsOf(series: StoredSeries | undefined, { fromMs, toMs, stepMs }: Period): Point[] {
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

function valueBefore({ months, hours }: StoredSeries, atMs: number): number {
  const month = monthOf(atMs);
  let value = 0;
  for (const [earlier, sum] of Object.entries(months)) if (earlier < month) value += sum;
  const untilHour = hourOfMonth(atMs, month);
  for (const [hour, sum] of Object.entries(hours.get(month) ?? {})) if (Number(hour) < untilHour) value += sum;
  return value;
}

/** Gives the sum of the changes in the step that begins at a time. A step lies within one month. */
function changesIn({ hours }: StoredSeries, stepMs: number): (atMs: number) => number {
  const hoursPerStep = stepMs / HOUR_MS;
  let month = '';
  let monthStartMs = 0;
  let monthEndMs = 0;
  let sums: Record<number, number> | undefined;
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
