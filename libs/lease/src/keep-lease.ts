import type { Leases } from './leases.js';

const HEARTBEATS_PER_TTL = 3;

/** Another process holds the lease now: whatever the former holder writes is refused. */
export class LeaseLost extends Error {
  constructor() {
    super('another process holds the lease');
    this.name = 'LeaseLost';
  }
}

export interface KeptLease {
  /** Aborted with `LeaseLost`, or as the given signal is. */
  signal: AbortSignal;
  /** Ends the heartbeat. The lease ends by itself, unless it is released. */
  stop(): void;
}

interface KeepOptions {
  /** Ends the work for another reason, such as a shutdown. */
  signal?: AbortSignal;
  heartbeatMs?: number;
  /** Whether the holder still makes progress; a heartbeat without it does not extend the lease. Always, by default. */
  isAlive?: () => boolean;
  /** Aborts as soon as another process could hold the lease, even if no heartbeat was answered since. */
  exclusive?: boolean;
}

/** Extends a lease regularly while its holder works. */
export function keepLease<T extends { _id: string }>(
  leases: Pick<Leases<T>, 'extend' | 'ttlMs'>,
  held: T,
  {
    signal,
    heartbeatMs = leases.ttlMs / HEARTBEATS_PER_TTL,
    isAlive = () => true,
    exclusive = false,
  }: KeepOptions = {},
): KeptLease {
  const lost = new AbortController();
  let heldUntil = performance.now() + leases.ttlMs;

  async function beat(): Promise<void> {
    if (!isAlive()) return;
    const askedAt = performance.now();
    // While the database is unavailable, the next heartbeat or write decides.
    const isHeld = await leases.extend(held).catch(() => undefined);
    if (isHeld) heldUntil = askedAt + leases.ttlMs;
    if (isHeld === false || (exclusive && performance.now() >= heldUntil)) lost.abort(new LeaseLost());
  }

  const timer = setInterval(() => void beat(), heartbeatMs);
  const stop = () => clearInterval(timer);
  lost.signal.addEventListener('abort', stop, { once: true });
  return { signal: signal ? AbortSignal.any([signal, lost.signal]) : lost.signal, stop };
}
