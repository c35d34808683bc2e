import { workspaceDeleted } from '@dtplatform/contracts';
import { parentLockModel } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import { defineCatalogue } from '@dtplatform/queue';
import { resource } from '@dtplatform/runtime';
import { createNamespaceContents } from '../trees/tree-removal.store.js';
import type { TreeRemoval } from '../trees/tree-removal.store.js';
import { draftModel, fileModel } from './file.model.js';
import { fileRoutes } from './files.routes.js';

export const namespaceJobs = defineCatalogue('filesvc.namespaces', { [workspaceDeleted.name]: workspaceDeleted });

interface Worker {
  mongo: Mongo;
  treeRemoval: TreeRemoval;
}

export const files = resource({
  tags: { files: 'Files and folders.' },
  models: [parentLockModel, fileModel, draftModel],
  // Includes those of uploads, content, versions and previews: routes of one path must be in one table.
  routes: (parts: Parameters<typeof fileRoutes>[0]) => [fileRoutes(parts)],
  contents: ({ mongo, treeRemoval }: Worker) => createNamespaceContents(mongo, treeRemoval),
});
