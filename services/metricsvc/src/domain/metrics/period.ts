import { errors } from '../errors.js';
import { DAY_MS, HOUR_MS } from './hours.js';

type Granularity = 'hour' | 'day';

/** What was asked for, in milliseconds since 1970, never before. */
export interface PeriodRequest {
  fromMs?: number;
  toMs?: number;
  granularity?: Granularity;
}

/** The points of a series: from the first one's start, one each step, before `toMs`. */
export interface Period {
  fromMs: number;
  toMs: number;
  stepMs: number;
}

const STEP_MS: Record<Granularity, number> = { hour: HOUR_MS, day: DAY_MS };
const DEFAULT_DAYS = 7;
/** Every hour of a leap year, and some. */
const MAX_POINTS = 9000;

/**
 * The period of a series: each hour (or day) that it touches, up to the current one. Without a start it is seven days
 * long, without an end it ends now.
 * @throws 400 when the end lies before the start, or when it has more than 9000 points
 */
export function periodOf(request: PeriodRequest, nowMs: number): Period {
  const stepMs = STEP_MS[request.granularity ?? 'hour'];
  const askedToMs = request.toMs ?? nowMs + 1;
  const defaultFromMs = Math.max(Math.ceil(askedToMs / stepMs) * stepMs - DEFAULT_DAYS * DAY_MS, 0);
  const fromMs = request.fromMs === undefined ? defaultFromMs : floor(request.fromMs, stepMs);
  if (askedToMs < (request.fromMs ?? fromMs)) throw errors.periodBackwards();
  if ((askedToMs - fromMs) / stepMs > MAX_POINTS) throw errors.periodTooLong();
  // A period within one moment still touches an hour.
  return { fromMs, toMs: Math.min(Math.max(askedToMs, fromMs + 1), nowMs + 1), stepMs };
}

const floor = (atMs: number, stepMs: number) => Math.floor(atMs / stepMs) * stepMs;
