import { useText } from '../frame';
import { FormButton } from '../ui';
import { joinDescription, plainSchedule, splitDescription, useScheduleWords } from './schedule';
import type { Orchestrator } from './schedule';
import { useUpdate } from './use-update';

/** Stops the schedule; the description keeps it. */
const stopped = ({ _description, _orchschedule: schedule }: Orchestrator) => ({
  ...{ _class: 'NORMAL' as const, _orchschedule: null, _params: {} },
  _description: joinDescription(splitDescription(_description).description, schedule && plainSchedule(schedule)),
});

/** Starts the schedule that the description keeps. */
function started({ _description }: Orchestrator) {
  const { description, stopped: _orchschedule } = splitDescription(_description);
  return { _class: 'SCHEDULED' as const, _orchschedule, _description: description, _params: {} };
}

/** Stops the schedule of an orchestrator, or starts the one that was stopped again. */
export function ScheduleButton({ orchestrator }: { orchestrator: Orchestrator }) {
  const { text } = useText();
  const { wordsOf } = useScheduleWords();
  const update = useUpdate(orchestrator.id);
  const { _description, _orchschedule: current } = orchestrator;
  const schedule = current ?? splitDescription(_description).stopped;
  if (!schedule) return undefined;
  const words = wordsOf(schedule) ?? schedule.cron ?? '';
  const label = text(current ? 'schedule.stop' : 'schedule.start');
  return (
    <FormButton
      {...{ label, submit: label, variant: 'default', fields: [] }}
      preview={() => text(current ? 'schedule.stopEffect' : 'schedule.startEffect', { words })}
      onSubmit={() => update(current ? stopped : started)}
    />
  );
}
