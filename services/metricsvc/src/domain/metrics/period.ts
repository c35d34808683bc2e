import { z } from 'zod';
import { errors } from '../../errors.js';
import { DAY_MS, HOUR_MS } from './hours.js';

export const Granularity = z.enum(['hour', 'day']);
type Granularity = z.infer<typeof Granularity>;

/** A period as requested. Times are milliseconds since 1970, not negative. */
export interface PeriodRequest {
  fromMs?: number;
  toMs?: number;
  granularity?: Granularity;
}

/** Where the points of a series lie: at `fromMs` and every `stepMs` after it, before `toMs`. */
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
 * Every hour (or day) that the requested period touches, up to the current one. The start defaults to seven days before
 * the end, and the end to now.
 * @throws 400 when the period ends before it starts, or has more than 9000 points
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
  // A period of length zero still touches one hour.
  return { fromMs, toMs: Math.min(Math.max(askedToMs, fromMs + 1), nowMs + 1), stepMs };
}

const floor = (atMs: number, stepMs: number) => Math.floor(atMs / stepMs) * stepMs;
