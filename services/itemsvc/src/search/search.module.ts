import { resource } from '@dtplatform/runtime';
import { searchRoutes } from './search.routes.js';

/** Its operation is one of those of items. */
export const search = resource({
  routes: (parts: Parameters<typeof searchRoutes>[0]) => [searchRoutes(parts)],
});
