import { isKeptExactly, usageRecorded as usage } from '@dtplatform/contracts';
import type { Author, Listing, Paging, Precondition } from '@dtplatform/contracts';
import { deleteIfMatch, listPage, modelOf, oneOf, scopeFilter, updateIfMatch } from '@dtplatform/mongo';
import type { ClientSession, Filter, Mongo } from '@dtplatform/mongo';
import { createOutbox, defineMessage } from '@dtplatform/queue';
import type { RecountSource } from '@dtplatform/runtime';
import { mapQueryErrors, matchesGlob, touched } from '../../queries/queries.store.js';
import { createAppLimit } from '../apps/apps.store.js';
import { newDeletion } from '../deletions/deletions.js';
import type { Deletion } from '../deletions/deletions.js';
import { deletionModel } from '../deletions/deletions.store.js';
import { usageOf, Workspace } from './workspace.js';
import type { WorkspaceChange } from './workspace.js';
import type { WorkspaceQuery } from './workspaces.js';

export const workspaceModel = modelOf('workspaces', Workspace, {
  indexes: [
    { key: { _namespaces: 1, _id: 1 }, name: 'namespaces' },
    { key: { _appId: 1 }, name: 'app' },
  ],
});

export function workspaceFilter({ visible, fields, attributes, text }: WorkspaceQuery): Filter {
  const conditions: Filter[] = [];
  if (visible !== 'everything') conditions.push(scopeFilter(visible));
  for (const [field, values] of Object.entries(fields)) conditions.push({ [field]: oneOf(values) });
  for (const [path, values] of Object.entries(attributes)) {
    conditions.push({ [`_userAttributes.${path}`]: oneOf(values.flatMap(asStored)) });
  }
  if (text !== undefined) conditions.push(matchesGlob(text, ['_name', '_shortName', '_description']));
  return conditions.length > 0 ? { $and: conditions } : {};
}

/** Query parameters are text, but the attribute may be a number or a boolean. */
function asStored(value: string): unknown[] {
  // A number beyond double precision must not match a different one.
  const asNumber = value.trim() !== '' && isKeptExactly(value) ? Number(value) : NaN;
  return [
    value,
    ...(Number.isFinite(asNumber) ? [asNumber] : []),
    ...(value === 'true' || value === 'false' ? [value === 'true'] : []),
  ];
}

const usageRecorded = defineMessage(usage);

export function createWorkspaceStore(mongo: Mongo) {
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
    find: async (id: string): Promise<Workspace | undefined> => (await workspaces.findById(id).lean()) ?? undefined,
    async list(query: WorkspaceQuery, paging: Paging): Promise<Listing<Workspace>> {
      const filter = workspaceFilter(query);
      // Only trusted clients list the whole collection; its estimated count comes from metadata.
      const isWhole = Object.keys(filter).length === 0;
      const total = isWhole ? () => workspaces.estimatedDocumentCount().exec() : undefined;
      return mapQueryErrors(() => listPage(workspaces, filter, { paging, total }));
    },
    /** An early check. @throws forbidden when the app no longer exists, workspacesLimit */
    assertRoom: (appId: string, added: number): Promise<void> => assertRoom(appId, added),
    /** All or nothing. @throws forbidden when the app no longer exists, workspacesLimit */
    async insertAll(added: Workspace[], appId: string): Promise<void> {
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
    /**
     * Deletes a workspace and records the cleanup. @returns the cleanup; undefined when it no longer exists. @throws
     * 412
     */
    remove: (id: string, precondition: Precondition): Promise<Deletion | undefined> =>
      mongo.transaction(async (session) => {
        const workspace = await deleteIfMatch(workspaces, id, { precondition, session });
        if (!workspace) return undefined;
        const deletion = newDeletion('workspace', workspace);
        await deletions.insertMany([deletion], { session });
        await report(session, workspace._namespaces, -1);
        return deletion;
      }),
    /** @returns the changed workspace; undefined when it no longer exists. @throws 412 */
    update: (
      id: string,
      change: WorkspaceChange,
      author: Author,
      precondition: Precondition,
    ): Promise<Workspace | undefined> =>
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

export type WorkspaceStore = ReturnType<typeof createWorkspaceStore>;

export function createRecountSource(mongo: Mongo): RecountSource {
  const workspaces = mongo.collection(workspaceModel);
  return {
    async ofNamespace(namespace, options) {
      const count = await workspaces.countDocuments({ _namespaces: namespace }, options);
      return usageOf([namespace], 1, 0).flatMap(({ _changes }) =>
        _changes.map((change) => ({ ...change, _amount: count })),
      );
    },
  };
}
