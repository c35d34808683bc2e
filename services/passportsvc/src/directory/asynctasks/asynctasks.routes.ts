import { z } from 'zod';
import { AsyncTask, ResourceId } from '@dtplatform/contracts';
import { documents, ok, route, routes } from '@dtplatform/http';
import type { AsyncTasks } from './asynctasks.js';

export const asyncTaskRoutes = ({ asyncTasks }: { asyncTasks: AsyncTasks }) =>
  routes('/asynctasks', [
    route.get('/:id', {
      operation: 'asyncTasks.get',
      summary: 'Read the state of accepted work of any service. Only for the caller that started it.',
      needs: documents({ rule: 'own' }),
      params: z.object({ id: ResourceId.describe('The id of the task: 24 hexadecimal digits.') }),
      responses: { 200: AsyncTask },
      handler: async ({ params, access: { principal }, signal }) =>
        ok(await asyncTasks.get(params.id, { token: principal.token, signal })),
    }),
  ]);
