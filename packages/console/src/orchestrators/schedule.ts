import { toString } from 'cronstrue';
import 'cronstrue/locales/de';
import type { Schemas } from '@dtplatform/sdk';
import { useText } from '../frame';

export type Orchestrator = Schemas['Orchestrator'];
export type Schedule = Schemas['Schedule'];

/** The schedule without its state and its pause. */
export function ruleOf({ cron, timezone, runinterval }: Schedule): Schedule {
  return cron === undefined ? { runinterval } : { cron, timezone };
}

/** The end of a pause that lasts until somebody ends it. */
export const FOREVER = '2099-12-31T00:00:00.000Z';

/** When a schedule that is stopped continues; undefined if it is not stopped. */
export const stoppedUntil = ({ paused_until: until }: Schedule): string | undefined =>
  until !== undefined && Date.parse(until) > Date.now() ? until : undefined;

/** Describes schedules and their times in the language of the user. */
export function useScheduleWords() {
  const { text, language } = useText();

  /** Undefined if it cannot be read as a schedule. */
  function wordsOf({ cron, runinterval }: Schedule): string | undefined {
    if (cron === undefined) return intervalOf(runinterval);
    if (cron.trim().split(/\s+/).length !== 5) return undefined;
    try {
      return toString(cron, { locale: language, verbose: true, use24HourTimeFormat: language !== 'en' });
    } catch {
      return undefined;
    }
  }
  function intervalOf(interval = ''): string | undefined {
    const units = ['h', 'min', 's'];
    const parts = interval.split(' ').flatMap((part, index) => (Number(part) > 0 ? `${part} ${units[index]}` : []));
    return parts.length === 0 ? undefined : text('schedule.every', { duration: parts.join(' ') });
  }
  /** A time in the zone of the schedule. */
  function timeOf(time: number | string | undefined, { cron, timezone = 'UTC' }: Schedule): string {
    const parts = { weekday: 'short', year: 'numeric', month: 'short', day: 'numeric', hour: 'numeric' } as const;
    const options = { ...parts, minute: '2-digit', timeZoneName: 'short' } as const;
    const ms = Number(time);
    if (!ms) return '';
    try {
      const zone = cron === undefined ? undefined : timezone;
      return new Intl.DateTimeFormat(language, { ...options, timeZone: zone }).format(ms);
    } catch {
      // The browser does not know the zone.
      return new Intl.DateTimeFormat(language, options).format(ms);
    }
  }
  /** The next run of a stored schedule; none if it is stopped until somebody starts it. */
  const nextRunOf = ({ next_scheduled_time: next, ...schedule }: Schemas['ShownSchedule']) =>
    stoppedUntil(schedule) === FOREVER ? '' : timeOf(next, schedule);
  return { wordsOf, timeOf, nextRunOf };
}
