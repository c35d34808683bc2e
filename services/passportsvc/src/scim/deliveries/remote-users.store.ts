import { createLeases, keepLease, LeaseLost } from '@dtplatform/lease';
import { after, notAfter, oneOf } from '@dtplatform/mongo';
import type { ClientSession, Mongo } from '@dtplatform/mongo';
import type { AttemptOutcome, PendingDeliveries, RemoteUserStore } from './deliveries.js';
import { deliveryModel, remoteUserModel } from './deliveries.model.js';
import { expiryOf } from './delivery.js';
import type { RemoteUser } from './delivery.js';

/** How soon another process continues when one has died. */
const LEASE_MS = 10_000;
const MAX_PENDING = 1_000;

export function createRemoteUserStore(mongo: Mongo): RemoteUserStore {
  const remoteUsers = mongo.model(remoteUserModel);
  const deliveries = mongo.model(deliveryModel);
  const leases = createLeases<RemoteUser>(remoteUsers, { ttlMs: LEASE_MS });

  /** False when another process has claimed the user in the meantime. */
  async function settle(held: RemoteUser, hasMore: boolean, outcome: AttemptOutcome, session: ClientSession) {
    const { recorded } = held;
    const { status, againInMs, isGone = false } = outcome;
    const isEmpty = isGone && !hasMore;
    if (isEmpty) {
      const removed = await remoteUsers.collection.deleteOne({ ...heldFilter(held), recorded }, { session });
      if (removed.deletedCount === 1) return true;
    }
    const now = new Date();
    const next = hasMore ? now : { $cond: [{ $eq: ['$recorded', recorded] }, '$$REMOVE', now] };
    const set = {
      dueAt: againInMs === undefined ? next : new Date(now.getTime() + againInMs),
      ...(status !== 'PENDING' && { attempts: 0, since: now, givenUpAt: status === 'FAILED' ? now : '$$REMOVE' }),
      ...(isGone && { remoteId: '$$REMOVE' }),
    };
    const update = [{ $set: set }, { $unset: 'lease.until' }];
    return (await remoteUsers.collection.updateOne(heldFilter(held), update, { session })).matchedCount === 1;
  }

  const heldFilter = (held: RemoteUser) => leases.heldBy(held) as object;

  return {
    countGivenUp: () => remoteUsers.countDocuments({ givenUpAt: after(new Date(0)) }),

    async listDue(scimServerDetailId, limit) {
      const due = leases.free({ scimServerDetailId, dueAt: notAfter(new Date()) });
      const found = await remoteUsers.find(due, { _id: 1 }, { sort: { dueAt: 1 }, limit }).lean();
      return found.map(({ _id }) => _id);
    },

    claim: (_id) =>
      leases.claim({ _id, dueAt: { $lte: new Date() } }, { set: { attempts: { $add: ['$attempts', 1] } } }),

    keep: (held, signal) => keepLease(leases, held, { signal, exclusive: true }),

    async pending({ scimServerDetailId, userId }): Promise<PendingDeliveries> {
      const filter = { userId, scimServerDetailId, status: 'PENDING' as const };
      // The events come last: they include those of all ids.
      const found = await deliveries.find(filter, { _id: 1 }, { sort: { _id: 1 }, limit: MAX_PENDING }).lean();
      const events = await deliveries.distinct('eventName', filter).exec();
      return { ids: found.map(({ _id }) => _id), hasMore: found.length === MAX_PENDING, events };
    },

    async remember(held, remoteId) {
      if (!(await leases.write(held, { $set: { remoteId } }))) throw new LeaseLost();
    },

    async finish(held, { ids, hasMore }, outcome) {
      const { status, lastError } = outcome;
      await mongo.transaction(async (session) => {
        if (!(await settle(held, hasMore, outcome, session))) return;
        const now = Date.now();
        const $set = {
          status,
          updatedAt: now,
          expiresAt: expiryOf(now),
          ...(lastError !== undefined && { lastError }),
        };
        const $unset = lastError === undefined ? { lastError: 1 as const } : {};
        const update = { $set, $unset, $inc: { attempts: 1 } };
        await deliveries.updateMany({ _id: oneOf(ids) }, update, { session });
      });
    },
  };
}
