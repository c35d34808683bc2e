import type { Mongo } from '@dtplatform/mongo';
import { resource } from '@dtplatform/runtime';
import { createFileSetContents, fileSetModel } from './file-sets.store.js';
import { fileSetRoutes } from './filesets.routes.js';

export const filesets = resource({
  tags: { filesets: 'Sets of files shown together in a viewer.' },
  models: [fileSetModel],
  routes: (parts: Parameters<typeof fileSetRoutes>[0]) => [fileSetRoutes(parts)],
  contents: ({ mongo }: { mongo: Mongo }) => createFileSetContents(mongo),
});
