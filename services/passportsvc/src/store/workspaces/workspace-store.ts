import { deleteIfMatch, listPage, updateIfMatch } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import { newDeletion } from '../../domain/deletions/deletion.js';
import type { WorkspaceStore } from '../../domain/workspaces/ports.js';
import { createAppLimit } from '../apps/app-limit.js';
import { deletionModel } from '../deletions/deletion.model.js';
import { mapQueryErrors } from '../map-query-errors.js';
import { touched } from '../touched.js';
import { workspaceFilter } from './workspace-filter.js';
import { workspaceModel } from './workspace.model.js';

export function createWorkspaceStore(mongo: Mongo): WorkspaceStore {
  const workspaces = mongo.model(workspaceModel);
  const deletions = mongo.model(deletionModel);
  const assertRoom = createAppLimit(mongo, 'workspaces.limit', workspaces);

  return {
    find: async (id) => (await workspaces.findById(id).lean()) ?? undefined,
    async list(query, paging) {
      const filter = workspaceFilter(query);
      // Only trusted clients list the whole collection; its estimated count comes from metadata.
      const isWhole = Object.keys(filter).length === 0;
      const total = isWhole ? () => workspaces.estimatedDocumentCount().exec() : undefined;
      return mapQueryErrors(() => listPage(workspaces, filter, { paging, total }));
    },
    assertRoom: (appId, added) => assertRoom(appId, added),
    async insertAll(added, appId) {
      if (added.length === 0) return;
      await mongo.transaction(async (session) => {
        await assertRoom(appId, added.length, session);
        await workspaces.insertMany(added, { session });
      });
    },
    remove: (id, precondition) =>
      mongo.transaction(async (session) => {
        const workspace = await deleteIfMatch(workspaces, id, { precondition, session });
        if (!workspace) return undefined;
        const deletion = newDeletion('workspace', workspace);
        await deletions.insertMany([deletion], { session });
        return deletion;
      }),
    update: (id, change, author, precondition) =>
      updateIfMatch(workspaces, id, { $set: { ...change, ...touched(author) } }, { precondition }),
  };
}
