import { modelOf } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import { AccessEnding } from './access-endings.js';

export const accessEndingModel = modelOf('access_endings', AccessEnding);

export function createAccessEndingStore(mongo: Mongo) {
  const endings = mongo.model(accessEndingModel);
  return {
    list: (limit: number): Promise<AccessEnding[]> => endings.find({}, null, { sort: { _id: 1 }, limit }).lean(),
    remove: async (_id: string): Promise<void> => void (await endings.deleteOne({ _id })),
  };
}

export type AccessEndingStore = ReturnType<typeof createAccessEndingStore>;
