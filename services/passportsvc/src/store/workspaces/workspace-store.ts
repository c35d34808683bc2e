import { isTimeLimitExceeded, listPage } from '@dtplatform/mongo';
import type { ClientSession, Mongo } from '@dtplatform/mongo';
import type { WorkspaceStore } from '../../domain/workspaces/ports.js';
import { errors } from '../../errors.js';
import { appModel } from '../apps/app.model.js';
import { workspaceFilter } from './workspace-filter.js';
import { workspaceModel } from './workspace.model.js';

export function createWorkspaceStore(mongo: Mongo): WorkspaceStore {
  const workspaces = mongo.model(workspaceModel);
  const apps = mongo.model(appModel);

  /** Writes to the app's record, so that concurrent transactions conflict instead of both passing the count. */
  async function assertRoom(session: ClientSession, appId: string, more: number, limit: number): Promise<void> {
    // Through the driver's collection, because callers do not see this change: the app's revision must not rise.
    await apps.collection.updateOne({ _id: appId as never }, { $inc: { _workspaceWrites: 1 } }, { session });
    const count = await workspaces.countDocuments({ _appId: appId }, { session, limit: limit + 1 });
    if (count + more > limit) throw errors.workspacesLimit();
  }

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
    async insertAll(added, appId, limit) {
      if (added.length === 0) return;
      await mongo.transaction(async (session) => {
        if (limit !== undefined) await assertRoom(session, appId, added.length, limit);
        await workspaces.insertMany(added, { session });
      });
    },
  };
}
