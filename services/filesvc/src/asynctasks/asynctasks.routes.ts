import { z } from 'zod';
import { AsyncTask, ResourceId } from '@dtplatform/contracts';
import { documents, ok, route, routes } from '@dtplatform/http';
import type { Trees } from '../trees/trees.js';

/** Tasks of this service. passportsvc reads them under this path, which all services share. */
export const asyncTaskRoutes = ({ trees }: { trees: Trees }) =>
  routes('/asynctasks', [
    route.get('/:id', {
      operation: 'fileTasks.get',
      summary: 'Read the state of an accepted deletion. Only for the caller that sent it.',
      needs: documents({ rule: 'own' }),
      params: z.object({ id: ResourceId }),
      responses: { 200: AsyncTask },
      handler: async ({ params, access }) => ok(await trees.getTask(params.id, access)),
    }),
  ]);
