import { z } from 'zod';
import { nextCronTime } from './cron-times.js';
import { parseDuration } from './duration.js';

const MIN_INTERVAL_MS = 30_000;
const INTERVAL_FIELDS = [
  { unitMs: 3_600_000, min: 0, max: 24 },
  { unitMs: 60_000, min: 0, max: 59 },
  { unitMs: 1_000, min: 0, max: 59 },
];
const DEFAULT_TIME_ZONE = 'UTC';

const Interval = z
  .string()
  .max(32)
  .refine((text) => (parseInterval(text) ?? 0) >= MIN_INTERVAL_MS, {
    message:
      'must be hours (0 to 24), minutes (0 to 59) and seconds (0 to 59), in this order and separated by spaces, with * for none; together 30 seconds or more',
  });

/**
 * Five fields of numbers, `*`, lists, ranges and steps, with names of months and days: the library knows more, such as `L` and
 * `15W`, which is not part of the contract.
 */
const FIELD = '[0-9*,/-]';
const MONTH = `(?:${FIELD}|JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC)`;
const DAY = `(?:${FIELD}|SUN|MON|TUE|WED|THU|FRI|SAT)`;
const FIVE_FIELDS = new RegExp(`^(?:${FIELD}+ +){3}${MONTH}+ +${DAY}+$`, 'i');

const CronExpression = z
  .string()
  .max(128)
  .refine((text) => FIVE_FIELDS.test(text) && firesEver(text), {
    message:
      'must be a crontab expression of five fields (minute, hour, day of month, month, day of week) that occurs at some time',
  });

/** Only names: an offset such as `+02:00` knows no daylight saving time, and not every runtime accepts it. */
const TimeZone = z
  .string()
  .max(64)
  .refine((name) => /^[A-Za-z]/.test(name) && isTimeZone(name), {
    message: 'must be the name of a time zone, such as Europe/Berlin',
  });

/** When an orchestrator of class SCHEDULED runs: at an interval, or by a crontab expression in a time zone. */
export const OrchSchedule = z
  .object({
    runinterval: Interval.optional().describe(
      'Hours (0 to 24), minutes and seconds (0 to 59) between runs, separated by spaces, `*` for none; together 30 seconds or more.',
    ),
    cron: CronExpression.optional().describe(
      'A crontab expression of five fields, such as `30 2 * * MON-FRI`, instead of `runinterval`.',
    ),
    timezone: TimeZone.optional().describe(
      'The name of the time zone of `cron`, such as `Europe/Berlin`; `UTC` by default.',
    ),
  })
  .refine(({ runinterval, cron }) => (runinterval === undefined) !== (cron === undefined), {
    message: 'must have either runinterval or cron',
  })
  .refine(({ runinterval, timezone }) => runinterval === undefined || timezone === undefined, {
    path: ['timezone'],
    message: 'belongs to cron, not to runinterval',
  })
  .meta({ id: 'Schedule', description: 'When an orchestrator runs by itself: by either `runinterval` or `cron`.' });
export type OrchSchedule = z.infer<typeof OrchSchedule>;

/** The schedule as it is stored: with its time zone, if it has a crontab expression. */
export const completeSchedule = ({ runinterval, cron, timezone = DEFAULT_TIME_ZONE }: OrchSchedule): OrchSchedule =>
  cron === undefined ? { runinterval } : { cron, timezone };

/** Whether two complete schedules are the same. */
export const isSameSchedule = (one: OrchSchedule | undefined, other: OrchSchedule): boolean =>
  one?.runinterval === other.runinterval && one?.cron === other.cron && one?.timezone === other.timezone;

/**
 * When a schedule is due for the first time after `nowMs`. Times at an interval keep their distance from the last one, however
 * late that was noticed.
 * @param lastMs when it was due before
 * @returns milliseconds since 1970
 */
export function nextDueTime({ runinterval, cron, timezone }: OrchSchedule, nowMs: number, lastMs = nowMs): number {
  // What never occurs was refused when it was set.
  if (cron !== undefined) return nextCronTime(cron, timezone ?? DEFAULT_TIME_ZONE, nowMs)!;
  const intervalMs = parseInterval(runinterval ?? '')!;
  return lastMs + Math.max(1, Math.floor((nowMs - lastMs) / intervalMs) + 1) * intervalMs;
}

const parseInterval = (text: string) => parseDuration(text, INTERVAL_FIELDS);

function firesEver(cron: string): boolean {
  try {
    return nextCronTime(cron, DEFAULT_TIME_ZONE, Date.now()) !== undefined;
  } catch {
    return false;
  }
}

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
