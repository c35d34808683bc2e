import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '@dtplatform/logging';
import type { NamedLease } from './named-lease.js';

const EVERY_MS = 15_000;

interface SweepOptions {
  what: string;
  log: Logger;
  everyMs?: number;
  /** The interval grows up to this while there is nothing to do. Defaults to `everyMs`. */
  idleMs?: number;
}

interface Repeated extends SweepOptions {
  /** Resolves to whether there was work. */
  sweep: () => Promise<boolean>;
}

interface Sweep {
  stop(): Promise<void>;
}

/**
 * Recovers lost work at once and then every 15 seconds, or every `everyMs`. Several processes may run it concurrently.
 * @param options.what the work, in the plural, for the log
 * @param options.recover recovers lost work; resolves to the amount
 */
export function startSweep({ recover, ...options }: SweepOptions & { recover: () => Promise<number> }): Sweep {
  const { what, log } = options;
  const sweep = async () => {
    const count = await recover();
    if (count > 0) log.warn({ count, what }, 'sweep recovered lost work');
    return count > 0;
  };
  return repeat({ ...options, sweep });
}

/**
 * Runs periodic work in one process at a time, the holder of a lease. It keeps the lease between runs if that lasts
 * long enough, since renewing takes one write.
 * @param options.work its signal aborts when the sweep stops or the lease is lost. Resolves to whether there was work
 */
export function startExclusiveSweep({
  lease,
  work,
  ...options
}: SweepOptions & { lease: NamedLease; work: (signal: AbortSignal) => Promise<boolean | void> }): Sweep {
  const stopping = new AbortController();
  const sweep = async () => (await lease.hold()) && (await lease.whileHeld(work, stopping.signal)) === true;
  const repeated = repeat({ ...options, sweep });
  return {
    async stop() {
      stopping.abort();
      await repeated.stop();
      await lease.release().catch(() => undefined);
    },
  };
}

function repeat({ what, sweep, log, everyMs = EVERY_MS, idleMs = everyMs }: Repeated): Sweep {
  const stopping = new AbortController();
  const sweepOnce = () =>
    sweep().catch((error: unknown) => {
      log.warn({ err: error, what }, 'sweep failed');
      return true;
    });
  const running = (async () => {
    let pauseMs = everyMs;
    do pauseMs = (await sweepOnce()) ? everyMs : Math.min(2 * pauseMs, idleMs);
    while (await delay(pauseMs, true, { signal: stopping.signal }).catch(() => false));
  })();

  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
