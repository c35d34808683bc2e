import type { Logger } from '@dtplatform/logging';
import { setTimeout as delay } from 'node:timers/promises';

const EVERY_MS = 15_000;

/**
 * Recovers lost work at once and every 15 seconds. For worker processes; several may run at the same time.
 * @param options.what the work, in the plural, for the log
 * @param options.recover recovers lost work; resolves to how much there was
 */
export function startSweep(options: { what: string; recover: () => Promise<number>; log: Logger; everyMs?: number }): {
  stop(): Promise<void>;
} {
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
