import { z } from 'zod';
import { AsyncTask, ResourceId } from '@dtplatform/contracts';
import { ok, route, routes } from '@dtplatform/http';
import type { Deps } from '../../deps.js';

/** Tasks of all services (docs/contract.md, "Async task"). */
export const asyncTaskRoutes = ({ asyncTasks }: Deps) =>
  routes('/asynctasks', [
    route.get('/:id', {
      operation: 'asyncTasks.get',
      summary: 'The state of an accepted request to any service, for the caller that sent it.',
      params: z.object({ id: ResourceId }),
      replies: { 200: AsyncTask },
      handler: async ({ params, access, signal }) => ok(await asyncTasks.get(params.id, access.principal, signal)),
    }),
  ]);
