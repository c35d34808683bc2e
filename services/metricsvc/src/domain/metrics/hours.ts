export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** A month in UTC, such as `2026-11`. The hours of a month are stored together. */
export type Month = string;

export const monthOf = (atMs: number): Month => new Date(atMs).toISOString().slice(0, 7);
export const startOfMonth = (month: Month): number => Date.parse(`${month}-01T00:00:00Z`);
export const startOfHour = (atMs: number): number => atMs - (atMs % HOUR_MS);

/** The number of an hour in its month, from 0. */
export const hourOfMonth = (atMs: number, month: Month): number => Math.floor((atMs - startOfMonth(month)) / HOUR_MS);

/** All months that a period touches. `toMs` is not part of the period. */
export function monthsBetween(fromMs: number, toMs: number): Month[] {
  const months: Month[] = [];
  for (let month = monthOf(fromMs); startOfMonth(month) < toMs; month = nextMonth(month)) months.push(month);
  return months;
}

function nextMonth(month: Month): Month {
  const start = new Date(startOfMonth(month));
  return monthOf(start.setUTCMonth(start.getUTCMonth() + 1));
}
