import { modelOf } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import { AccessEnding } from './access-endings.js';
import type { AccessEndingStore } from './users.js';

export const accessEndingModel = modelOf('access_endings', AccessEnding);

export function createAccessEndingStore(mongo: Mongo): AccessEndingStore {
  const endings = mongo.model(accessEndingModel);
  return {
    list: (limit) => endings.find({}, null, { sort: { _id: 1 }, limit }).lean(),
    remove: async (_id) => void (await endings.deleteOne({ _id })),
  };
}
