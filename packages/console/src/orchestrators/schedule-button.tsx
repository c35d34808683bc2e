import { useText } from '../frame';
import { dayOf, FormButton } from '../ui';
import { FOREVER, ruleOf, stoppedUntil, useScheduleWords } from './schedule';
import type { Orchestrator } from './schedule';
import { useUpdate } from './use-update';

const DAY_MS = 24 * 3_600_000;
const dayIn = (days: number) => dayOf(new Date(Date.now() + days * DAY_MS));
const startOf = (date = '') => (date === '' ? FOREVER : new Date(`${date}T00:00`).toISOString());

interface ButtonProps {
  orchestrator: Orchestrator;
  /** Whether the user may start runs, which the schedule then does with the user's rights. */
  mayRun: boolean;
}

/** Stops the schedule of an orchestrator until a date, or starts it again. */
export function ScheduleButton({ orchestrator, mayRun }: ButtonProps) {
  const { text } = useText();
  const { wordsOf } = useScheduleWords();
  const update = useUpdate(orchestrator.id);
  const { _orchschedule: schedule } = orchestrator;
  if (!schedule) return undefined;
  const words = wordsOf(schedule) ?? schedule.cron ?? '';
  const pause = (paused_until?: string) =>
    update(({ _orchschedule: current }) => ({
      _params: {},
      ...(current && { _orchschedule: { ...ruleOf(current), ...(paused_until && { paused_until }) } }),
    }));
  if (stoppedUntil(schedule)) {
    if (!mayRun) return undefined;
    const label = text('schedule.start');
    const preview = () => text('schedule.startEffect', { words });
    return <FormButton {...{ label, submit: label, preview }} variant="default" fields={[]} onSubmit={() => pause()} />;
  }
  const label = text('schedule.stop');
  const help = text('schedule.untilHelp');
  return (
    <FormButton
      {...{ label, submit: label, variant: 'default' }}
      fields={[{ name: 'until', label: text('schedule.until'), help, kind: 'date', initial: dayIn(7), min: dayIn(1) }]}
      preview={() => text('schedule.stopEffect', { words })}
      onSubmit={({ until }) => pause(startOf(until))}
    />
  );
}
