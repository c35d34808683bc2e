import { z } from 'zod';
import { errors } from '../errors.js';

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** A month in UTC, such as `2026-11`. Its hours share a document. */
export type Month = string;

export const monthOf = (atMs: number): Month => new Date(atMs).toISOString().slice(0, 7);
export const startOfMonth = (month: Month): number => Date.parse(`${month}-01T00:00:00Z`);
export const startOfHour = (atMs: number): number => atMs - (atMs % HOUR_MS);

/** The zero-based hour of the month. */
export const hourOfMonth = (atMs: number, month: Month): number => Math.floor((atMs - startOfMonth(month)) / HOUR_MS);

/** The months that a period touches. `toMs` is exclusive. */
export function monthsBetween(fromMs: number, toMs: number): Month[] {
  const months: Month[] = [];
  for (let month = monthOf(fromMs); startOfMonth(month) < toMs; month = nextMonth(month)) months.push(month);
  return months;
}

function nextMonth(month: Month): Month {
  const start = new Date(startOfMonth(month));
  return monthOf(start.setUTCMonth(start.getUTCMonth() + 1));
}

export const Granularity = z.enum(['hour', 'day']);
type Granularity = z.infer<typeof Granularity>;

/** Milliseconds since 1970, not negative. */
export interface PeriodRequest {
  fromMs?: number;
  toMs?: number;
  granularity?: Granularity;
}

/** Points are at `fromMs` and every `stepMs` after it, before `toMs`. */
export interface Period {
  fromMs: number;
  toMs: number;
  stepMs: number;
}

const STEP_MS: Record<Granularity, number> = { hour: HOUR_MS, day: DAY_MS };
const DEFAULT_DAYS = 7;
/** Enough for every hour of a leap year. */
const MAX_POINTS = 9000;

/**
 * All hours or days that the requested period touches, up to the current one. The end defaults to now, and the start to
 * seven days before the end.
 * @throws 400 if the period ends before it starts, or has more than 9000 points
 */
export function periodOf(request: PeriodRequest, nowMs: number): Period {
  const stepMs = STEP_MS[request.granularity ?? 'hour'];
  const askedToMs = request.toMs ?? nowMs + 1;
  const defaultFromMs = Math.max(Math.ceil(askedToMs / stepMs) * stepMs - DEFAULT_DAYS * DAY_MS, 0);
  const fromMs = request.fromMs === undefined ? defaultFromMs : floor(request.fromMs, stepMs);
  if (askedToMs < (request.fromMs ?? fromMs)) throw errors.periodBackwards();
  if ((askedToMs - fromMs) / stepMs > MAX_POINTS) {
    throw errors.periodTooLong({
      message: `The period has more than ${MAX_POINTS} points. Request a shorter one, or one point per day.`,
    });
  }
  // An empty period still touches one hour.
  return { fromMs, toMs: Math.min(Math.max(askedToMs, fromMs + 1), nowMs + 1), stepMs };
}

const floor = (atMs: number, stepMs: number) => Math.floor(atMs / stepMs) * stepMs;
