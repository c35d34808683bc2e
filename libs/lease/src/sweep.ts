import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '@dtplatform/logging';
import type { NamedLease } from './named-lease.js';

const EVERY_MS = 15_000;

interface SweepOptions {
  what: string;
  log: Logger;
  everyMs?: number;
  /** Up to how long the pause grows while there is nothing to do. It does not, by default. */
  idleMs?: number;
}

interface Repeated extends SweepOptions {
  /** Resolves to whether there was something to do. */
  sweep: () => Promise<boolean>;
}

interface Sweep {
  stop(): Promise<void>;
}

/**
 * Recovers lost work at once and then every 15 seconds, or every `everyMs`. Several processes may run it at the same time.
 * @param options.what the work, in the plural, for the log
 * @param options.recover recovers lost work; resolves to how much there was
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
 * Does work regularly, in one process at a time: the one that gets the lease. It keeps the lease between two times, as long as
 * that lasts: to renew it takes one write.
 * @param options.work its signal is aborted when the sweep is stopped or the lease is lost. It resolves to true if there was
 * something to do
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
