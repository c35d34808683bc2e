import { AsyncTask } from '@dtplatform/contracts';
import { ServiceCallError } from '@dtplatform/service-client';
import type { ServiceClient } from '@dtplatform/service-client';
import type { TaskCaller } from './asynctasks.js';

export const createRemoteTasks = (service: string, client: ServiceClient) => ({
  /** @throws 503 while the service is unavailable */
  find: (id: string, { token, signal }: TaskCaller): Promise<AsyncTask | undefined> =>
    client.call({ path: `/${service}/api/v1/asynctasks/${id}`, token, signal }, AsyncTask).catch((error: unknown) => {
      if (error instanceof ServiceCallError && [403, 404].includes(error.status)) return undefined;
      throw error;
    }),
});

export type RemoteTasks = ReturnType<typeof createRemoteTasks>;
