import type { Mongo } from '@dtplatform/mongo';
import type { DerivationSecretStore } from '../../domain/keys/ports.js';
import { insertNew } from '../insert-new.js';
import { derivationSecretModel } from './derivation-secret.model.js';

export function createDerivationSecretStore(mongo: Mongo): DerivationSecretStore {
  const secrets = mongo.model(derivationSecretModel);
  return {
    find: async () => (await secrets.findById('derivation').lean()) ?? undefined,
    insertFirst: async (secret) => void (await insertNew(mongo, secrets, secret)),
  };
}
