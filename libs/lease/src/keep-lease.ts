import type { Leases } from './leases.js';

const HEARTBEATS_PER_TTL = 3;

/** Another process holds the lease. Writes of the former holder are rejected. */
export class LeaseLost extends Error {
  constructor() {
    super('another process holds the lease');
    this.name = 'LeaseLost';
  }
}

export interface KeptLease {
  /** Aborts with `LeaseLost`, or with the reason of the given signal. */
  signal: AbortSignal;
  /** Stops the heartbeat. Unless released, the lease then expires. */
  stop(): void;
}

interface KeepOptions {
  /** Ends the work for another reason, such as a shutdown. */
  signal?: AbortSignal;
  heartbeatMs?: number;
  /**
   * Whether the holder still makes progress. A heartbeat without progress does not extend the lease. Defaults to
   * always.
   */
  isAlive?: () => boolean;
  /** Aborts as soon as another process could hold the lease, even if the database does not respond. */
  exclusive?: boolean;
  /** When the claim was sent, by `performance.now()`. Defaults to now. */
  claimedAt?: number;
}

/** Sends heartbeats while the holder works. */
export function keepLease<T extends { _id: string }>(
  leases: Pick<Leases<T>, 'extend' | 'ttlMs'>,
  held: T,
  options: KeepOptions = {},
): KeptLease {
  const { signal, heartbeatMs = leases.ttlMs / HEARTBEATS_PER_TTL, isAlive = () => true } = options;
  const lost = new AbortController();
  let isStopped = false;
  let expiry: NodeJS.Timeout | undefined;
  let extendedAt = 0;

  function stop(): void {
    isStopped = true;
    clearInterval(heartbeat);
    clearTimeout(expiry);
  }

  function lose(): void {
    if (isStopped) return;
    stop();
    lost.abort(new LeaseLost());
  }

  /** Heartbeats may overlap while the database is slow; the latest successful one determines the deadline. */
  function extendedFrom(askedAt: number): void {
    extendedAt = Math.max(extendedAt, askedAt);
    if (!options.exclusive) return;
    clearTimeout(expiry);
    expiry = setTimeout(lose, Math.max(0, extendedAt + leases.ttlMs - performance.now())).unref();
  }

  async function beat(): Promise<void> {
    if (!isAlive()) return;
    const askedAt = performance.now();
    // An error is not final: the next heartbeat or write decides.
    const isHeld = await leases.extend(held).catch(() => undefined);
    if (isStopped || isHeld === undefined) return;
    if (isHeld) extendedFrom(askedAt);
    else lose();
  }

  const heartbeat = setInterval(() => void beat(), heartbeatMs).unref();
  extendedFrom(options.claimedAt ?? performance.now());
  return { signal: signal ? AbortSignal.any([signal, lost.signal]) : lost.signal, stop };
}
