import type { AsyncTask } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import type { Principal } from '@dtplatform/jwt';

/** Accepted work, and who started it. */
export interface FoundTask {
  task: AsyncTask;
  createdById: string;
}

/** Accepted work of this service, of any kind. */
export interface AsyncTaskStore {
  find(id: string): Promise<FoundTask | undefined>;
}

export interface AsyncTasks {
  /** @throws 404 unless the caller started the task or is an administrator or a trusted client */
  get(id: string, principal: Principal): Promise<AsyncTask>;
}

export const createAsyncTasks = ({ taskStore }: { taskStore: AsyncTaskStore }): AsyncTasks => ({
  get: async (id, principal) => requireOwn(await taskStore.find(id), principal),
});

/** @throws 404 unless the caller started the task or is an administrator or a trusted client */
export function requireOwn(found: FoundTask | undefined, { kind, id }: Principal): AsyncTask {
  const maySee = found?.createdById === id || kind === 'admin' || kind === 'trusted';
  if (!found || !maySee) throw commonErrors.notFound();
  return found.task;
}
