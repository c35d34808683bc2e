import { oneOf } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import { insertNew } from '../../queries/queries.store.js';
import { scimServerModel } from '../../scim/servers/scim-servers.store.js';
import { derivationSecretModel, signingKeyModel } from './keys.model.js';
import type { Sealed } from './sealer.js';
import type { DerivationSecret, SealedSecret, StoredKey } from './signing-keys.js';

export function createDerivationSecretStore(mongo: Mongo) {
  const secrets = mongo.model(derivationSecretModel);
  return {
    find: async (): Promise<DerivationSecret | undefined> => (await secrets.findById('derivation').lean()) ?? undefined,
    insertFirst: async (secret: DerivationSecret): Promise<void> => void (await insertNew(mongo, secrets, secret)),
  };
}

export type DerivationSecretStore = ReturnType<typeof createDerivationSecretStore>;

export function createSigningKeyStore(mongo: Mongo) {
  const keys = mongo.model(signingKeyModel);
  return {
    list: (): Promise<StoredKey[]> => keys.find().lean(),
    /** Commits at once: the caller reads the key that was first, its own or another one. */
    insertFirst: (key: StoredKey): Promise<boolean> => mongo.apart(() => insertNew(mongo, keys, key)),
    remove: async (ids: string[]): Promise<void> => void (await keys.deleteMany({ _id: oneOf(ids) })),
  };
}

export type SigningKeyStore = ReturnType<typeof createSigningKeyStore>;

interface Place {
  collection: string;
  path: string;
  context: string;
}

/** All places of sealed secrets. A secret stored elsewhere is lost when the key encryption key changes. */
const PLACES: readonly Place[] = [
  { collection: derivationSecretModel.collection, path: 'sealed', context: '_id' },
  { collection: signingKeyModel.collection, path: 'sealed', context: 'kid' },
  { collection: scimServerModel.collection, path: 'clientSecret', context: '_id' },
];

type Stored = Record<string, unknown> & { _id: string };

export function createSealedSecretStore(mongo: Mongo) {
  // Bypasses mongoose: revisions must not change.
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
    /** Some secrets sealed with other keys, from all places; empty when there are none. */
    async listOthers(keyId: string, limit: number): Promise<SealedSecret[]> {
      for (const place of PLACES) {
        const found = await listIn(place, keyId, limit);
        if (found.length > 0) return found;
      }
      return [];
    },
  };
}

export type SealedSecretStore = ReturnType<typeof createSealedSecretStore>;
