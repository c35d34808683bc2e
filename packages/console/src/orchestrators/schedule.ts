import { toString } from 'cronstrue';
import 'cronstrue/locales/de';
import type { Schemas } from '@dtplatform/sdk';
import { useText } from '../frame';

export type Orchestrator = Schemas['Orchestrator'];
export type Schedule = Schemas['Schedule'];

/**
 * The platform has no state for stopped schedules. The last line of the description keeps the schedule, where other
 * clients and people see it, too.
 */
const STOPPED = /\s*Stopped schedule: (\{.*\})\s*$/;

/** The description for people, and the schedule that was stopped. */
export function splitDescription(all = ''): { description: string; stopped?: Schedule } {
  const [line, json] = STOPPED.exec(all) ?? [];
  if (line === undefined) return { description: all };
  try {
    const { cron, timezone, runinterval } = JSON.parse(json!) as Record<string, unknown>;
    const fields = Object.entries({ cron, timezone, runinterval }).filter(([, value]) => typeof value === 'string');
    return { description: all.slice(0, -line.length), stopped: Object.fromEntries(fields) };
  } catch {
    return { description: all };
  }
}

/** A description that keeps a stopped schedule. */
export const joinDescription = (description: string, stopped?: Schedule): string =>
  [description, stopped && `Stopped schedule: ${JSON.stringify(stopped)}`].filter(Boolean).join('\n\n');

/** The schedule without its state. */
export function plainSchedule({ cron, timezone, runinterval }: Schedule): Schedule {
  return cron === undefined ? { runinterval } : { cron, timezone };
}

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
  return { wordsOf, timeOf };
}
