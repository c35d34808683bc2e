import type { Mongo } from '@dtplatform/mongo';
import type { AccessEndingStore } from '../../domain/scim/ports.js';
import { accessEndingModel } from './access-ending.model.js';

export function createAccessEndingStore(mongo: Mongo): AccessEndingStore {
  const endings = mongo.model(accessEndingModel);
  return {
    list: (limit) => endings.find({}, null, { sort: { _id: 1 }, limit }).lean(),
    remove: async (_id) => void (await endings.deleteOne({ _id })),
  };
}
