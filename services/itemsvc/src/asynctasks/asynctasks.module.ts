import { resource } from '@dtplatform/runtime';
import { linkKeyModel } from './async-tasks.store.js';
import { asyncTaskRoutes } from './asynctasks.routes.js';

export const asynctasks = resource({
  tags: { asyncTasks: 'Accepted requests that continue after the response.' },
  models: [linkKeyModel],
  routes: (parts: Parameters<typeof asyncTaskRoutes>[0]) => [asyncTaskRoutes(parts)],
});
