import { Cron, CronPattern } from 'croner';
import { z } from 'zod';
import { parseDuration } from './duration.js';

const MINUTE_MS = 60_000;
/** Larger than any offset from UTC. An offset changes at most once within two days. */
const DAY_MS = 24 * 60 * MINUTE_MS;

/** A local time, as the milliseconds of the same date and time in UTC. */
type LocalMs = number;
type OffsetAt = (timeMs: number) => number;

/**
 * The next due time of a five-field crontab expression after `afterMs`. A local time that a clock change skips is due
 * at the change, unless the expression matches every hour; one that occurs twice is due the first time, unless it
 * matches every hour or every minute. (cron-parser skips days on which the clock skips midnight.)
 * @returns milliseconds since 1970; undefined if there is none
 * @throws Error for a malformed expression or time zone
 */
function nextCronTime(cron: string, timezone: string, afterMs: number): number | undefined {
  const times = timesOf(cron, offsetsOf(timezone));
  let next: number | undefined;
  for (const dueTimes of times(afterMs)) {
    // Ordered by their first due times.
    if (next !== undefined && dueTimes[0]! >= next) break;
    const time = dueTimes.find((each) => each > afterMs);
    if (time !== undefined && (next === undefined || time < next)) next = time;
  }
  return next;
}

/** The due times of each local time of an expression after a given time. */
function timesOf(cron: string, offsetAt: OffsetAt) {
  // UTC neither skips nor repeats local times.
  const localTimes = new Cron(cron, { timezone: 'UTC', mode: '5-part', paused: true });
  const { minute, hour } = new CronPattern(cron, undefined, { mode: '5-part' });
  const isEveryHour = hour.every(Boolean);
  const isEachCounted = isEveryHour || minute.every(Boolean);

  return function* (afterMs: number): Generator<number[]> {
    const offset = offsetAt(afterMs);
    const putBackMs = Math.max(0, offset - offsetAt(afterMs + DAY_MS));
    let local = localTimes.nextRun(new Date(afterMs + offset - putBackMs));
    for (; local; local = localTimes.nextRun(local)) {
      const occurrences = occurrencesOf(local.getTime(), offsetAt);
      if (occurrences.length > 0) yield isEachCounted ? occurrences : occurrences.slice(0, 1);
      else if (!isEveryHour) yield [endOfGap(local.getTime(), offsetAt)];
    }
  };
}

/** When a local time occurs: once, twice, or never if a clock change skips it. */
function occurrencesOf(local: LocalMs, offsetAt: OffsetAt): number[] {
  const offsets = new Set([offsetAt(local - DAY_MS), offsetAt(local + DAY_MS)]);
  const times = [...offsets].filter((offset) => offsetAt(local - offset) === offset).map((offset) => local - offset);
  return times.sort((one, other) => one - other);
}

/** When the clock change skipped a local time. */
function endOfGap(local: LocalMs, offsetAt: OffsetAt): number {
  let [before, after] = [local - DAY_MS, local + DAY_MS];
  const offset = offsetAt(before);
  while (after - before > MINUTE_MS) {
    const middle = before + Math.floor((after - before) / 2 / MINUTE_MS) * MINUTE_MS;
    if (offsetAt(middle) === offset) before = middle;
    else after = middle;
  }
  return after;
}

/** A time zone's offset from UTC at a given time, in milliseconds. */
function offsetsOf(timeZone: string): OffsetAt {
  const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  return (timeMs) => {
    const name = format.formatToParts(timeMs).find(({ type }) => type === 'timeZoneName')!.value;
    const [, sign, hours, minutes] = /([+-])(\d\d):(\d\d)/.exec(name) ?? [];
    const offset = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * MINUTE_MS;
    return sign === '-' ? -offset : offset;
  };
}

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
 * Five fields of numbers, `*`, lists, ranges and steps, with names of months and days. The library accepts more, such
 * as `L` and `15W`, which the contract does not include.
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
      'must be a crontab expression of five fields (minute, hour, day of month, month, day of week) that occurs at least once',
  });

/** Names only: an offset such as `+02:00` has no daylight saving time, and some runtimes reject it. */
const TimeZone = z
  .string()
  .max(64)
  .refine((name) => /^[A-Za-z]/.test(name) && isTimeZone(name), {
    message: 'must be the name of a time zone, such as Europe/Berlin',
  });

