import type { Mongo } from '@dtplatform/mongo';
import type { SealedSecret, SealedSecretStore } from '../../domain/keys/ports.js';
import type { Sealed } from '../../domain/keys/sealed.js';
import { derivationSecretModel } from './derivation-secret.model.js';
import { scimServerModel } from '../scim-delivery/scim-server.model.js';
import { signingKeyModel } from './signing-key.model.js';

interface Place {
  collection: string;
  /** The field that holds the sealed secret. */
  path: string;
  /** The field whose value is the context of the secret. */
  context: string;
}

/** Every place where sealed secrets are stored. Whatever is missing here is lost when the key encryption key changes. */
const PLACES: readonly Place[] = [
  { collection: derivationSecretModel.collection, path: 'sealed', context: '_id' },
  { collection: signingKeyModel.collection, path: 'sealed', context: 'kid' },
  { collection: scimServerModel.collection, path: 'clientSecret', context: '_id' },
];

type Stored = Record<string, unknown> & { _id: string };

export function createSealedSecretStore(mongo: Mongo): SealedSecretStore {
  // Through the driver's collections: callers do not see this change, so revisions must not rise.
  const listIn = async ({ collection, path, context }: Place, keyId: string, limit: number) => {
    const documents = mongo.db.collection<Stored>(collection);
    const filter = { [path]: { $exists: true }, [`${path}.keyId`]: { $ne: keyId } };
    const found = await documents
      .find(filter, { projection: { [path]: 1, [context]: 1 } })
      .limit(limit)
      .toArray();
    return found.map((document): SealedSecret => {
      const before = document[path] as Sealed;
      return {
        context: String(document[context]),
        sealed: before,
        async replace(sealed) {
          const unchanged = { _id: document._id, [`${path}.tag`]: before.tag };
          return (await documents.updateOne(unchanged, { $set: { [path]: sealed } })).modifiedCount === 1;
        },
      };
    });
  };

  return {
    async listOthers(keyId, limit) {
      for (const place of PLACES) {
        const found = await listIn(place, keyId, limit);
        if (found.length > 0) return found;
      }
      return [];
    },
  };
}
