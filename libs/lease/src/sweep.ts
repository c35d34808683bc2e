import type { Logger } from '@dtplatform/logging';
import { setTimeout as delay } from 'node:timers/promises';
import type { NamedLease } from './named-lease.js';

const EVERY_MS = 15_000;

interface SweepOptions {
  what: string;
  log: Logger;
  everyMs?: number;
  /** Up to how long the pause grows while there is nothing to do. It does not, by default. */
  idleMs?: number;
}

interface Sweep {
  stop(): Promise<void>;
}

/**
 * Recovers lost work at once and then every 15 seconds, or every `everyMs`. Several processes may run it at the same time.
 * @param options.what the work, in the plural, for the log
 * @param options.recover recovers lost work; resolves to how much there was
 */
export function startSweep(options: SweepOptions & { recover: () => Promise<number> }): Sweep {
  const { what, recover, log } = options;
  const everyMs = options.everyMs ?? EVERY_MS;
  const { idleMs = everyMs } = options;
  /** @returns whether there was nothing to do */
  const sweep = async (): Promise<boolean> => {
    try {
      const count = await recover();
      if (count > 0) log.warn({ count, what }, 'sweep recovered lost work');
      return count === 0;
    } catch (error) {
      log.warn({ err: error, what }, 'sweep failed');
      return false;
    }
  };
  const stopping = new AbortController();
  const running = (async () => {
    let pauseMs = everyMs;
    do pauseMs = (await sweep()) ? Math.min(2 * pauseMs, idleMs) : everyMs;
    while (await delay(pauseMs, true, { signal: stopping.signal }).catch(() => false));
  })();

  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

/**
 * Does work regularly, in one process at a time: the one that gets the lease.
 * @param options.work its signal is aborted when the sweep is stopped or the lease is lost
 */
export function startExclusiveSweep({
  lease,
  work,
  ...options
}: SweepOptions & { lease: NamedLease; work: (signal: AbortSignal) => Promise<void> }): Sweep {
  const stopping = new AbortController();
  const recover = async () => {
    if (await lease.hold()) await lease.whileHeld(work, stopping.signal).finally(() => lease.release());
    return 0;
  };
  const sweep = startSweep({ ...options, recover });
  return {
    stop() {
      stopping.abort();
      return sweep.stop();
    },
  };
}