/** The library finds no times after the year 3000. */
const MAX_TIME_MS = Date.UTC(2100, 0);
export const isBefore2100 = (timeMs: number): boolean => timeMs < MAX_TIME_MS;

const PausedUntil = z.iso
  .datetime({ offset: true })
  .max(40)
  .refine((time) => isBefore2100(Date.parse(time)), 'must be before the year 2100');

/** When an orchestrator of class SCHEDULED runs: at an interval, or by a crontab expression in a time zone. */
export const OrchSchedule = z
  .object({
    runinterval: Interval.optional().describe(
      'Hours (0 to 24), minutes and seconds (0 to 59) between runs, separated by spaces, `*` for none; together 30 seconds or more.',
    ),
    cron: CronExpression.optional().describe(
      'A crontab expression of five fields, such as `30 2 * * MON-FRI`, instead of `runinterval`.',
    ),
    timezone: TimeZone.optional().describe('The time zone of `cron`, such as `Europe/Berlin`; `UTC` by default.'),
    paused_until: PausedUntil.optional().describe(
      'No run is due before this time, in ISO 8601. The times in between are not made up for.',
    ),
  })
  .refine(({ runinterval, cron }) => (runinterval === undefined) !== (cron === undefined), {
    message: 'must have either runinterval or cron',
  })
  .refine(({ runinterval, timezone }) => runinterval === undefined || timezone === undefined, {
    path: ['timezone'],
    message: 'belongs to cron, not to runinterval',
  })
  .meta({ id: 'Schedule', description: 'A schedule: either `runinterval` or `cron`.' });
export type OrchSchedule = z.infer<typeof OrchSchedule>;

/** The stored form of a schedule: a crontab expression has a time zone, and a pause ends at a time in UTC. */
export function completeSchedule(schedule: OrchSchedule): OrchSchedule {
  const { runinterval, cron, timezone = DEFAULT_TIME_ZONE, paused_until: until } = schedule;
  const rule = cron === undefined ? { runinterval } : { cron, timezone };
  return until === undefined ? rule : { ...rule, paused_until: new Date(until).toISOString() };
}

/** Compares complete schedules. */
export const isSameSchedule = (one: OrchSchedule | undefined, other: OrchSchedule): boolean =>
  one?.runinterval === other.runinterval &&
  one?.cron === other.cron &&
  one?.timezone === other.timezone &&
  one?.paused_until === other.paused_until;

const pauseEnd = ({ paused_until: until }: OrchSchedule): number => (until === undefined ? 0 : Date.parse(until));

/** Whether the second of two complete schedules is the first one with a pause, or with a longer one. */
export const isLongerPause = (one: OrchSchedule | undefined, other: OrchSchedule): boolean =>
  one !== undefined &&
  isSameSchedule({ ...one, paused_until: other.paused_until }, other) &&
  pauseEnd(other) > pauseEnd(one);

/**
 * The first due time of a schedule after `nowMs` and its pause. Intervals keep their phase, however late a due time was
 * noticed.
 * @param lastMs the previous due time
 * @returns milliseconds since 1970
 */
export function nextDueTime(schedule: OrchSchedule, nowMs: number, lastMs = nowMs): number {
  const { runinterval, cron, timezone } = schedule;
  // A time at which the pause ends is due.
  const afterMs = Math.max(nowMs, pauseEnd(schedule) - 1);
  // Expressions that never match are rejected when they are set.
  if (cron !== undefined) return nextCronTime(cron, timezone ?? DEFAULT_TIME_ZONE, afterMs)!;
  const intervalMs = parseInterval(runinterval ?? '')!;
  return lastMs + Math.max(1, Math.floor((afterMs - lastMs) / intervalMs) + 1) * intervalMs;
}

/** The due times after `afterMs`, at which an interval starts. @returns up to `count`, in milliseconds since 1970 */
export function nextDueTimes(schedule: OrchSchedule, afterMs: number, count: number): number[] {
  const times: number[] = [];
  for (let last = afterMs; times.length < count; times.push(last)) last = nextDueTime(schedule, last);
  return times;
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
