import type { Listing, Paging, Precondition } from '@dtplatform/contracts';
import { absent, listPage, modelOf, oneOf, updateIfMatch } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import { deliveryModel, remoteUserModel } from '../deliveries/deliveries.model.js';
import { scimListenerModel } from '../listeners/scim-listeners.store.js';
import { ScimServer } from './scim-server.js';

/** At most 100 (`tooManyScimServers`), so its lists need no index. */
export const scimServerModel = modelOf('scim_servers', ScimServer);

const BATCH = 1_000;
/** Longer than transactions that began before the deletion and may still add a listener or a delivery. */
const KEPT_AFTER_DELETION_MS = 60_000;

export function createScimServerStore(mongo: Mongo) {
  const servers = mongo.model(scimServerModel);
  const listeners = mongo.model(scimListenerModel);
  const remoteUsers = mongo.model(remoteUserModel);
  const deliveries = mongo.model(deliveryModel);
  const existing = () => ({ deletedAt: absent() });

  return {
    find: async (_id: string): Promise<ScimServer | undefined> =>
      (await servers.findOne({ _id, ...existing() }).lean()) ?? undefined,
    list: (paging: Paging): Promise<Listing<ScimServer>> => listPage(servers, existing(), { paging }),
    count: (): Promise<number> => servers.countDocuments(existing()),
    insert: async (server: ScimServer): Promise<void> =>
      void (await mongo.create((session) => servers.insertMany([server], { session }))),

    /** Marks the server as deleted and removes its listeners. @returns false when there is none */
    remove: (id: string, precondition: Precondition): Promise<boolean> =>
      mongo.transaction(async (session) => {
        const $set = { deletedAt: Date.now() };
        const removed = await updateIfMatch(servers, id, { $set }, { precondition, session, filter: existing() });
        if (removed) await listeners.deleteMany({ scimServerDetailId: id }, { session });
        return removed !== undefined;
      }),

    /** Includes deleted servers. */
    listAll: (): Promise<ScimServer[]> => servers.find().lean(),

    /**
     * Removes one batch of a deleted server's data, and the server after the last. @returns whether there may be more
     */
    async removeBatch({ _id, deletedAt = Infinity }: ScimServer): Promise<boolean> {
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

export type ScimServerStore = ReturnType<typeof createScimServerStore>;
