import { Alert } from '@mantine/core';
import { Access } from '../access/access';
import { useCall, useChange, useGo, useId, useRights, useText } from '../frame';
import { ConfirmButton, Detail, Pending } from '../ui';
import { Editor } from './editor';
import type { Edited } from './draft';
import { useComponents } from './components';
import { RunButtons } from './run-buttons';
import { Runs } from './runs';
import { FOREVER, stoppedUntil, useScheduleWords } from './schedule';
import type { Orchestrator } from './schedule';
import { ScheduleButton } from './schedule-button';
import { useUpdate } from './use-update';

/** One orchestrator with its runs and steps. */
export function OrchestratorPage() {
  const { text, time } = useText();
  const id = useId('orchId');
  const { nextRunOf } = useScheduleWords();
  const remove = useChange('datasourcesvc.orchestrators.delete');
  // What has been deleted is not read again.
  const isEnabled = remove.isIdle || remove.isError;
  const found = useCall('datasourcesvc.orchestrators.get', { path: { id } }, { isEnabled });
  const { data } = found;
  if (!data) return <Pending of={[found]} />;
  const { _name, _description, _orchschedule: schedule, _timeout, _permissionprofileid, _updatedat } = data;
  const irn = `datasourcesvc:orchestrator:${id}`;
  return (
    <Detail
      title={_name}
      properties={[
        [text('form.description'), _description],
        [text('schedule.title'), <ScheduleText orchestrator={data} />],
        [text('schedule.nextRun'), schedule && nextRunOf(schedule)],
        [text('orchestrators.timeout'), _timeout],
        [text('orchestrators.profile'), _permissionprofileid],
        [text('list.updated'), time(_updatedat)],
      ]}
      actions={<Actions orchestrator={data} irn={irn} onDelete={() => remove.mutateAsync({ path: { id } })} />}
      tabs={{
        runs: { label: text('runs.title'), content: <Runs id={id} /> },
        steps: { label: text('steps.title'), content: <Steps key={id} orchestrator={data} /> },
        access: { label: text('access.title'), content: <Access irn={irn} name={_name} /> },
      }}
    >
      {schedule?.statusmsg && (
        <Alert color="red" title={text('schedule.failed')}>
          {schedule.statusmsg}
        </Alert>
      )}
    </Detail>
  );
}

/** When an orchestrator runs by itself, in words. */
export function ScheduleText({ orchestrator }: { orchestrator: Orchestrator }) {
  const { text, time } = useText();
  const { wordsOf } = useScheduleWords();
  const { _orchschedule: schedule } = orchestrator;
  if (!schedule) return text(orchestrator._class === 'INSTANT' ? 'schedule.instant' : 'schedule.none');
  const words = wordsOf(schedule) ?? schedule.cron ?? '';
  const shown = schedule.cron === undefined ? words : `${words} (${schedule.timezone ?? 'UTC'})`;
  const until = stoppedUntil(schedule);
  if (!until) return shown;
  if (until === FOREVER) return text('schedule.stopped', { words: shown });
  return text('schedule.stoppedUntil', { words: shown, time: time(Date.parse(until)) });
}

interface ActionsProps {
  orchestrator: Orchestrator;
  irn: string;
  onDelete: () => Promise<unknown>;
}

function Actions({ orchestrator, irn, onDelete }: ActionsProps) {
  const { text } = useText();
  const go = useGo();
  const { _name: name } = orchestrator;
  const [mayRun, mayEdit, mayDelete] = useRights(irn, ['RUN', 'EDIT', 'DELETE']);
  return (
    <>
      {mayRun && <RunButtons orchestrator={orchestrator} />}
      {mayEdit && <ScheduleButton orchestrator={orchestrator} mayRun={mayRun === true} />}
      {mayDelete && (
        <ConfirmButton
          onConfirm={async () => {
            await onDelete();
            await go('/orchestrators');
          }}
        >
          {text('orchestrators.deleteEffect', { name })}
        </ConfirmButton>
      )}
    </>
  );
}

function Steps({ orchestrator }: { orchestrator: Orchestrator }) {
  const { text } = useText();
  const components = useComponents();
  const [mayEdit] = useRights(`datasourcesvc:orchestrator:${orchestrator.id}`, ['EDIT']);
  const update = useUpdate(orchestrator.id);
  const save = ({ tasks, schedule, _name, _description }: Edited, base?: Orchestrator) =>
    update((current) => {
      if (current._updatedat !== base?._updatedat) throw new Error(text('orchestrators.changed'));
      const unscheduled = current._class === 'SCHEDULED' ? 'NORMAL' : current._class;
      return {
        ...{ _name, _description, _params: tasks ? { tasks } : {} },
        ...(schedule !== undefined && { _class: schedule ? 'SCHEDULED' : unscheduled, _orchschedule: schedule }),
      };
    });
  if (!components.data) return <Pending of={[components]} />;
  return (
    <fieldset className="plain" disabled={!mayEdit}>
      <Editor {...{ orchestrator, components: components.data._list, submit: text('form.save'), onSubmit: save }} />
    </fieldset>
  );
}
