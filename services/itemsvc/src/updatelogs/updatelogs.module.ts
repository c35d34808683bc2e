import { resource } from '@dtplatform/runtime';
import { updateLogModel } from './update-logs.store.js';
import { updateLogRoutes } from './updatelogs.routes.js';

export const updatelogs = resource({
  tags: { updateLogs: 'Who changed items and their versions, and when.' },
  models: [updateLogModel],
  routes: (parts: Parameters<typeof updateLogRoutes>[0]) => [updateLogRoutes(parts)],
});
