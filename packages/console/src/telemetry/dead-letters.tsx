import { Button, Code, Group, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { EntryOf } from '@dtplatform/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client, printed, useCall, useChange, useNamespace, useText } from '../frame';
import { ConfirmButton, Dialog, Failure, ResourceTable } from '../ui';
import type { MessageKey } from '../messages/en';
import { useWork, WorkState } from '../tasks/use-work';

type Letter = EntryOf<'itemsvc.deadLetters.list'>;

interface Labels {
  retry: MessageKey;
  remove: MessageKey;
}
const IN_ROW: Labels = { retry: 'form.retry', remove: 'form.delete' };
const IN_BULK: Labels = { retry: 'letters.retrySelected', remove: 'letters.deleteSelected' };

/** The messages that did not become readings, with retrying and deleting. */
export function DeadLetters({ id, mayEdit }: { id: string; mayEdit: boolean }) {
  const { text } = useText();
  const replay = useReplay(id);
  const remove = useChange('itemsvc.deadLetters.deleteMany');
  const drop = (letters: Letter[]) =>
    remove.mutateAsync({ path: { id }, query: { _ids: letters.map(({ _id }) => _id) } });
  const actionsOn = (letters: Letter[], after: () => void, labels: Labels = IN_BULK) => (
    <>
      <Button size="compact-sm" loading={replay.isPending} onClick={() => void replay.run(letters).then(after)}>
        {text(labels.retry)}
      </Button>
      <ConfirmButton
        label={text(labels.remove)}
        row={labels === IN_ROW ? letters[0]!._reason : undefined}
        onConfirm={() => drop(letters).then(after)}
      >
        {text('letters.deleteEffect', { count: letters.length })}
      </ConfirmButton>
    </>
  );
  return (
    <Stack gap="xs">
      {replay.message && <Text role="status">{replay.message}</Text>}
      {replay.error && <Failure error={replay.error} />}
      <WorkState task={replay.task} />
      <ResourceTable
        operation="itemsvc.deadLetters.list"
        input={{ path: { id } }}
        label={text('letters.title')}
        pageSize={PAGE_SIZE}
        idOf={({ _id }) => _id}
        columns={[
          { title: text('list.time'), time: (letter) => letter._failedAt },
          { title: text('letters.reason'), value: ({ _code, _reason }) => `${_code}: ${_reason}` },
          {
            title: text('access.actions'),
            value: (letter) => (
              <Group gap={4} wrap="nowrap">
                <ShowLetter letter={letter} />
                {mayEdit && actionsOn([letter], () => undefined, IN_ROW)}
              </Group>
            ),
          },
          { title: text('telemetry.message'), value: ({ _message }) => textOf(_message) },
        ]}
        empty={text('letters.empty')}
        actions={mayEdit && <All id={id} onReplay={() => void replay.run()} isPending={replay.isPending} />}
        bulk={mayEdit ? (letters, clear) => actionsOn(letters, clear) : undefined}
      />
    </Stack>
  );
}

const textOf = (message: unknown) => (typeof message === 'string' ? message : JSON.stringify(message));

/** Replays letters, by default the oldest thousand, and tells what came of them. */
function useReplay(id: string) {
  const { text } = useText();
  const { start, task, isPending } = useWork('itemsvc.deadLetters.replay');
  const [message, setMessage] = useState('');
  const [error, setError] = useState<Error>();
  async function run(letters?: Letter[]): Promise<void> {
    setMessage('');
    setError(undefined);
    try {
      const body = letters ? { _ids: letters.map(({ _id }) => _id) } : {};
      const { _total, _deadLetters } = await start({ path: { id }, body });
      setMessage(text('letters.retried', { count: Number(_total), failed: Number(_deadLetters) }));
    } catch (failure) {
      setError(failure as Error);
    }
  }
  return { run, task, isPending, message, error };
}

/** A page of larger messages may be too large. */
const PAGE_SIZE = 20;

function All({ id, onReplay, isPending }: { id: string; onReplay: () => void; isPending: boolean }) {
  const { text } = useText();
  const own = client.in(useNamespace()!);
  const queries = useQueryClient();
  const letters = useCall('itemsvc.deadLetters.list', { path: { id }, query: { _pageSize: 0 } });
  const count = letters.data?._total ?? 0;
  if (count === 0) return undefined;
  async function removeAll() {
    // The count bounds the work: more may come in meanwhile.
    for (let left = count; left > 0;) {
      const { _list } = await own.call('itemsvc.deadLetters.list', { path: { id }, query: { _pageSize: PAGE_SIZE } });
      if (_list.length === 0) break;
      const _ids = _list.slice(0, left).map(({ _id }) => _id);
      await own.call('itemsvc.deadLetters.deleteMany', { path: { id }, query: { _ids } });
      left -= _ids.length;
    }
    await queries.invalidateQueries();
  }
  return (
    <>
      <Button variant="default" loading={isPending} onClick={onReplay}>
        {text('letters.retryAll')}
      </Button>
      <ConfirmButton label={text('letters.deleteAll')} onConfirm={removeAll}>
        {text('letters.deleteEffect', { count })}
      </ConfirmButton>
    </>
  );
}

function ShowLetter({ letter }: { letter: Letter }) {
  const { text } = useText();
  const [isOpen, { open, close }] = useDisclosure();
  const { _code, _reason, _message } = letter;
  return (
    <>
      <Button size="compact-sm" variant="default" onClick={open}>
        {text('letters.show')}
      </Button>
      <Dialog isOpen={isOpen} onClose={close} title={text('telemetry.message')} size="lg">
        <Text mb="sm">{`${_code}: ${_reason}`}</Text>
        <Code block tabIndex={0}>
          {typeof _message === 'string' ? _message : printed(_message)}
        </Code>
      </Dialog>
    </>
  );
}
