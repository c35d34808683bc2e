import { oneOf } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import type { SigningKeyStore } from '../../domain/keys/ports.js';
import { insertNew } from '../insert-new.js';
import { signingKeyModel } from './signing-key.model.js';

export function createSigningKeyStore(mongo: Mongo): SigningKeyStore {
  const keys = mongo.model(signingKeyModel);
  return {
    list: () => keys.find().lean(),
    insertFirst: async (key) => void (await insertNew(mongo, keys, key)),
    remove: async (ids) => void (await keys.deleteMany({ _id: oneOf(ids) })),
  };
}
