import { Button, Stack } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useCall, usePlaceOf, useRights, useText } from '../frame';
import { PageLink, PageTitle, ResourceTable } from '../ui';
import { ScheduleText } from './orchestrator-page';
import { RunStatus } from './run-status';
import { useScheduleWords } from './schedule';

/** The orchestrators of the namespace, with their schedules and last runs. */
export function OrchestratorsPage() {
  const { text } = useText();
  const { nextRunOf } = useScheduleWords();
  const placeOf = usePlaceOf();
  const [mayCreate] = useRights('datasourcesvc:orchestrator:*', ['CREATE']);
  return (
    <Stack>
      <PageTitle>{text('orchestrators.title')}</PageTitle>
      <ResourceTable
        operation="datasourcesvc.orchestrators.list"
        label={text('orchestrators.title')}
        idOf={({ id }) => id}
        columns={[
          { title: text('form.name'), value: ({ _name }) => _name, to: ({ id }) => `/orchestrators/${id}` },
          {
            title: text('schedule.title'),
            value: (orchestrator) => <ScheduleText orchestrator={orchestrator} />,
            key: ({ _orchschedule }) => _orchschedule?.cron ?? _orchschedule?.runinterval ?? '',
          },
          {
            title: text('schedule.nextRun'),
            value: ({ _orchschedule: schedule }) => schedule && nextRunOf(schedule),
            key: ({ _orchschedule }) => _orchschedule?.next_scheduled_time ?? '',
          },
          { title: text('runs.last'), value: ({ id }) => <LastRun id={id} /> },
          { title: text('list.updated'), time: ({ _updatedat }) => _updatedat },
        ]}
        empty={text('orchestrators.empty')}
        actions={
          mayCreate && (
            <Button component={Link} {...placeOf('/orchestrators/new')}>
              {text('orchestrators.create')}
            </Button>
          )
        }
      />
    </Stack>
  );
}

const RECENT = 100;

/** The latest run: from the recent runs of the namespace, which rows share, or read by itself if it is older. */
function LastRun({ id }: { id: string }) {
  const { text, time } = useText();
  const recent = useCall('datasourcesvc.runs.list', { query: { _pageSize: RECENT } });
  const shared = recent.data?._list.find(({ _orchid }) => _orchid === id);
  const isOlder = recent.data !== undefined && !shared && recent.data._total > RECENT;
  const own = useCall(
    'datasourcesvc.runs.list',
    { query: { _orchid: id, _pageSize: 1 } },
    { isEnabled: isOlder, refreshMs: false },
  );
  const run = shared ?? own.data?._list[0];
  if (!run) return recent.data && !(isOlder && own.isPending) ? text('list.never') : '…';
  return (
    <PageLink to={`/orchestrators/${id}/runs/${run.id}`}>
      <RunStatus status={run._status} /> {time(run._createdat)}
    </PageLink>
  );
}
