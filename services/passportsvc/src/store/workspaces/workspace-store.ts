import { usageRecorded as usage } from '@dtplatform/contracts';
import { deleteIfMatch, listPage, updateIfMatch } from '@dtplatform/mongo';
import type { ClientSession, Mongo } from '@dtplatform/mongo';
import { createOutbox, defineMessage } from '@dtplatform/queue';
import { newDeletion } from '../../domain/deletions/deletion.js';
import type { WorkspaceStore } from '../../domain/workspaces/ports.js';
import { usageOf } from '../../domain/workspaces/usage.js';
import { createAppLimit } from '../apps/app-limit.js';
import { deletionModel } from '../deletions/deletion.model.js';
import { mapQueryErrors } from '../map-query-errors.js';
import { touched } from '../touched.js';
import { workspaceFilter } from './workspace-filter.js';
import { workspaceModel } from './workspace.model.js';

/** To metricsvc. */
const usageRecorded = defineMessage(usage);

/** Workspaces in MongoDB. Writes also report usage. */
export function createWorkspaceStore(mongo: Mongo): WorkspaceStore {
  const workspaces = mongo.model(workspaceModel);
  const deletions = mongo.model(deletionModel);
  const assertRoom = createAppLimit(mongo, 'workspaces.limit', workspaces);
  const outbox = createOutbox(mongo);

  const report = (session: ClientSession, namespaces: string[], amount: 1 | -1) =>
    outbox.putMany(
      session,
      usageRecorded,
      usageOf(namespaces, amount, Date.now()).map((payload) => ({ payload })),
    );

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
        await report(
          session,
          added.flatMap(({ _namespaces }) => _namespaces),
          1,
        );
      });
    },
    remove: (id, precondition) =>
      mongo.transaction(async (session) => {
        const workspace = await deleteIfMatch(workspaces, id, { precondition, session });
        if (!workspace) return undefined;
        const deletion = newDeletion('workspace', workspace);
        await deletions.insertMany([deletion], { session });
        await report(session, workspace._namespaces, -1);
        return deletion;
      }),
    update: (id, change, author, precondition) =>
      mongo.transaction(async (session) => {
        const had = (await workspaces.findById(id, { _namespaces: 1 }).session(session).lean())?._namespaces ?? [];
        const $set = { ...change, ...touched(author) };
        const changed = await updateIfMatch(workspaces, id, { $set }, { precondition, session });
        const left = changed ? had.filter((namespace) => !changed._namespaces.includes(namespace)) : [];
        await report(session, left, -1);
        return changed;
      }),
  };
}
