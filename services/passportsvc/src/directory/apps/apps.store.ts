import type { Listing, Paging } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import {
  after,
  deleteIfMatch,
  ifPresent,
  listPage,
  modelOf,
  not,
  oneOf,
  scopeFilter,
  updateIfMatch,
} from '@dtplatform/mongo';
import type { ClientSession, Filter, Model, Mongo } from '@dtplatform/mongo';
import { errors } from '../../errors.js';
import type { Versions } from '../../oauth/token/versions.store.js';
import { insertNew, mapQueryErrors, matchesGlob } from '../../queries/queries.store.js';
import { newDeletion } from '../deletions/deletions.js';
import type { Deletion } from '../deletions/deletions.js';
import { deletionModel } from '../deletions/deletions.store.js';
import { App } from './app.js';
import type { AppChange, AppConfigKey, AppConfigs } from './app.js';
import type { AppQuery, AppWrite, VisibleApps } from './apps.js';

export const appModel = modelOf('apps', App, {
  indexes: [
    { key: { _shortName: 1 }, name: 'short_name', unique: true },
    { key: { _ownerId: 1, _id: 1 }, name: 'owner' },
    { key: { _orgId: 1, _id: 1 }, name: 'organization' },
    { key: { _namespaces: 1, _id: 1 }, name: 'namespaces' },
    { key: { _authorizedOrigins: 1 }, name: 'authorized_origins', ...ifPresent('_authorizedOrigins') },
  ],
});

const REACHED = { 'usergroups.limit': errors.usergroupsLimit, 'workspaces.limit': errors.workspacesLimit };

/**
 * A limit from the configuration of apps.
 * @param model the limited collection; it has an index on `_appId`
 */
export function createAppLimit<D extends { _appId: string }>(mongo: Mongo, key: AppConfigKey, model: Model<D>) {
  const apps = mongo.model(appModel);

  /**
   * Checks that an app has room for more. Call it in the inserting transaction, before the insert: under a limit it
   * writes to the app's record, so that concurrent transactions conflict instead of all passing the count. Without a
   * session it is an early check only.
   * @throws forbidden when the app no longer exists; workspacesLimit, usergroupsLimit
   */
  return async function assertRoom(appId: string, added: number, session?: ClientSession): Promise<void> {
    const app = await apps.findById(appId, { _configs: 1 }, { session }).lean();
    if (!app) throw commonErrors.forbidden({ message: 'The user or application of the token no longer exists.' });
    if (app._configs[key] === undefined) return;
    const limit = Number(app._configs[key]);
    // Bypasses mongoose: the app's revision must not change.
    const ofApp = { _id: appId };
    if (session) await mongo.collection(appModel).updateOne(ofApp, { $inc: { _workspaceWrites: 1 } }, { session });
    const count = await model.countDocuments({ _appId: appId } as never, { session, limit: limit + 1 });
    if (count + added > limit) throw REACHED[key]();
  };
}

function appFilter({ visible, fields, text }: AppQuery): Filter {
  const conditions: Filter[] = [];
  if (visible !== 'everything') conditions.push(seen(visible));
  for (const [field, values] of Object.entries(fields)) conditions.push({ [field]: oneOf(values) });
  if (text !== undefined) conditions.push(matchesGlob(text, ['_name', '_shortName']));
  return conditions.length > 0 ? { $and: conditions } : {};
}

function seen({ scope, ownerId, orgId }: Exclude<VisibleApps, 'everything'>): Filter {
  const filters: Filter[] = [scopeFilter(scope)];
  if (ownerId !== undefined) filters.push({ _ownerId: ownerId });
  if (orgId !== undefined) filters.push({ _orgId: orgId });
  return { $or: filters };
}

