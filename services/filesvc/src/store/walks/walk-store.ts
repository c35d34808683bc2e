import type { Mongo } from '@dtplatform/mongo';
import type { WalkStore } from '../../domain/walks/ports.js';
import { walkModel } from './walk.model.js';

export function createWalkStore(mongo: Mongo): WalkStore {
  const walks = mongo.model(walkModel);
  return {
    find: async (_id) => (await walks.findById(_id).lean()) ?? undefined,
    save: async (walk) => void (await walks.replaceOne({ _id: walk._id }, walk)),
  };
}
