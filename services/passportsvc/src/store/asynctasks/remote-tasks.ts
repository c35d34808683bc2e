import { AsyncTask } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import { ServiceCallError } from '@dtplatform/service-client';
import type { ServiceClient } from '@dtplatform/service-client';
import type { RemoteTasks } from '../../domain/asynctasks/ports.js';

/** Asks another service, in the caller's name. */
export const createRemoteTasks = (service: string, client: ServiceClient): RemoteTasks => ({
  find: (id, { token, signal }) =>
    client.call({ path: `/${service}/api/v1/asynctasks/${id}`, token, signal }, AsyncTask).catch((error: unknown) => {
      if (!(error instanceof ServiceCallError)) throw error;
      if (error.status === 401) throw commonErrors.unauthorized({ tokenSent: true, cause: error });
      return undefined;
    }),
});
