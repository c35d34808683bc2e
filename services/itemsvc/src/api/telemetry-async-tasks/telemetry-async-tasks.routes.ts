import { z } from 'zod';
import { AsyncTask, ResourceId } from '@dtplatform/contracts';
import { ok, route, routes } from '@dtplatform/http';
import type { Deps } from '../../deps.js';

export const telemetryTaskRoutes = ({ telemetryConfigs }: Deps) =>
  routes('/telemetry_async_tasks', [
    route.get('/:id', {
      operation: 'telemetryTasks.get',
      summary: 'The state of an accepted write of a telemetry configuration, for the caller that started it.',
      params: z.object({ id: ResourceId }),
      replies: { 200: AsyncTask },
      handler: async ({ params, access }) => ok(await telemetryConfigs.getTask(params.id, access.principal)),
    }),
  ]);

/** Tasks of this service, under the path that all services share. passportsvc asks for them there. */
export const asyncTaskRoutes = ({ telemetryConfigs }: Deps) =>
  routes('/asynctasks', [
    route.get('/:id', {
      operation: 'asyncTasks.get',
      summary: 'The state of an accepted request, for the caller that sent it.',
      params: z.object({ id: ResourceId }),
      replies: { 200: AsyncTask },
      handler: async ({ params, access }) => ok(await telemetryConfigs.getTask(params.id, access.principal)),
    }),
  ]);
