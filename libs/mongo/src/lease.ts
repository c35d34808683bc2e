import { setTimeout as delay } from 'node:timers/promises';
import type { Db } from 'mongodb';
import { isDuplicateKey } from './errors.js';
import { newId } from './ids.js';

export const LEASES = 'leases';
const TTL_MS = 6_000;
const RENEWALS_PER_TTL = 3;

interface LeaseDocument {
  _id: string;
  holder: string;
  until: Date;
}

/**
 * Lets one of several processes do a piece of work. It spares the others the same work; it does not exclude that two do it for a
 * moment, so the work must bear that. Times are the server's, so clocks need not agree.
 * @param ttlMs after this time a process that died holds it no longer
 */
export function createLease(db: Db, name: string, { ttlMs = TTL_MS } = {}) {
  const collection = db.collection<LeaseDocument>(LEASES);
  const holder = newId();

  /** Takes or renews the lease; false while another process holds it. */
  const hold = async (): Promise<boolean> => {
    const isOurs = { $or: [{ $eq: ['$holder', holder] }, { $lt: [{ $ifNull: ['$until', new Date(0)] }, '$$NOW'] }] };
    const update = [
      { $set: { isOurs } },
      {
        $set: {
          holder: { $cond: ['$isOurs', holder, '$holder'] },
          until: { $cond: ['$isOurs', { $add: ['$$NOW', ttlMs] }, '$until'] },
        },
      },
      { $unset: 'isOurs' },
    ];
    try {
      const lease = await collection.findOneAndUpdate({ _id: name }, update, { upsert: true, returnDocument: 'after' });
      return lease?.holder === holder;
    } catch (error) {
      // Two made it at the same time, and the other was faster.
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  };

  /** Renews until the signal is aborted; resolves before that when the lease is lost. */
  const keepRenewing = async (signal: AbortSignal): Promise<void> => {
    for (let heldUntil = performance.now() + ttlMs; performance.now() < heldUntil;) {
      const isTime = await delay(ttlMs / RENEWALS_PER_TTL, true, { signal }).catch(() => false);
      if (!isTime) return;
      const askedAt = performance.now();
      const isHeld = await hold().catch(() => undefined);
      if (isHeld === false) return;
      if (isHeld) heldUntil = askedAt + ttlMs;
    }
  };

  return {
    hold,

    /** Runs `work` while the lease is held. Its signal is aborted when the lease is lost, or with `signal`. Rejects as `work` does. */
    async whileHeld<T>(work: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> {
      const lost = new AbortController();
      const workSignal = AbortSignal.any([signal, lost.signal]);
      const renewing = keepRenewing(workSignal).then(() => lost.abort());
      try {
        return await work(workSignal);
      } finally {
        lost.abort();
        await renewing;
      }
    },

    /** Gives the lease back, so that another process need not wait for its end. */
    async release(): Promise<void> {
      await collection.updateOne({ _id: name, holder }, { $set: { until: new Date(0) } });
    },
  };
}
