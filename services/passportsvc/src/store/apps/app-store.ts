import type { Mongo } from '@dtplatform/mongo';
import type { AppStore } from '../../domain/apps/ports.js';
import { errors } from '../../errors.js';
import { insertNew } from '../insert-new.js';
import { appModel } from './app.model.js';

export function createAppStore(mongo: Mongo): AppStore {
  const apps = mongo.model(appModel);

  return {
    find: async (id) => (await apps.findById(id).lean()) ?? undefined,
    hasShortName: async (shortName) => (await apps.exists({ _shortName: shortName })) !== null,
    async insert(app) {
      if (!(await insertNew(mongo, apps, app))) throw errors.shortNameTaken();
    },
    listPendingGrants: () => apps.find({ _grantsPending: true }).lean(),
    async clearPendingGrants(id) {
      // Through the driver's collection, because callers do not see this change: the revision must not rise.
      await apps.collection.updateOne({ _id: id as never }, { $unset: { _grantsPending: '' } });
    },
  };
}
