import type { Logger } from '@dtplatform/logging';
import { setTimeout as delay } from 'node:timers/promises';
import type { NamedLease } from './named-lease.js';

const EVERY_MS = 15_000;

interface SweepOptions {
  what: string;
  log: Logger;
  everyMs?: number;
}

interface Sweep {
  stop(): Promise<void>;
}

/**
 * Recovers lost work at once and every 15 seconds. For worker processes; several may run at the same time.
 * @param options.what the work, in the plural, for the log
 * @param options.recover recovers lost work; resolves to how much there was
 */
export function startSweep(options: SweepOptions & { recover: () => Promise<number> }): Sweep {
  const { what, recover, log } = options;
  const sweep = async () => {
    try {
      const count = await recover();
      if (count > 0) log.warn({ count, what }, 'sweep recovered lost work');
    } catch (error) {
      log.warn({ err: error, what }, 'sweep failed');
    }
  };
  const stopping = new AbortController();
  const running = (async () => {
    do await sweep();
    while (await delay(options.everyMs ?? EVERY_MS, true, { signal: stopping.signal }).catch(() => false));
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
