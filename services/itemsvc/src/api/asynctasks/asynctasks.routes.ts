import { z } from 'zod';
import { AsyncTask, ResourceId } from '@dtplatform/contracts';
import { ok, ownOnly, route, routes } from '@dtplatform/http';
import type { Deps } from '../../deps.js';

/** Tasks of this service, under the path that all services share. passportsvc asks for them there. */
export const asyncTaskRoutes = ({ asyncTasks }: Deps) =>
  routes('/asynctasks', [
    route.get('/:id', {
      operation: 'asyncTasks.get',
      summary: 'Read the state of an accepted request, for the caller that sent it.',
      needs: ownOnly,
      params: z.object({ id: ResourceId.describe('The id of the task.') }),
      replies: { 200: AsyncTask },
      handler: async ({ params, access }) => ok(await asyncTasks.get(params.id, access)),
    }),
  ]);
