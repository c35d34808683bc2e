import { resource } from '@dtplatform/runtime';
import { componentCallModel } from './component-calls.store.js';
import { componentCallRoutes } from './componentcalls.routes.js';

export const componentcalls = resource({
  tags: { componentCalls: 'Steps whose components are served by other processes. For these processes.' },
  models: [componentCallModel],
  routes: (parts: Parameters<typeof componentCallRoutes>[0]) => [componentCallRoutes(parts)],
});
