import { setTimeout as delay } from 'node:timers/promises';
import { newId } from '@dtplatform/mongo';
import type { Db } from 'mongodb';

export const LEASES = 'leases';
const TTL_MS = 6_000;
const RENEW_EVERY_MS = 2_000;

export interface LeaseDocument {
  _id: string;
  holder: string;
  until: Date;
}

/**
 * Lets one of several processes do a piece of work. It spares the others the same work; it does not exclude that two do it for a
 * moment, so the work must bear that. Times are the server's, so clocks need not agree.
 */
export function createLease(db: Db, name: string) {
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
          until: { $cond: ['$isOurs', { $add: ['$$NOW', TTL_MS] }, '$until'] },
        },
      },
      { $unset: 'isOurs' },
    ];
    const lease = await collection.findOneAndUpdate({ _id: name }, update, { upsert: true, returnDocument: 'after' });
    return lease?.holder === holder;
  };

  return {
    hold,

    /** Runs `work` while the lease is held. Its signal is aborted when the lease is lost, or with `signal`. Rejects as `work` does. */
    async whileHeld(work: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<void> {
      const lost = new AbortController();
      const workSignal = AbortSignal.any([signal, lost.signal]);
      const renewing = (async () => {
        for (let heldUntil = performance.now() + TTL_MS; performance.now() < heldUntil;) {
          if (!(await pause(RENEW_EVERY_MS, workSignal))) return;
          const askedAt = performance.now();
          const isHeld = await hold().catch(() => undefined);
          if (isHeld === false) break;
          if (isHeld) heldUntil = askedAt + TTL_MS;
        }
        lost.abort();
      })();
      try {
        await work(workSignal);
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

/** Waits; false when the signal was aborted before the time was over. */
export async function pause(timeMs: number, signal: AbortSignal): Promise<boolean> {
  return delay(timeMs, true, { signal }).catch(() => false);
}
