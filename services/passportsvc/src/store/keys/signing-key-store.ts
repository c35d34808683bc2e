import { isDuplicateKey } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import type { SigningKeyStore } from '../../domain/keys/ports.js';
import { signingKeyModel } from './signing-key.model.js';

export function createSigningKeyStore(mongo: Mongo): SigningKeyStore {
  const keys = mongo.model(signingKeyModel);
  return {
    list: () => keys.find().lean(),
    async insertFirst(key) {
      try {
        await keys.insertMany([key]);
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
      }
    },
  };
}
