import { createLeases, keepLease, LeaseLost } from '@dtplatform/lease';
import type { KeptLease } from '@dtplatform/lease';
import { after, notAfter, oneOf } from '@dtplatform/mongo';
import type { ClientSession, Mongo } from '@dtplatform/mongo';
import { deliveryModel, remoteUserModel } from './deliveries.model.js';
import { expiryOf } from './delivery.js';
import type { AttemptOutcome, PendingDeliveries, RemoteUser } from './delivery.js';

/** How soon another process takes over after a crash. */
const LEASE_MS = 10_000;
const MAX_PENDING = 1_000;

export function createRemoteUserStore(mongo: Mongo) {
  const remoteUsers = mongo.model(remoteUserModel);
  const deliveries = mongo.model(deliveryModel);
  const leases = createLeases<RemoteUser>(remoteUsers, { ttlMs: LEASE_MS });

  /** @returns false when another process has claimed the user */
  async function settle(held: RemoteUser, hasMore: boolean, outcome: AttemptOutcome, session: ClientSession) {
    const { recorded } = held;
    const { status, againInMs, isGone = false } = outcome;
    const isEmpty = isGone && !hasMore;
    if (isEmpty) {
      const removed = await mongo.collection(remoteUserModel).deleteOne({ ...heldFilter(held), recorded }, { session });
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
    return (
      (await mongo.collection(remoteUserModel).updateOne(heldFilter(held), update, { session })).matchedCount === 1
    );
  }

  const heldFilter = (held: RemoteUser) => leases.heldBy(held) as object;

  return {
    countGivenUp: (): Promise<number> => remoteUsers.countDocuments({ givenUpAt: after(new Date(0)) }),

    /** Due users of a server without a running delivery, the longest due first. */
    async listDue(scimServerDetailId: string, limit: number): Promise<string[]> {
      const due = leases.free({ scimServerDetailId, dueAt: notAfter(new Date()) });
      const found = await remoteUsers.find(due, { _id: 1 }, { sort: { dueAt: 1 }, limit }).lean();
      return found.map(({ _id }) => _id);
    },

    /** Claims a user of a server for one attempt. Undefined when another process has it or nothing is due. */
    claim: (_id: string): Promise<RemoteUser | undefined> =>
      leases.claim({ _id, dueAt: { $lte: new Date() } }, { set: { attempts: { $add: ['$attempts', 1] } } }),

    keep: (held: RemoteUser, signal: AbortSignal): KeptLease => keepLease(leases, held, { signal, exclusive: true }),

    async pending({ scimServerDetailId, userId }: RemoteUser): Promise<PendingDeliveries> {
      const filter = { userId, scimServerDetailId, status: 'PENDING' as const };
      // Read last, so that the events include those of all ids.
      const found = await deliveries.find(filter, { _id: 1 }, { sort: { _id: 1 }, limit: MAX_PENDING }).lean();
      const events = await deliveries.distinct('eventName', filter).exec();
      return { ids: found.map(({ _id }) => _id), hasMore: found.length === MAX_PENDING, events };
    },

    /** Stores the server's id of the user before anything else can fail. */
    async remember(held: RemoteUser, remoteId: string): Promise<void> {
      if (!(await leases.write(held, { $set: { remoteId } }))) throw new LeaseLost();
    },

    /** Ends an attempt. Events recorded during it are due at once. */
    async finish(held: RemoteUser, { ids, hasMore }: PendingDeliveries, outcome: AttemptOutcome): Promise<void> {
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

export type RemoteUserStore = ReturnType<typeof createRemoteUserStore>;
