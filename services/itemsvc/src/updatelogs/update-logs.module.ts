import { resource } from '@dtplatform/runtime';
import { updateLogRoutes } from './update-logs.routes.js';
import { updateLogModel } from './update-logs.store.js';

export const updatelogs = resource({
  tags: { updateLogs: 'Who changed items and their versions, and when.' },
  models: [updateLogModel],
  routes: (parts: Parameters<typeof updateLogRoutes>[0]) => [updateLogRoutes(parts)],
});
