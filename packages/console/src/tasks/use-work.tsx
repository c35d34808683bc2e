import { Progress } from '@mantine/core';
import { waitForTask } from '@dtplatform/sdk';
import type { Input, OperationId, Task } from '@dtplatform/sdk';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client, useNamespace, useText } from '../frame';
import { rememberTask } from './remember-task';

/**
 * An operation that may answer with a task: it has succeeded when the task has, and resolves to its response.
 * @param isEnd whether the page is left afterwards, so that nothing on it is read again
 */
export function useWork<O extends OperationId>(operation: O, isEnd = false) {
  const namespace = useNamespace()!;
  const queries = useQueryClient();
  const [task, setTask] = useState<Task>();
  const work = useMutation({
    mutationKey: [namespace, operation],
    mutationFn: async (input: Input<O>) => {
      const caller = client.in(namespace);
      const reply = await caller.send(operation, ...([input] as unknown as never));
      rememberTask(reply.headers.get('location'), operation);
      const ended = await waitForTask(caller, reply, { onProgress: setTask });
      const { _body = '', externalStorage = false } = ended?._response ?? {};
      const response: unknown = ended ? JSON.parse(externalStorage ? '{}' : _body || '{}') : reply.body;
      return (response ?? {}) as Record<string, unknown>;
    },
    onSettled: () => {
      setTask(undefined);
      if (!isEnd) void queries.invalidateQueries();
    },
  });
  return { start: work.mutateAsync, task, isPending: work.isPending };
}

/** How far a task is. */
export function WorkState({ task }: { task?: Task }) {
  const { text } = useText();
  return task && <Progress value={task._progress ?? 0} aria-label={text('state.progress')} striped animated />;
}
