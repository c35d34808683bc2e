import type { ClientSession } from 'mongodb';
import { findPage } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import type { App } from '../../domain/apps/app.js';
import type { WorkspaceStore } from '../../domain/workspaces/ports.js';
import type { Workspace } from '../../domain/workspaces/workspace.js';
import { errors } from '../../errors.js';
import { workspaceFilter } from './workspace-filter.js';

export function createWorkspaceStore(mongo: Mongo): WorkspaceStore {
  const workspaces = mongo.db.collection<Workspace>('workspaces');
  const apps = mongo.db.collection<App>('apps');

  /** Writes to the app's record, so that concurrent transactions conflict instead of both passing the count. */
  async function assertRoom(session: ClientSession, appId: string, more: number, limit: number): Promise<void> {
    await apps.updateOne({ _id: appId }, { $inc: { _workspaceWrites: 1 } }, { session });
    const count = await workspaces.countDocuments({ _appId: appId }, { session, limit: limit + 1 });
    if (count + more > limit) throw errors.workspacesLimit();
  }

  return {
    find: async (id) => (await workspaces.findOne({ _id: id })) ?? undefined,
    async list(query, paging) {
      const filter = workspaceFilter(query);
      const [list, total] = await Promise.all([
        findPage(workspaces, filter, { ...paging, sort: { _id: 1 } }),
        // Only trusted clients list the whole collection; its estimated count comes from metadata.
        Object.keys(filter).length === 0 ? workspaces.estimatedDocumentCount() : workspaces.countDocuments(filter),
      ]);
      return { list, total };
    },
    async insertAll(added, appId, limit) {
      if (added.length === 0) return;
      await mongo.transaction(async (session) => {
        if (limit !== undefined) await assertRoom(session, appId, added.length, limit);
        await workspaces.insertMany(added, { session, ignoreUndefined: true });
      });
    },
  };
}
