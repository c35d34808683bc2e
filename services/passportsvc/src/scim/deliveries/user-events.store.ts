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

/** Writes the deliveries of events, for each server with a listener. Costs one read where no server has one. */
export function createUserEvents(mongo: Mongo) {
  const listeners = mongo.model(scimListenerModel);
  const deliveries = mongo.model(deliveryModel);
  const { collection: remoteUsers } = mongo.model(remoteUserModel);

  return {
    /** To be called in the transaction that writes the user: the event is delivered if, and only if, that commits. */
    async record(session: ClientSession, { event, userId }: UserEvent): Promise<void> {
      const found = await listeners.find({ eventName: event }, { scimServerDetailId: 1 }, { session }).lean();
      const servers = found.map(({ scimServerDetailId }) => scimServerDetailId);
      // Nothing is kept of a deleted user: what is known of it on servers without a listener for DELETE is removed as well.
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
 * The update that makes something due. What is tried again already keeps its time: its server is unavailable.
 * @param set further fields, as in a `$set` stage
 */
export function wake(set: Record<string, unknown> = {}): object[] {
  const now = new Date();
  const isWaiting = { $ne: [{ $type: '$dueAt' }, 'missing'] };
  const keptOr = (field: string, value: unknown) => ({ $cond: [isWaiting, field, value] });
  const times = { dueAt: keptOr('$dueAt', now), since: keptOr('$since', now), attempts: keptOr('$attempts', 0) };
  return [{ $set: { ...set, ...times, recorded: { $add: [{ $ifNull: ['$recorded', 0] }, 1] } } }];
}
