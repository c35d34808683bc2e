import { useText } from '../frame';
import { dayOf, FormButton } from '../ui';
import { FOREVER, ruleOf, stoppedUntil, useScheduleWords } from './schedule';
import type { Orchestrator } from './schedule';
import { useUpdate } from './use-update';

const WEEK_MS = 7 * 24 * 3_600_000;
const startOf = (date = '') => (date === '' ? FOREVER : new Date(`${date}T00:00`).toISOString());

/** Stops the schedule of an orchestrator until a date, or starts it again. */
export function ScheduleButton({ orchestrator }: { orchestrator: Orchestrator }) {
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
    const label = text('schedule.start');
    const preview = () => text('schedule.startEffect', { words });
    return <FormButton {...{ label, submit: label, preview }} variant="default" fields={[]} onSubmit={() => pause()} />;
  }
  const label = text('schedule.stop');
  const help = text('schedule.untilHelp');
  return (
    <FormButton
      {...{ label, submit: label, variant: 'default' }}
      fields={[
        {
          name: 'until',
          label: text('schedule.until'),
          help,
          kind: 'date',
          initial: dayOf(new Date(Date.now() + WEEK_MS)),
        },
      ]}
      preview={() => text('schedule.stopEffect', { words })}
      onSubmit={({ until }) => pause(startOf(until))}
    />
  );
}
