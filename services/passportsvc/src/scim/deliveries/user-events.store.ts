import { newId } from '@dtplatform/mongo';
import type { ClientSession, Mongo } from '@dtplatform/mongo';
import type { UserEventName } from '../listeners/scim-listeners.js';
import { scimListenerModel } from '../listeners/scim-listeners.store.js';
import { deliveryModel, remoteUserModel } from './deliveries.model.js';
import { expiryOf, remoteUserId } from './delivery.js';
import type { Delivery } from './delivery.js';

interface UserEvent {
  event: UserEventName;
  userId: string;
}

/** Writes the deliveries of an event, for each server with a listener. Costs one read if there is none. */
export function createUserEvents(mongo: Mongo) {
  const listeners = mongo.model(scimListenerModel);
  const deliveries = mongo.model(deliveryModel);
  const { collection: remoteUsers } = mongo.model(remoteUserModel);

  return {
    /** Call it in the transaction that writes the user: the event is delivered if and only if that commits. */
    async record(session: ClientSession, { event, userId }: UserEvent): Promise<void> {
      const found = await listeners.find({ eventName: event }, { scimServerDetailId: 1 }, { session }).lean();
      const servers = found.map(({ scimServerDetailId }) => scimServerDetailId);
      // Also removes our record of the user for servers without a listener for DELETE.
      if (event === 'DELETE') await remoteUsers.updateMany({ userId }, wake(), { session });
      if (servers.length === 0) return;
      const now = Date.now();
      const entries = servers.map((scimServerDetailId): Delivery => ({
        _id: newId(),
        scimServerDetailId,
        userId,
        eventName: event,
        status: 'PENDING',
        attempts: 0,
        createdAt: now,
        updatedAt: now,
        expiresAt: expiryOf(now),
        _revision: 0,
      }));
      await deliveries.insertMany(entries, { session });
      const updates = servers.map((scimServerDetailId) => ({
        updateOne: {
          filter: { _id: remoteUserId(scimServerDetailId, userId) as never },
          update: wake({ scimServerDetailId: { $literal: scimServerDetailId }, userId: { $literal: userId } }),
          upsert: true,
        },
      }));
      await remoteUsers.bulkWrite(updates, { session });
    },
  };
}

/**
 * Makes a record due. Records in retry keep their time: their server is unavailable.
 * @param set more fields, as in a `$set` stage
 */
export function wake(set: Record<string, unknown> = {}): object[] {
  const now = new Date();
  const isWaiting = { $ne: [{ $type: '$dueAt' }, 'missing'] };
  const keptOr = (field: string, value: unknown) => ({ $cond: [isWaiting, field, value] });
  const times = { dueAt: keptOr('$dueAt', now), since: keptOr('$since', now), attempts: keptOr('$attempts', 0) };
  return [{ $set: { ...set, ...times, recorded: { $add: [{ $ifNull: ['$recorded', 0] }, 1] } } }];
}
