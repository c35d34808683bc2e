import { resource } from '@dtplatform/runtime';
import { searchRoutes } from './search.routes.js';

/** It adds one operation to the item resource. */
export const search = resource({
  routes: (parts: Parameters<typeof searchRoutes>[0]) => [searchRoutes(parts)],
});
