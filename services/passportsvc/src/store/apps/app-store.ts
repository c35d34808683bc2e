import type { Db } from 'mongodb';
import { isDuplicateKey } from '@dtplatform/mongo';
import type { App } from '../../domain/apps/app.js';
import type { AppStore } from '../../domain/apps/ports.js';
import { errors } from '../../errors.js';

export function createAppStore(db: Db): AppStore {
  const apps = db.collection<App>('apps');

  return {
    find: async (id) => (await apps.findOne({ _id: id })) ?? undefined,
    hasShortName: async (shortName) =>
      (await apps.findOne({ _shortName: shortName }, { projection: { _id: 1 } })) !== null,
    async insert(app) {
      try {
        await apps.insertOne(app, { ignoreUndefined: true });
      } catch (error) {
        throw isDuplicateKey(error, '_shortName') ? errors.shortNameTaken({ cause: error }) : error;
      }
    },
    listPendingGrants: () => apps.find({ _grantsPending: true }).toArray(),
    clearPendingGrants: async (id) => void (await apps.updateOne({ _id: id }, { $unset: { _grantsPending: '' } })),
  };
}
