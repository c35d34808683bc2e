import type { AsyncTask } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import { requireOwnTask } from '@dtplatform/permissions';
import type { Access, FoundTask } from '@dtplatform/permissions';
import type { LinkProof, ResponseLinks } from './response-links.js';

/** Accepted work of this service, of any kind. */
export interface AsyncTaskStore {
  find(id: string): Promise<FoundTask<AsyncTask> | undefined>;
}

export interface AsyncTasks {
  /** @throws 404 unless the caller may see the task (`requireOwnTask`) */
  get(id: string, access: Access): Promise<AsyncTask>;
  /** The body of the response, as JSON text. @throws 404 unless the link is valid and the task has a response */
  readResponse(id: string, proof: LinkProof): Promise<string>;
}

interface Deps {
  taskStore: AsyncTaskStore;
  links: ResponseLinks;
}

export const createAsyncTasks = ({ taskStore, links }: Deps): AsyncTasks => ({
  get: async (id, access) => links.shorten(await requireOwnTask(await taskStore.find(id), access)),
  async readResponse(id, proof) {
    const found = (await links.isValid(id, proof)) ? await taskStore.find(id) : undefined;
    if (!found?.task._response) throw commonErrors.notFound();
    return found.task._response._body;
  },
});
