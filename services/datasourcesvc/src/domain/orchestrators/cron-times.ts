import { Cron, CronPattern } from 'croner';

const MINUTE_MS = 60_000;
/** More than clocks of a time zone differ from UTC. Within two days, a clock is changed once. */
const DAY_MS = 24 * 60 * MINUTE_MS;

/** A local time, as milliseconds: those of the same date and time in UTC. */
type LocalMs = number;
type OffsetAt = (timeMs: number) => number;

/**
 * The first time after `afterMs` at which a crontab expression of five fields is due. A local time that the clock skips is due
 * when it has been put forward, unless the expression has every hour; one that occurs twice is due the first time, unless it
 * has every hour or every minute.
 * @returns milliseconds since 1970, or undefined if there is none
 * @throws Error for an expression or a time zone that is malformed
 */
export function nextCronTime(cron: string, timezone: string, afterMs: number): number | undefined {
  const times = timesOf(cron, offsetsOf(timezone));
  let next: number | undefined;
  for (const dueTimes of times(afterMs)) {
    // They are in the order of their first ones.
    if (next !== undefined && dueTimes[0]! >= next) break;
    const time = dueTimes.find((each) => each > afterMs);
    if (time !== undefined && (next === undefined || time < next)) next = time;
  }
  return next;
}

/** For each local time of an expression, from the one after a given time: when it is due. */
function timesOf(cron: string, offsetAt: OffsetAt) {
  // In UTC, no local time is skipped or occurs twice.
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

/** When the clock shows a local time: once, twice, or never if it skips it. */
function occurrencesOf(local: LocalMs, offsetAt: OffsetAt): number[] {
  const offsets = new Set([offsetAt(local - DAY_MS), offsetAt(local + DAY_MS)]);
  const times = [...offsets].filter((offset) => offsetAt(local - offset) === offset).map((offset) => local - offset);
  return times.sort((one, other) => one - other);
}

/** When the clock was put forward past a local time. */
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

/** How far the clock of a time zone is ahead of UTC at a time, in milliseconds. */
function offsetsOf(timeZone: string): OffsetAt {
  const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  return (timeMs) => {
    const name = format.formatToParts(timeMs).find(({ type }) => type === 'timeZoneName')!.value;
    const [, sign, hours, minutes] = /([+-])(\d\d):(\d\d)/.exec(name) ?? [];
    const offset = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * MINUTE_MS;
    return sign === '-' ? -offset : offset;
  };
}
