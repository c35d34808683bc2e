import type { AsyncTask } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import type { Principal } from '@dtplatform/jwt';
import type { OwnTask, OwnTasks, RemoteTasks } from './ports.js';

interface Deps {
  ownTasks: OwnTasks;
  /** Of each service that accepts tasks. */
  remoteTasks: readonly RemoteTasks[];
}

export type AsyncTasks = ReturnType<typeof createAsyncTasks>;

/** The tasks of all services in one place. Each service decides who sees its own. */
export const createAsyncTasks = ({ ownTasks, remoteTasks }: Deps) => ({
  /** @throws notFound unless the caller started the task or is an administrator; 503 when a service that may have it is unavailable */
  async get(id: string, principal: Principal, signal: AbortSignal): Promise<AsyncTask> {
    const own = await ownTasks.find(id);
    if (own && maySee(own, principal)) return own.task;
    if (own) throw commonErrors.notFound();
    const caller = { token: principal.token, signal };
    const answers = await Promise.allSettled(remoteTasks.map((remote) => remote.find(id, caller)));
    const found = answers.find((answer) => answer.status === 'fulfilled' && answer.value !== undefined);
    if (found?.status === 'fulfilled') return found.value!;
    const failed = answers.find(({ status }) => status === 'rejected');
    throw failed?.status === 'rejected' ? failed.reason : commonErrors.notFound();
  },
});

const maySee = ({ createdById }: OwnTask, { kind, id }: Principal) =>
  createdById === id || kind === 'admin' || kind === 'trusted';
