import type { AsyncTask } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import type { RemoteTasks } from './remote-tasks.client.js';

export interface TaskCaller {
  token: string;
  signal: AbortSignal;
}

export type AsyncTasks = ReturnType<typeof createAsyncTasks>;

/**
 * Looks up tasks across services. Each service decides who sees its tasks.
 * @param remoteTasks one per service that accepts tasks
 */
export const createAsyncTasks = (remoteTasks: readonly RemoteTasks[]) => ({
  /**
   * @throws notFound unless a service shows the task to the caller; 503 when a service that may have it is unavailable
   */
  async get(id: string, caller: TaskCaller): Promise<AsyncTask> {
    const responses = await Promise.allSettled(remoteTasks.map((remote) => remote.find(id, caller)));
    const found = responses.find((response) => response.status === 'fulfilled' && response.value !== undefined);
    if (found?.status === 'fulfilled') return found.value!;
    const failed = responses.find(({ status }) => status === 'rejected');
    throw failed?.status === 'rejected' ? failed.reason : commonErrors.notFound();
  },
});
