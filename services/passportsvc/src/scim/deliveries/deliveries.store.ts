import { listPage } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import { scimServerModel } from '../servers/scim-servers.store.js';
import type { DeliveryStore } from './deliveries.js';
import { deliveryModel, remoteUserModel } from './deliveries.model.js';
import { expiryOf, remoteUserId } from './delivery.js';
import { wake } from './user-events.store.js';

const NEWEST_FIRST = { _id: -1 } as const;

export function createDeliveryStore(mongo: Mongo): DeliveryStore {
  const deliveries = mongo.model(deliveryModel);
  const servers = mongo.model(scimServerModel);
  const { collection: remoteUsers } = mongo.model(remoteUserModel);

  return {
    count: (status) => deliveries.countDocuments({ status }),
    find: async (id) => (await deliveries.findById(id).lean()) ?? undefined,

    list: (filter, paging) => {
      const isAll = Object.keys(filter).length === 0;
      const total = isAll ? { total: () => deliveries.estimatedDocumentCount().exec() } : {};
      return listPage(deliveries, { ...filter }, { paging, sort: NEWEST_FIRST, ...total });
    },

    retry: ({ _id, scimServerDetailId, userId }) =>
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