export function createAppStore(mongo: Mongo, { change }: Pick<Versions, 'change'>) {
  const apps = mongo.model(appModel);
  const deletions = mongo.model(deletionModel);

  return {
    find: async (id: string): Promise<App | undefined> => (await apps.findById(id).lean()) ?? undefined,
    list: (query: AppQuery, paging: Paging): Promise<Listing<Omit<App, '_configs'>>> =>
      mapQueryErrors(() =>
        listPage<App, Omit<App, '_configs'>>(apps, appFilter(query), {
          paging,
          projection: { _configs: 0, _secretHash: 0, _previousSecretHash: 0 },
        }),
      ),
    hasShortName: async (shortName: string): Promise<boolean> =>
      (await apps.exists({ _shortName: shortName })) !== null,
    /** @throws shortNameTaken */
    async insert(app: App): Promise<void> {
      if (!(await insertNew(mongo, apps, app))) throw errors.shortNameTaken();
    },
    /** @returns the changed app; undefined when it no longer exists. @throws 412 */
    update: (id: string, fields: Partial<AppChange>, write: AppWrite): Promise<App | undefined> =>
      change('app', id, () => updateIfMatch(apps, id, { $set: { ...fields, ...touched(write) } }, conditionsOf(write))),
    /**
     * Replaces the secret that the caller has read. Returns and throws as `update` does.
     * @param previous the secret that stays valid, none if absent
     */
    replaceSecret: (
      { _id, _secretHash }: App,
      next: string,
      previous: Pick<App, '_previousSecretHash' | '_previousSecretExpiresAt'>,
      write: AppWrite,
    ): Promise<App | undefined> =>
      change('app', _id, () => {
        const $set = { _secretHash: next, ...previous, ...touched(write) };
        const $unset = '_previousSecretHash' in previous ? {} : { _previousSecretHash: 1, _previousSecretExpiresAt: 1 };
        const { filter, ...conditions } = conditionsOf(write);
        return updateIfMatch(apps, _id, { $set, $unset }, { ...conditions, filter: { ...filter, _secretHash } });
      }),
    // In a transaction: the keys contain dots, so an update cannot address them.
    /** Replaces the configuration atomically with `change`'s result. Returns and throws as `update` does. */
    changeConfigs: (
      id: string,
      configsOf: (configs: AppConfigs) => AppConfigs,
      write: AppWrite,
    ): Promise<App | undefined> =>
      change('app', id, () =>
        mongo.transaction(async (session) => {
          const app = await apps.findById(id, { _configs: 1 }, { session }).lean();
          if (!app) return undefined;
          const $set = { _configs: configsOf(app._configs), ...touched(write) };
          return updateIfMatch(apps, id, { $set }, { ...conditionsOf(write), session });
        }),
      ),
    /**
     * Deletes an app and records the cleanup. Rolls back if `beforeCommit` rejects.
     * @returns the cleanup; undefined when the app no longer exists. @throws 412
     */
    remove: (id: string, write: AppWrite, beforeCommit: () => Promise<void>): Promise<Deletion | undefined> =>
      change('app', id, () =>
        mongo.transaction(async (session) => {
          const app = await deleteIfMatch(apps, id, { ...conditionsOf(write), session });
          if (!app) return undefined;
          const deletion = newDeletion('app', app);
          // The bootstrap may have recreated an app with a deleted id.
          await deletions.replaceOne({ _id: id }, deletion, { session, upsert: true });
          await beforeCommit();
          return deletion;
        }),
      ),
    async listAuthorizedOrigins(): Promise<string[]> {
      const withOrigins = { _authorizedOrigins: after('') };
      const found = await apps.find(withOrigins, { _authorizedOrigins: 1 }).lean();
      return found.map(({ _authorizedOrigins }) => _authorizedOrigins!);
    },
  };
}

export type AppStore = ReturnType<typeof createAppStore>;

const touched = ({ byId }: AppWrite) => ({ '_metadata._updatedAt': Date.now(), '_metadata._updatedById': byId });

const conditionsOf = ({ precondition, onlyUntrusted }: AppWrite) => ({
  precondition,
  filter: onlyUntrusted ? { _trusted: not(true) } : {},
});
