import { describe, expect, it } from '@jest/globals';
import { parseTimeout } from '../src/orchestrators/duration.js';
import { completeSchedule, isSameSchedule, nextDueTime, OrchSchedule } from '../src/orchestrators/schedule.js';

const dueTimes = (schedule: OrchSchedule, from: string, count: number) => {
  const times = [Date.parse(from)];
  for (let n = 0; n < count; n++) times.push(nextDueTime(completeSchedule(schedule), times[n]!));
  return times.slice(1).map((time) => new Date(time).toISOString().slice(0, 16));
};

const MINUTE_MS = 60_000;

interface Minute {
  time: number;
  /** As if the clock showed UTC. */
  local: number;
}

function localMinutes(timeZone: string, from: number, to: number): Minute[] {
  const format = new Intl.DateTimeFormat('sv', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  const minutes = [];
  for (let time = from; time <= to; time += MINUTE_MS) {
    minutes.push({ time, local: Date.parse(`${format.format(time).replace(' ', 'T')}Z`) });
  }
  return minutes;
}

/** The minutes after the first at which a daily crontab expression is due, found by checking each. */
function dueMinutes(minute: string, hour: string, minutes: Minute[]): number[] {
  const [ofMinute, ofHour] = [valuesOf(minute, 60), valuesOf(hour, 24)];
  const matches = (local: number) =>
    ofMinute.has(new Date(local).getUTCMinutes()) && ofHour.has(new Date(local).getUTCHours());
  const due = [];
  for (const [index, { time, local }] of minutes.entries()) {
    if (index === 0) continue;
    let isDue = matches(local);
    const isAgain = minutes.slice(0, index).some((earlier) => earlier.local === local);
    if (isAgain && ofMinute.size < 60 && ofHour.size < 24) isDue = false;
    for (let skipped = minutes[index - 1]!.local + MINUTE_MS; skipped < local; skipped += MINUTE_MS)
      if (ofHour.size < 24 && matches(skipped)) isDue = true;
    if (isDue) due.push(time);
  }
  return due;
}

function valuesOf(field: string, count: number): Set<number> {
  const values = field.split(',').flatMap((part) => {
    const [range, step = '1'] = part.split('/');
    const [first, last = first] = range === '*' ? [0, count - 1] : range!.split('-').map(Number);
    return Array.from({ length: count }, (_, value) => value).filter(
      (value) => value >= first! && value <= last! && (value - first!) % Number(step) === 0,
    );
  });
  return new Set(values);
}

describe('_orchschedule', () => {
  it.each([
    { runinterval: '* * 30' },
    { runinterval: '0 5 0' },
    { runinterval: '24 59 59' },
    { runinterval: ' *  1 15 ' },
    { cron: '0 2 * * *' },
    { cron: '*/15 6-18 * JAN-MAR,12 MON-FRI', timezone: 'America/New_York' },
    { cron: '0 0 29 2 *', timezone: 'UTC' },
    { cron: '0 0  1-7/2 jan,Dec sun,Wed-6' },
  ])('accepts %j', (schedule) => expect(OrchSchedule.safeParse(schedule).success).toBe(true));

  it.each([
    [{}, ''],
    [{ runinterval: '* 5 *', cron: '0 2 * * *' }, ''],
    [{ runinterval: '* 5 *', timezone: 'UTC' }, 'timezone'],
    ...['* * *', '* * 29', '0 0 0', '25 * *', '* 60 *', '5', '5m', '* 5', '-1 * *', 'x'.repeat(99)].map(
      (runinterval) => [{ runinterval }, 'runinterval'] as const,
    ),
    ...[
      ...['* * * *', '* * * * * *', '60 * * * *', '0 0 31 2 *', '0 0 31 4,6,9,11 *', '5-1 * * * *', '@daily'],
      ...['2030-01-01T00:00:00', '0 0 * * 1#5', '0 0 L * *', '0 0 LW * *', '0 0 15W * *', '0 0 * * 5L'],
      ...['0 0 * MON *', '0 0 * * JAN', '', `${'1,'.repeat(99)}1 * * * *`],
    ].map((cron) => [{ cron }, 'cron'] as const),
    ...['2026-12-01', '2100-01-01T00:00:01Z', 'tomorrow'].map(
      (time) => [{ cron: '0 2 * * *', paused_until: time }, 'paused_until'] as const,
    ),
    ...['Mars/Base', '+02:00', '', 'UTC+3', 'Europe/Berlin;'].map(
      (timezone) => [{ cron: '0 2 * * *', timezone }, 'timezone'] as const,
    ),
  ])('rejects %j', (schedule, path) => {
    const { error } = OrchSchedule.safeParse(schedule);
    expect(error?.issues.map((issue) => issue.path.join('.'))).toContain(path);
  });

  it('of a crontab expression is in UTC unless it names a time zone', () => {
    expect(completeSchedule({ cron: '0 2 * * *' })).toEqual({ cron: '0 2 * * *', timezone: 'UTC' });
    expect(isSameSchedule(completeSchedule({ cron: '0 2 * * *' }), { cron: '0 2 * * *', timezone: 'UTC' })).toBe(true);
  });

  it.each([
    ['30 9 * * 1', 'Europe/Berlin', '2026-03-20T00:00Z', '2026-03-23T08:30 2026-03-30T07:30 2026-04-06T07:30'],
    // Either of two restricted days.
    ['0 0 13 * FRI', 'UTC', '2026-11-01T12:00Z', '2026-11-06T00:00 2026-11-13T00:00 2026-11-20T00:00'],
    ['0 0 15 * FRI', 'UTC', '2026-11-12T12:00Z', '2026-11-13T00:00 2026-11-15T00:00'],
    ['0 12 29 2 *', 'Europe/Berlin', '2026-01-01T00:00Z', '2028-02-29T11:00 2032-02-29T11:00'],
    // Once at the clock change if its times are skipped.
    ['*/30 2 28 3 *', 'Europe/Berlin', '2027-03-01T00:00Z', '2027-03-28T01:00 2028-03-28T00:00'],
    ['0-20/10 1-4 28 3 *', 'Europe/Berlin', '2027-03-28T00:15Z', '2027-03-28T00:20 2027-03-28T01:00 2027-03-28T01:10'],
    // Once at repeated times, unless it is every hour or minute.
    ['30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00Z', '2026-10-25T00:30 2026-10-26T01:30'],
    ['* 2 * * *', 'Europe/Berlin', '2026-10-25T00:58Z', '2026-10-25T00:59 2026-10-25T01:00 2026-10-25T01:01'],
  ])('%s in %s from %s is due at %s', (cron, timezone, from, times) => {
    const expected = times.split(' ');
    expect(dueTimes({ cron, timezone }, from, expected.length)).toEqual(expected);
  });

  it.each([
    ['Europe/Berlin', '2026-03-29T01:00Z'],
    ['Europe/Berlin', '2026-10-25T01:00Z'],
    ['Australia/Lord_Howe', '2026-10-03T15:30Z'],
    ['Australia/Lord_Howe', '2026-04-04T15:00Z'],
    ['America/Santiago', '2026-09-06T04:00Z'],
    ['America/Santiago', '2026-04-05T03:00Z'],
    ['Africa/Cairo', '2026-04-23T22:00Z'],
    ['Pacific/Apia', '2011-12-30T10:00Z'],
  ])('is due at every matching minute of %s, as a linear search finds them', (timezone, change) => {
    const minutes = localMinutes(timezone, Date.parse(change) - 70 * MINUTE_MS, Date.parse(change) + 70 * MINUTE_MS);
    for (const minute of ['15', '0,30', '50-59', '7-40/11', '*/20', '*'])
      for (const hour of ['0', '1-3', '*/2', '*']) {
        const cron = `${minute} ${hour} * * *`;
        const found = [];
        for (let time = minutes[0]!.time; ; found.push(time)) {
          time = nextDueTime({ cron, timezone }, time);
          if (time > minutes.at(-1)!.time) break;
        }
        expect({ cron, found }).toEqual({ cron, found: dueMinutes(minute, hour, minutes) });
      }
  });

  it('is due again when its pause ends', () => {
    const paused = { cron: '0 2 * * *', paused_until: '2026-12-04T03:00:00+01:00' };
    const next = (from: string) => new Date(nextDueTime(completeSchedule(paused), Date.parse(from))).toISOString();
    expect(next('2026-11-27T00:00Z')).toBe('2026-12-04T02:00:00.000Z');
    expect(next('2026-12-05T00:00Z')).toBe('2026-12-05T02:00:00.000Z');
  });

  it('at an interval keeps its phase, and skips missed times', () => {
    const every5 = { runinterval: '* 5 *' };
    const minute = (n: number) => n * 60_000;
    expect(nextDueTime(every5, minute(100))).toBe(minute(105));
    expect(nextDueTime(every5, minute(103), minute(100))).toBe(minute(105));
    expect(nextDueTime(every5, minute(105), minute(100))).toBe(minute(110));
    expect(nextDueTime(every5, minute(9999), minute(100))).toBe(minute(10_000));
    expect(nextDueTime({ ...every5, paused_until: '1970-01-01T01:51:00Z' }, minute(103), minute(100))).toBe(
      minute(115),
    );
    // The clock of another process may be ahead.
    expect(nextDueTime(every5, minute(99), minute(100))).toBe(minute(105));
  });
});

describe('_timeout', () => {
  it.each([
    ['* 2 *', 120_000],
    ['* * 30', 30_000],
    ['24 59 59', 24 * 3_600_000 + 59 * 60_000 + 59_000],
    ['  1  1  30 ', 3_690_000],
    ...['* * *', '25 * *', '0 * *', '* 60 *', '* 0 *', '* * 29', '* * 60', '1 *', '1h * *'].map(
      (text) => [text, undefined] as const,
    ),
  ])('%j is %p milliseconds', (text, ms) => expect(parseTimeout(text)).toBe(ms));
});
