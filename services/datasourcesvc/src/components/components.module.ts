import { resource } from '@dtplatform/runtime';
import { componentRoutes } from './components.routes.js';
import { registeredComponentModel } from './components.store.js';

export const components = resource({
  tags: { components: 'What steps of orchestrators can do.' },
  models: [registeredComponentModel],
  routes: (parts: Parameters<typeof componentRoutes>[0]) => [componentRoutes(parts)],
});
