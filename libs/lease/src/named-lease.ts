import type { Model } from 'mongoose';
import { keepLease } from './keep-lease.js';
import { createLeases } from './leases.js';
import type { LeaseState } from './leases.js';

/** Work that one process does at a time. `_id` is its name. */
export interface NamedLeaseDocument extends LeaseState {
  _id: string;
}

export type NamedLease = ReturnType<typeof createNamedLease>;

const TTL_MS = 6_000;

/**
 * Leader election by name; best effort. Two processes may overlap for a moment, so the work must tolerate that.
 * @param ttlMs how soon another process takes over from one that died
 */
export function createNamedLease(model: Model<NamedLeaseDocument>, name: string, { ttlMs = TTL_MS } = {}) {
  const leases = createLeases(model, { path: '', ttlMs });
  let held: NamedLeaseDocument | undefined;
  let claimedAt = 0;

  return {
    /** Claims or renews the lease; false while another process holds it. */
    async hold(): Promise<boolean> {
      claimedAt = performance.now();
      if (held && (await leases.extend(held))) return true;
      held = await leases.claim({ _id: name }, { upsert: true });
      return held !== undefined;
    },

    /**
     * Runs `work` while the lease is held; call it after `hold` resolved to true. Its signal aborts when the lease is
     * lost, or with `signal`. Rejects as `work` does.
     */
    async whileHeld<T>(work: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> {
      if (!held) throw new Error(`The lease ${name} is not held.`);
      const kept = keepLease(leases, held, { signal, exclusive: true, claimedAt });
      try {
        return await work(kept.signal);
      } finally {
        kept.stop();
      }
    },

    async isHeld(): Promise<boolean> {
      return (await leases.findHeld({ _id: name })) !== undefined;
    },

    /** Releases the lease, so that another process need not wait for it to expire. */
    async release(): Promise<void> {
      if (held) await leases.release(held);
      held = undefined;
    },
  };
}
