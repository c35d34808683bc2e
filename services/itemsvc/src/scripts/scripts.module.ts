import { resource } from '@dtplatform/runtime';
import { scriptRoutes } from './scripts.routes.js';

export const scripts = resource({
  tags: { scripts: 'How messages of devices become readings, on samples.' },
  routes: (parts: Parameters<typeof scriptRoutes>[0]) => [scriptRoutes(parts)],
});
