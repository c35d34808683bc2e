import { MongoClient } from 'mongodb';
import type { Adapter, AdapterFactory, AdapterPayload } from 'oidc-provider';

interface Stored {
  _id: string;
  payload: AdapterPayload;
  expiresAt?: Date;
}

const INDEXED = ['payload.uid', 'payload.grantId'];
/** The library's models that the flow writes. */
const MODELS = ['Session', 'Interaction', 'Grant', 'AuthorizationCode', 'RefreshToken'];

/**
 * The MongoDB adapter from oidc-provider's documentation: one collection per model. Writes are acknowledged by a
 * majority, like the platform's.
 */
export async function mongodbAdapter(mongoUrl: string, database: string): Promise<AdapterFactory> {
  const client = new MongoClient(mongoUrl, { writeConcern: { w: 'majority' }, readConcern: { level: 'majority' } });
  const db = client.db(database);
  await Promise.all(
    MODELS.map((model) =>
      db
        .collection(model)
        .createIndexes([
          ...INDEXED.map((path) => ({ key: { [path]: 1 } })),
          { key: { expiresAt: 1 }, expireAfterSeconds: 0 },
        ]),
    ),
  );

  return (model): Adapter => {
    const collection = db.collection<Stored>(model);
    const find = async (filter: object) => (await collection.findOne(filter))?.payload;
    return {
      async upsert(_id, payload, expiresInSec = 0) {
        const expiresAt = new Date(Date.now() + expiresInSec * 1000);
        await collection.updateOne({ _id }, { $set: { payload, expiresAt } }, { upsert: true });
      },
      find: (_id) => find({ _id }),
      findByUid: (uid) => find({ 'payload.uid': uid }),
      findByUserCode: () => Promise.resolve(undefined),
      async consume(_id) {
        await collection.updateOne({ _id }, { $set: { 'payload.consumed': Math.floor(Date.now() / 1000) } });
      },
      destroy: async (_id) => void (await collection.deleteOne({ _id })),
      revokeByGrantId: async (grantId) => void (await collection.deleteMany({ 'payload.grantId': grantId })),
    };
  };
}
