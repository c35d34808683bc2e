import { z } from 'zod';
import { AsyncTask, ResourceId } from '@dtplatform/contracts';
import { documents, ok, route, routes } from '@dtplatform/http';
import type { Deps } from '../../deps.js';

export const telemetryTaskRoutes = ({ telemetryConfigs }: Deps) =>
  routes('/telemetry_async_tasks', [
    route.get('/:id', {
      operation: 'telemetryTasks.get',
      summary:
        'Read the state of an accepted change of a telemetry configuration, or of accepted messages, for the caller that sent them.',
      needs: documents({ rule: 'own' }),
      params: z.object({ id: ResourceId.describe('The id of the task.') }),
      replies: { 200: AsyncTask },
      handler: async ({ params, access }) => ok(await telemetryConfigs.getTask(params.id, access)),
    }),
  ]);
