import { deleteIfMatch, isTimeLimitExceeded, listPage, updateIfMatch } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import { newDeletion } from '../../domain/deletions/deletions.js';
import type { WorkspaceStore } from '../../domain/workspaces/ports.js';
import { errors } from '../../errors.js';
import { createAppLimits } from '../apps/app-limits.js';
import { deletionModel } from '../deletions/deletion.model.js';
import { workspaceFilter } from './workspace-filter.js';
import { workspaceModel } from './workspace.model.js';

export function createWorkspaceStore(mongo: Mongo): WorkspaceStore {
  const workspaces = mongo.model(workspaceModel);
  const deletions = mongo.model(deletionModel);
  const limits = createAppLimits(mongo);
  const roomFor = (appId: string, added: number) => ({
    appId,
    key: 'workspaces.limit' as const,
    model: workspaces,
    added,
  });

  return {
    find: async (id) => (await workspaces.findById(id).lean()) ?? undefined,
    async list(query, paging) {
      const filter = workspaceFilter(query);
      // Only trusted clients list the whole collection; its estimated count comes from metadata.
      const isWhole = Object.keys(filter).length === 0;
      const total = isWhole ? () => workspaces.estimatedDocumentCount().exec() : undefined;
      try {
        return await listPage(workspaces, filter, { paging, total });
      } catch (error) {
        throw isTimeLimitExceeded(error) ? errors.queryTooSlow({ cause: error }) : error;
      }
    },
    assertRoom: (appId, added) => limits.assertRoom(roomFor(appId, added)),
    async insertAll(added, appId) {
      if (added.length === 0) return;
      await mongo.transaction(async (session) => {
        await limits.assertRoom(roomFor(appId, added.length), session);
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
    async update(id, change, { id: byId, name }, precondition) {
      const $set = {
        ...change,
        '_metadata._updatedAt': Date.now(),
        '_metadata._updatedById': byId,
        '_metadata._updatedByName': name,
      };
      return updateIfMatch(workspaces, id, { $set }, { precondition });
    },
  };
}
