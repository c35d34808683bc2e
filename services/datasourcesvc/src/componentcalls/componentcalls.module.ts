import { resource } from '@dtplatform/runtime';
import { componentCallModel } from './component-calls.store.js';
import { componentCallRoutes } from './componentcalls.routes.js';

export const componentcalls = resource({
  tags: { componentCalls: 'Claims and reports of workers that serve components.' },
  models: [componentCallModel],
  routes: (parts: Parameters<typeof componentCallRoutes>[0]) => [componentCallRoutes(parts)],
});
