import type { Db } from 'mongodb';
import { isDuplicateKey } from '@dtplatform/mongo';
import type { SigningKeyStore } from '../../domain/keys/ports.js';
import type { StoredKey } from '../../domain/keys/stored-key.js';

export function createSigningKeyStore(db: Db): SigningKeyStore {
  const keys = db.collection<StoredKey>('signing_keys');
  return {
    list: () => keys.find().toArray(),
    async insertFirst(key) {
      try {
        await keys.insertOne(key);
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
      }
    },
  };
}
