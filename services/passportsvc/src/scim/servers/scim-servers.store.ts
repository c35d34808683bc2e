import { absent, listPage, modelOf, oneOf, updateIfMatch } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import type { ScimServerStore } from '../deliveries/deliveries.js';
import { deliveryModel, remoteUserModel } from '../deliveries/deliveries.model.js';
import { scimListenerModel } from '../listeners/scim-listeners.store.js';
import { ScimServer } from './scim-server.js';

/** At most 100 (`tooManyScimServers`), so its lists need no index. */
export const scimServerModel = modelOf('scim_servers', ScimServer);

const BATCH = 1_000;
/** Longer than a transaction that began before the server was deleted, and may still add a listener or a delivery. */
const KEPT_AFTER_DELETION_MS = 60_000;

export function createScimServerStore(mongo: Mongo): ScimServerStore {
  const servers = mongo.model(scimServerModel);
  const listeners = mongo.model(scimListenerModel);
  const remoteUsers = mongo.model(remoteUserModel);
  const deliveries = mongo.model(deliveryModel);
  const existing = () => ({ deletedAt: absent() });

  return {
    find: async (_id) => (await servers.findOne({ _id, ...existing() }).lean()) ?? undefined,
    list: (paging) => listPage(servers, existing(), { paging }),
    count: () => servers.countDocuments(existing()),
    insert: async (server) => void (await mongo.create((session) => servers.insertMany([server], { session }))),

    remove: (id, precondition) =>
      mongo.transaction(async (session) => {
        const $set = { deletedAt: Date.now() };
        const removed = await updateIfMatch(servers, id, { $set }, { precondition, session, filter: existing() });
        if (removed) await listeners.deleteMany({ scimServerDetailId: id }, { session });
        return removed !== undefined;
      }),

    listAll: () => servers.find().lean(),

    async removeBatch({ _id, deletedAt = Infinity }) {
      await listeners.deleteMany({ scimServerDetailId: _id });
      const some = await remoteUsers.find({ scimServerDetailId: _id }, { userId: 1 }, { limit: BATCH }).lean();
      if (some.length > 0) {
        const open = { scimServerDetailId: _id, userId: oneOf(some.map(({ userId }) => userId)) };
        const $set = { status: 'CANCELLED' as const, updatedAt: Date.now() };
        await deliveries.updateMany({ ...open, status: 'PENDING' }, { $set });
        await remoteUsers.deleteMany({ _id: oneOf(some.map((one) => one._id)) });
      } else if (Date.now() - deletedAt > KEPT_AFTER_DELETION_MS) await servers.deleteOne({ _id });
      return some.length === BATCH;
    },
  };
}
