import { Stack } from '@mantine/core';
import { useParameter, useText } from '../frame';
import { ResourceTable, Select } from '../ui';
import { SubjectName } from '../access/subject';
import { durationOf, RunStatus, STATUSES, useDuration } from './run-status';

/** The runs of an orchestrator. */
export function Runs({ id }: { id: string }) {
  const { text } = useText();
  const duration = useDuration();
  const [status, setStatus] = useParameter('status');
  return (
    <Stack gap="xs">
      <Select
        maw={240}
        aria-label={text('list.status')}
        data={[
          { value: '', label: text('runs.all') },
          ...STATUSES.map((value) => ({ value, label: text(`runs.${value}`) })),
        ]}
        value={status}
        onChange={setStatus}
      />
      <ResourceTable
        operation="datasourcesvc.runs.list"
        input={{ query: { _orchid: id, ...(status !== '' && { _status: status }) } }}
        label={text('runs.title')}
        idOf={(run) => run.id}
        columns={[
          {
            title: text('runs.started'),
            time: ({ _createdat }) => _createdat,
            to: (run) => `/orchestrators/${id}/runs/${run.id}`,
          },
          {
            title: text('list.status'),
            value: ({ _status }) => <RunStatus status={_status} />,
            key: ({ _status }) => text(`runs.${_status}`),
          },
          {
            title: text('runs.duration'),
            value: (run) => duration(durationOf(run)),
            key: (run) => durationOf(run) ?? -1,
          },
          {
            title: text('runs.starter'),
            value: ({ _createdby, _retriedby }) => <Starter id={_retriedby ?? _createdby} isRetry={!!_retriedby} />,
            key: ({ _createdby }) => _createdby,
          },
          { title: text('runs.message'), value: ({ _statusmsg }) => _statusmsg },
        ]}
        empty={text(status === '' ? 'runs.empty' : 'list.noMatch')}
      />
    </Stack>
  );
}

/** Who started a run. The platform does not tell users from apps, nor schedules from their owners. */
export function Starter({ id, isRetry }: { id: string; isRetry: boolean }) {
  const { text } = useText();
  return (
    <>
      <SubjectName type="user" id={id} />
      {isRetry && ` (${text('runs.retried')})`}
    </>
  );
}
