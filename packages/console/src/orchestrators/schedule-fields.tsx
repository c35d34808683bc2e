import { Group, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { Input, Select } from '../ui';
import { useCall, useText } from '../frame';
import { useScheduleWords } from './schedule';
import type { Schedule } from './schedule';

/** A schedule as typed. */
export interface ScheduleDraft {
  kind: 'none' | 'once' | 'cron' | 'interval';
  cron: string;
  timezone: string;
  /** Hours, minutes and seconds, each `*` for none. */
  interval: string;
  pausedUntil: string | undefined;
}

/** What the form shows for a schedule. */
export const draftOfSchedule = ({ cron, timezone, runinterval, paused_until }: Schedule = {}): ScheduleDraft => ({
  kind: cron !== undefined ? 'cron' : runinterval === undefined ? 'none' : 'interval',
  cron: cron ?? '30 2 * * *',
  timezone: timezone ?? (cron === undefined ? Intl.DateTimeFormat().resolvedOptions().timeZone : 'UTC'),
  interval: runinterval ?? '1 * *',
  pausedUntil: paused_until,
});

/** The schedule that was typed; undefined for none. */
export function scheduleOf({ kind, cron, timezone, interval, pausedUntil }: ScheduleDraft): Schedule | undefined {
  const pause = pausedUntil === undefined ? {} : { paused_until: pausedUntil };
  if (kind === 'cron') return { cron: cron.trim(), ...(timezone !== '' && { timezone }), ...pause };
  return kind === 'interval' ? { runinterval: interval, ...pause } : undefined;
}

interface ScheduleProps {
  draft: ScheduleDraft;
  onChange: (draft: ScheduleDraft) => void;
  /** Whether it may run once, when it is created. */
  isNew: boolean;
}

/** The fields of a schedule, with its meaning in words and its next times. */
export function ScheduleFields({ draft, onChange, isNew }: ScheduleProps) {
  const { text } = useText();
  const { wordsOf } = useScheduleWords();
  const schedule = scheduleOf(draft);
  const words = schedule && wordsOf(schedule);
  const set = (change: Partial<ScheduleDraft>) => onChange({ ...draft, ...change });
  const kinds = ['none', ...(isNew ? (['once'] as const) : []), 'cron', 'interval'] as const;
  return (
    <Stack gap="xs">
      <Select
        label={text('schedule.when')}
        data={kinds.map((value) => ({ value, label: text(`schedule.${value}`) }))}
        value={draft.kind}
        onChange={(value) => set({ kind: value as ScheduleDraft['kind'] })}
      />
      {draft.kind === 'cron' && (
        <Group align="flex-start" className="fields">
          <Input
            label={text('schedule.expression')}
            description={text('schedule.expressionHelp')}
            error={words === undefined && text('schedule.noCron')}
            value={draft.cron}
            onChange={(value) => set({ cron: value })}
          />
          <Input
            label={text('schedule.zone')}
            description={text('schedule.zoneHelp')}
            list="time-zones"
            value={draft.timezone}
            onChange={(value) => set({ timezone: value })}
          />
          <datalist id="time-zones">
            {['UTC', ...Intl.supportedValuesOf('timeZone')].map((zone) => (
              <option key={zone} value={zone} />
            ))}
          </datalist>
        </Group>
      )}
      {draft.kind === 'interval' && <Interval value={draft.interval} onChange={(interval) => set({ interval })} />}
      {schedule && words !== undefined && <NextTimes schedule={schedule} words={words} />}
    </Stack>
  );
}

function Interval({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const { text } = useText();
  const parts = value.split(' ');
  const set = (index: number, typed: string) => onChange(parts.with(index, typed || '*').join(' '));
  return (
    <Group className="fields">
      {(['schedule.hours', 'schedule.minutes', 'schedule.seconds'] as const).map((label, index) => (
        <Input
          key={label}
          label={text(label)}
          {...{ type: 'number', min: 0, max: index === 0 ? 24 : 59 }}
          value={parts[index] === '*' ? '' : (parts[index] ?? '')}
          onChange={(value) => set(index, value)}
        />
      ))}
    </Group>
  );
}

const DEBOUNCE_MS = 400;

function NextTimes({ schedule, words }: { schedule: Schedule; words: string }) {
  const { text } = useText();
  const { timeOf } = useScheduleWords();
  const [asked] = useDebouncedValue(JSON.stringify(schedule), DEBOUNCE_MS);
  const next = useCall('datasourcesvc.schedules.times', { body: JSON.parse(asked) as Schedule }, { refreshMs: 60_000 });
  return (
    <div role="status">
      <Text fw={600}>{words}</Text>
      {next.error && <Text c="var(--mantine-color-error)">{next.error.message}</Text>}
      {next.data && (
        <>
          <Text size="sm">{text('schedule.next')}</Text>
          <ul>
            {next.data.times.map((ms) => (
              <li key={ms}>{timeOf(ms, schedule)}</li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}
