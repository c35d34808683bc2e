import { after, deleteIfMatch, listPage, not, updateIfMatch } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import type { App } from '../../domain/apps/app.js';
import type { AppStore, AppWrite } from '../../domain/apps/ports.js';
import { newDeletion } from '../../domain/deletions/deletion.js';
import { errors } from '../../errors.js';
import { deletionModel } from '../deletions/deletion.model.js';
import type { Versions } from '../../domain/oauth/ports.js';
import { insertNew } from '../insert-new.js';
import { mapQueryErrors } from '../map-query-errors.js';
import { appFilter } from './app-filter.js';
import { appModel } from './app.model.js';

export function createAppStore(mongo: Mongo, { change }: Pick<Versions, 'change'>): AppStore {
  const apps = mongo.model(appModel);
  const deletions = mongo.model(deletionModel);

  return {
    find: async (id) => (await apps.findById(id).lean()) ?? undefined,
    list: (query, paging) =>
      mapQueryErrors(() =>
        listPage<App, Omit<App, '_configs'>>(apps, appFilter(query), {
          paging,
          projection: { _configs: 0, _secretHash: 0 },
        }),
      ),
    hasShortName: async (shortName) => (await apps.exists({ _shortName: shortName })) !== null,
    async insert(app) {
      if (!(await insertNew(mongo, apps, app))) throw errors.shortNameTaken();
    },
    update: (id, fields, write) =>
      change('app', id, () => updateIfMatch(apps, id, { $set: { ...fields, ...touched(write) } }, conditionsOf(write))),
    // In a transaction: the keys contain dots, so no update can name one of them.
    changeConfigs: (id, configsOf, write) =>
      change('app', id, () =>
        mongo.transaction(async (session) => {
          const app = await apps.findById(id, { _configs: 1 }, { session }).lean();
          if (!app) return undefined;
          const $set = { _configs: configsOf(app._configs), ...touched(write) };
          return updateIfMatch(apps, id, { $set }, { ...conditionsOf(write), session });
        }),
      ),
    remove: (id, write, beforeCommit) =>
      change('app', id, () =>
        mongo.transaction(async (session) => {
          const app = await deleteIfMatch(apps, id, { ...conditionsOf(write), session });
          if (!app) return undefined;
          const deletion = newDeletion('app', app);
          // The bootstrap may create an app again with the id of one that was deleted.
          await deletions.replaceOne({ _id: id }, deletion, { session, upsert: true });
          await beforeCommit();
          return deletion;
        }),
      ),
    async listAuthorizedOrigins() {
      const withOrigins = { _authorizedOrigins: after('') };
      const found = await apps.find(withOrigins, { _authorizedOrigins: 1 }).lean();
      return found.map(({ _authorizedOrigins }) => _authorizedOrigins!);
    },
  };
}

const touched = ({ byId }: AppWrite) => ({ '_metadata._updatedAt': Date.now(), '_metadata._updatedById': byId });

const conditionsOf = ({ precondition, onlyUntrusted }: AppWrite) => ({
  precondition,
  filter: onlyUntrusted ? { _trusted: not(true) } : {},
});
