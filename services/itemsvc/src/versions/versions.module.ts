import { resource } from '@dtplatform/runtime';
import { versionModel } from './version.model.js';
import { versionRoutes } from './versions.routes.js';

export const versions = resource({
  tags: { versions: 'The versions of items.' },
  models: [versionModel],
  routes: (parts: Parameters<typeof versionRoutes>[0]) => [versionRoutes(parts)],
});
