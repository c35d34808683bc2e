import { z } from 'zod';
import { AsyncTask, ResourceId } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import { documents, ok, route, routes } from '@dtplatform/http';
import type { AsyncTasks } from './async-tasks.js';

const TaskParams = z.object({ id: ResourceId.describe('The id of the task.') });
const TaskResponseBody = z
  .looseObject({})
  .meta({ id: 'TaskResponseBody', description: 'The body of the response that the call would have returned.' });

/** Every service serves its tasks at this path; passportsvc reads them there. */
export const asyncTaskRoutes = ({ asyncTasks }: { asyncTasks: AsyncTasks }) =>
  routes('/asynctasks', [
    route.get('/:id', {
      operation: 'asyncTasks.get',
      summary: 'Read the state of an accepted request. Only for the caller that sent it.',
      needs: documents({ rule: 'own' }),
      params: TaskParams,
      responses: { 200: AsyncTask },
      handler: async ({ params, access }) => ok(await asyncTasks.get(params.id, access)),
    }),
    route.get('/:id/response', {
      operation: 'asyncTasks.getResponse',
      summary: 'Fetch the body of a response larger than 1 MB from the signed URL in the task.',
      auth: 'none',
      params: TaskParams,
      query: z.object({
        expires: z
          .string()
          .regex(/^\d{1,12}$/)
          .describe('When the URL expires, in seconds since 1970.'),
        signature: z.string().max(64).describe('The signature of the URL.'),
      }),
      errors: [commonErrors.notFound],
      responses: { 200: TaskResponseBody },
      handler: async ({ params, query: { expires, signature } }) => {
        const text = await asyncTasks.readResponse(params.id, { expires: Number(expires), signature });
        return ok(JSON.parse(text) as Record<string, unknown>, { 'cache-control': 'no-store' });
      },
    }),
  ]);
