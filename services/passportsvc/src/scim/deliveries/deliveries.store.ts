import type { Listing, Paging } from '@dtplatform/contracts';
import { listPage } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import { scimServerModel } from '../servers/scim-servers.store.js';
import type { DeliveryFilter } from './deliveries.js';
import { deliveryModel, remoteUserModel } from './deliveries.model.js';
import { expiryOf, remoteUserId } from './delivery.js';
import type { Delivery, DeliveryStatus } from './delivery.js';
import { wake } from './user-events.store.js';

const NEWEST_FIRST = { _id: -1 } as const;

export function createDeliveryStore(mongo: Mongo) {
  const deliveries = mongo.model(deliveryModel);
  const servers = mongo.model(scimServerModel);
  const { collection: remoteUsers } = mongo.model(remoteUserModel);

  return {
    count: (status: DeliveryStatus): Promise<number> => deliveries.countDocuments({ status }),
    find: async (id: string): Promise<Delivery | undefined> => (await deliveries.findById(id).lean()) ?? undefined,

    /** Newest first. */
    list: (filter: DeliveryFilter, paging: Paging): Promise<Listing<Delivery>> => {
      const isAll = Object.keys(filter).length === 0;
      const total = isAll ? { total: () => deliveries.estimatedDocumentCount().exec() } : {};
      return listPage(deliveries, { ...filter }, { paging, sort: NEWEST_FIRST, ...total });
    },

    retry: ({ _id, scimServerDetailId, userId }: Delivery): Promise<Delivery | undefined> =>
      mongo.transaction(async (session) => {
        const server = await servers.findById(scimServerDetailId, { deletedAt: 1 }, { session }).lean();
        if (!server || server.deletedAt !== undefined) return undefined;
        const now = Date.now();
        const $set = { status: 'PENDING' as const, updatedAt: now, expiresAt: expiryOf(now) };
        const options = { session, returnDocument: 'after', lean: true } as const;
        const retried = await deliveries.findOneAndUpdate({ _id, status: 'FAILED' }, { $set }, options);
        if (!retried) return undefined;
        const fields = { scimServerDetailId: { $literal: scimServerDetailId }, userId: { $literal: userId } };
        const id = { _id: remoteUserId(scimServerDetailId, userId) as never };
        await remoteUsers.updateOne(id, wake(fields), { session, upsert: true });
        return retried;
      }),
  };
}

export type DeliveryStore = ReturnType<typeof createDeliveryStore>;
