import type { AsyncTask } from '@dtplatform/contracts';
import { requireOwnTask } from '@dtplatform/permissions';
import type { Access, FoundTask } from '@dtplatform/permissions';

/** Accepted work of this service, of any kind. */
export interface AsyncTaskStore {
  find(id: string): Promise<FoundTask<AsyncTask> | undefined>;
}

export interface AsyncTasks {
  /** @throws 404 unless the caller may see the task (`requireOwnTask`) */
  get(id: string, access: Access): Promise<AsyncTask>;
}

export const createAsyncTasks = ({ taskStore }: { taskStore: AsyncTaskStore }): AsyncTasks => ({
  get: async (id, access) => requireOwnTask(await taskStore.find(id), access),
});
