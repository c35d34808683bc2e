import { Anchor, Button, Code, Stack, Text } from '@mantine/core';
import type { EntryOf } from '@dtplatform/sdk';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useChanges, useId, useText } from '../frame';
import { ConfirmButton, Failure, PageTitle, ResourceTable } from '../ui';

/** Workers send a heartbeat every 15 seconds. */
const WORKER_LOST_MS = 60_000;

/** The queues of all services. */
export function QueuesPage() {
  const { text } = useText();
  return (
    <Stack>
      <PageTitle>{text('queues.title')}</PageTitle>
      <Text>{text('queues.help')}</Text>
      <ResourceTable
        operation="passportsvc.queues.list"
        label={text('queues.title')}
        idOf={({ _id }) => _id}
        columns={[
          {
            title: text('queues.queue'),
            value: ({ _id }) => (
              <Anchor component={Link} to="/administration/queues/$queueId" params={{ queueId: _id }}>
                {_id}
              </Anchor>
            ),
            key: ({ _id }) => _id,
          },
          { title: text('queues.failing'), value: ({ _failing }) => _failing, key: ({ _failing }) => _failing },
          { title: text('queues.waiting'), value: ({ _waiting }) => _waiting },
          { title: text('queues.active'), value: ({ _active }) => _active },
          { title: text('queues.delayed'), value: ({ _delayed }) => _delayed },
          { title: text('queues.worker'), value: ({ _workerSeenAt }) => <Worker seenAt={_workerSeenAt} /> },
        ]}
        empty={text('queues.none')}
      />
    </Stack>
  );
}

function Worker({ seenAt }: { seenAt: number }) {
  const { text, time } = useText();
  return Date.now() - seenAt < WORKER_LOST_MS ? (
    text('queues.working')
  ) : (
    <Text c="red.9">{text('queues.lost', { time: time(seenAt) })}</Text>
  );
}

/** The failing messages of a queue. */
export function QueuePage() {
  const { text } = useText();
  const id = useId('queueId');
  return (
    <Stack>
      <PageTitle>{id}</PageTitle>
      <Text>{text('queues.failingHelp')}</Text>
      <ResourceTable
        operation="passportsvc.queues.listFailing"
        input={{ path: { id } }}
        label={text('queues.failing')}
        idOf={({ _id }) => _id}
        columns={[
          { title: text('queues.message'), value: ({ _name }) => _name },
          { title: text('queues.reason'), value: ({ _reason }) => _reason },
          { title: text('queues.attempts'), value: ({ _attempts }) => _attempts },
          { title: text('queues.lastAttempt'), time: ({ _lastAttemptAt }) => _lastAttemptAt },
          { title: text('queues.nextAttempt'), time: ({ _nextAttemptAt }) => _nextAttemptAt },
          {
            title: text('queues.payload'),
            value: ({ _payload }) => _payload !== undefined && <Code>{JSON.stringify(_payload)}</Code>,
          },
          { title: text('list.id'), value: ({ _id }) => _id },
        ]}
        empty={text('queues.noneFailing')}
        bulk={(messages, clear) => <Changes queue={id} messages={messages} onDone={clear} />}
      />
    </Stack>
  );
}

interface ChangesProps {
  queue: string;
  messages: EntryOf<'passportsvc.queues.listFailing'>[];
  onDone: () => void;
}

/** As many messages as one call changes. */
const MAX_MESSAGES = 100;

function Changes({ queue, messages, onDone }: ChangesProps) {
  const { text } = useText();
  const retry = useChanges('passportsvc.queues.retry');
  const discard = useChanges('passportsvc.queues.discard');
  const ids = messages.map(({ _id }) => _id);
  const calls = Array.from({ length: Math.ceil(ids.length / MAX_MESSAGES) }, (_, index) => ({
    path: { id: queue },
    body: { _messageIds: ids.slice(index * MAX_MESSAGES, (index + 1) * MAX_MESSAGES) },
  }));
  const retrying = useMutation({ mutationFn: () => retry(calls), onSuccess: onDone });
  return (
    <>
      {retrying.error && <Failure error={retrying.error} />}
      <Button loading={retrying.isPending} onClick={() => retrying.mutate()}>
        {text('form.retry')}
      </Button>
      <ConfirmButton label={text('queues.discard')} onConfirm={() => discard(calls).then(onDone)}>
        {text('queues.discardEffect', { count: ids.length })}
      </ConfirmButton>
    </>
  );
}
