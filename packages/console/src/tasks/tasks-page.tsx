import { Alert, Anchor, Code, Group, Progress, Stack, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Task } from '@dtplatform/sdk';
import { useState } from 'react';
import { reprinted, useCall, useParameter, useText } from '../frame';
import { Empty, Input, PageTitle, Pending, Select } from '../ui';
import { TASK_OPERATIONS, TASK_SERVICES, useRememberedTasks } from './remember-task';
import type { TaskService } from './remember-task';

const isService = (name: string): name is TaskService => Object.hasOwn(TASK_OPERATIONS, name);

/** Finds a task by its id, and lists those that this tab has started. */
export function TasksPage() {
  const { text } = useText();
  const [service, setService] = useParameter('service');
  const [typed, setTyped] = useParameter('task');
  const id = typed.trim();
  const isId = /^[0-9a-f]{24}$/.test(id);
  const chosen = isService(service) ? service : 'passportsvc';
  return (
    <Stack>
      <PageTitle>{text('tasks.title')}</PageTitle>
      <Text>{text('tasks.help')}</Text>
      <Group align="flex-start" className="fields">
        <Select
          label={text('tasks.service')}
          description={text('tasks.serviceHelp')}
          data={TASK_SERVICES.map((value) => ({ value, label: text(`tasks.${value}`) }))}
          value={chosen}
          onChange={setService}
        />
        <Input
          label={text('tasks.id')}
          description={text('tasks.idHelp')}
          error={id !== '' && !isId && text('tasks.noId')}
          value={typed}
          onChange={setTyped}
        />
      </Group>
      {isId && <TaskState key={`${chosen} ${id}`} service={chosen} id={id} />}
      <Remembered />
    </Stack>
  );
}

function Remembered() {
  const { text } = useText();
  const tasks = useRememberedTasks();
  return (
    <section aria-label={text('tasks.own')}>
      <Title order={3} size="h4">
        {text('tasks.own')}
      </Title>
      {tasks.length === 0 && <Empty>{text('tasks.empty')}</Empty>}
      <ul>
        {tasks.map(({ service, id, label }) => (
          <li key={id}>
            <Anchor component={Link} to={'.'} search={{ service, task: id }}>
              {label}
            </Anchor>
          </li>
        ))}
      </ul>
    </section>
  );
}

const POLL_MS = 2000;
const hasEnded = ({ _status }: Task) => _status === 'COMPLETED' || _status === 'ERROR';

function TaskState({ service, id }: { service: TaskService; id: string }) {
  const { text, number } = useText();
  const [refreshMs, setRefreshMs] = useState<number | false>(POLL_MS);
  const task = useCall(TASK_OPERATIONS[service], { path: { id } }, { refreshMs });
  const isOver = task.error !== null || (task.data !== undefined && hasEnded(task.data));
  if (isOver && refreshMs !== false) setRefreshMs(false);
  if (!task.data) return <Pending of={[task]} />;
  const {
    _status,
    _statusmsg,
    _progress = hasEnded(task.data) ? 100 : 0,
    _timeTakenInSecs,
    _batchCompleted,
  } = task.data;
  return (
    <Stack gap="xs">
      {_status === 'ERROR' && (
        <Alert color="red" role="alert" title={text('tasks.why')}>
          {_statusmsg || text('state.noReason')}
        </Alert>
      )}
      <Text role="status">{`${text(`runs.${_status}`)}, ${number(Math.round(_progress))} %. ${_statusmsg ?? ''}`}</Text>
      <Progress value={_progress} aria-label={text('state.progress')} />
      <Text size="sm">
        {text('tasks.numbers', { count: number(_batchCompleted), seconds: number(_timeTakenInSecs) })}
      </Text>
      <Answer task={task.data} />
    </Stack>
  );
}

/** What the call would have returned. */
function Answer({ task: { _response: response } }: { task: Task }) {
  const { text } = useText();
  if (!response) return undefined;
  const isLink = response.externalStorage && /^https?:\/\//.test(response._body);
  return (
    <section>
      <Text fw={600}>{`${text('state.result')}: ${response._status} ${response._statusMsg}`}</Text>
      {isLink ? (
        <Anchor href={response._body} target="_blank" rel="noreferrer">
          {text('tasks.fetch')}
        </Anchor>
      ) : (
        <Code block className="output" tabIndex={0} role="group" aria-label={text('state.result')}>
          {reprinted(response._body)}
        </Code>
      )}
    </section>
  );
}
