import type { Logger } from '@dtplatform/logging';
import { setTimeout as delay } from 'node:timers/promises';

const EVERY_MS = 15_000;

/**
 * Looks for lost work, now and again 15 seconds after each look. For worker processes; several at once do no harm.
 * @param what the work, in the plural, for the log
 * @param recover puts lost work right; gives how much there was
 */
export function startSweep(options: { what: string; recover: () => Promise<number>; log: Logger; everyMs?: number }): {
  stop(): Promise<void>;
} {
  const { what, recover, log } = options;
  const sweep = async () => {
    try {
      const count = await recover();
      if (count > 0) log.warn({ count, what }, 'recovered lost work');
    } catch (error) {
      log.warn({ err: error, what }, 'the sweep for lost work failed');
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
