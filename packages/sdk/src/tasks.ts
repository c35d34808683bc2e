import type { Client } from './client.js';
import { WorkFailedError } from './errors.js';
import { sleep } from './retry.js';
import type { Reply, Schemas } from './types.js';

/** An async task. */
export type Task = Schemas['AsyncTask'];

export interface WaitOptions<Work> {
  /** Called with each state that is read. */
  onProgress?: (work: Work) => void;
  signal?: AbortSignal;
}

const FIRST_POLL_MS = 250;
const LAST_POLL_MS = 5000;

/**
 * Waits for the work that a response has accepted (202 with `Location`). @returns the task; undefined if the work was
 * done immediately
 * @throws WorkFailedError when it fails
 */
export async function waitForTask(
  client: Client,
  reply: Pick<Reply<unknown>, 'status' | 'headers'>,
  { onProgress, signal }: WaitOptions<Task> = {},
): Promise<Task | undefined> {
  const location = reply.status === 202 ? reply.headers.get('location') : null;
  if (location === null) return undefined;
  for (let waitMs = FIRST_POLL_MS; ; waitMs = Math.min(LAST_POLL_MS, waitMs * 1.5)) {
    const task = (await (await client.open(location, { signal })).json()) as Task;
    onProgress?.(task);
    if (task._status === 'COMPLETED') return task;
    if (task._status === 'ERROR') throw new WorkFailedError(task._statusmsg ?? 'The task has failed.', task);
    await sleep(waitMs, signal);
  }
}
