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
    /** Does nothing if there is one. */
    insertFirst: async (secret: DerivationSecret): Promise<void> => void (await insertNew(mongo, secrets, secret)),
  };
}

export type DerivationSecretStore = ReturnType<typeof createDerivationSecretStore>;

export function createSigningKeyStore(mongo: Mongo) {
  const keys = mongo.model(signingKeyModel);
  return {
    list: (): Promise<StoredKey[]> => keys.find().lean(),
    /** Does nothing if a key with this id exists. */
    insertFirst: async (key: StoredKey): Promise<void> => void (await insertNew(mongo, keys, key)),
    remove: async (ids: string[]): Promise<void> => void (await keys.deleteMany({ _id: oneOf(ids) })),
  };
}

export type SigningKeyStore = ReturnType<typeof createSigningKeyStore>;

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

export function createSealedSecretStore(mongo: Mongo) {
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
    /** Some secrets that are not sealed with this key, wherever they are stored; none when all are. */
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
