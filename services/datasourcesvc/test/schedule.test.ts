import { describe, expect, it } from '@jest/globals';
import { completeSchedule, isSameSchedule, nextDueTime, OrchSchedule } from '../src/domain/orchestrators/schedule.js';

const dueTimes = (schedule: OrchSchedule, from: string, count: number) => {
  const times = [Date.parse(from)];
  for (let n = 0; n < count; n++) times.push(nextDueTime(completeSchedule(schedule), times[n]!));
  return times.slice(1).map((time) => new Date(time).toISOString().slice(0, 16));
};

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
      '* * * *',
      '* * * * * *',
      '60 * * * *',
      '0 0 31 2 *',
      '0 0 31 4,6,9,11 *',
      '5-1 * * * *',
      '@daily',
      '2030-01-01T00:00:00',
      '0 0 * * 1#5',
      '0 0 L * *',
      '0 0 LW * *',
      '0 0 15W * *',
      '0 0 * * 5L',
      '0 0 * MON *',
      '0 0 * * JAN',
      '',
      `${'1,'.repeat(99)}1 * * * *`,
    ].map((cron) => [{ cron }, 'cron'] as const),
    ...['Mars/Base', '+02:00', '', 'UTC+3', 'Europe/Berlin;'].map(
      (timezone) => [{ cron: '0 2 * * *', timezone }, 'timezone'] as const,
    ),
  ])('refuses %j', (schedule, path) => {
    const { error } = OrchSchedule.safeParse(schedule);
    expect(error?.issues.map((issue) => issue.path.join('.'))).toContain(path);
  });

  it('of a crontab expression is in UTC unless it names a time zone', () => {
    expect(completeSchedule({ cron: '0 2 * * *' })).toEqual({ cron: '0 2 * * *', timezone: 'UTC' });
    expect(isSameSchedule(completeSchedule({ cron: '0 2 * * *' }), { cron: '0 2 * * *', timezone: 'UTC' })).toBe(true);
  });

  it('follows the clock of its time zone', () => {
    const schedule = { cron: '30 9 * * 1', timezone: 'Europe/Berlin' };
    expect(dueTimes(schedule, '2026-03-20T00:00Z', 3)).toEqual([
      '2026-03-23T08:30',
      '2026-03-30T07:30',
      '2026-04-06T07:30',
    ]);
  });

  it('needs one of two days that are restricted', () => {
    expect(dueTimes({ cron: '0 0 13 * FRI' }, '2026-11-01T12:00Z', 3)).toEqual([
      '2026-11-06T00:00',
      '2026-11-13T00:00',
      '2026-11-20T00:00',
    ]);
    expect(dueTimes({ cron: '0 0 15 * FRI' }, '2026-11-12T12:00Z', 2)).toEqual([
      '2026-11-13T00:00',
      '2026-11-15T00:00',
    ]);
  });

  it('is due at the change of the clock if its time is skipped, also at midnight', () => {
    expect(dueTimes({ cron: '30 2 * * *', timezone: 'Europe/Berlin' }, '2026-03-28T12:00Z', 2)).toEqual([
      '2026-03-29T01:00',
      '2026-03-30T00:30',
    ]);
    expect(dueTimes({ cron: '0 0 * * *', timezone: 'Africa/Cairo' }, '2026-04-23T12:00Z', 2)).toEqual([
      '2026-04-23T22:00',
      '2026-04-24T21:00',
    ]);
  });

  it('is due once at a time that occurs twice, and in both hours if it is every hour', () => {
    expect(dueTimes({ cron: '30 2 * * *', timezone: 'Europe/Berlin' }, '2026-10-24T12:00Z', 2)).toEqual([
      '2026-10-25T00:30',
      '2026-10-26T01:30',
    ]);
    expect(dueTimes({ cron: '0 * * * *', timezone: 'Europe/Berlin' }, '2026-10-24T23:30Z', 3)).toEqual([
      '2026-10-25T00:00',
      '2026-10-25T01:00',
      '2026-10-25T02:00',
    ]);
  });

  it('at an interval keeps its distance from the last time, and leaves out those that passed', () => {
    const every5 = { runinterval: '* 5 *' };
    const minute = (n: number) => n * 60_000;
    expect(nextDueTime(every5, minute(100))).toBe(minute(105));
    expect(nextDueTime(every5, minute(103), minute(100))).toBe(minute(105));
    expect(nextDueTime(every5, minute(105), minute(100))).toBe(minute(110));
    expect(nextDueTime(every5, minute(9999), minute(100))).toBe(minute(10_000));
    // The clock of another process may be ahead.
    expect(nextDueTime(every5, minute(99), minute(100))).toBe(minute(105));
  });
});
