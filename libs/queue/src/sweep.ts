import type { Logger } from '@dtplatform/logging';
import { pause } from './pause.js';

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
      if (count > 0) log.warn({ count, what }, 'found work without a sign of life');
    } catch (error) {
      log.warn({ err: error, what }, 'looking for lost work failed');
    }
  };
  const stopping = new AbortController();
  const running = (async () => {
    do await sweep();
    while (await pause(options.everyMs ?? EVERY_MS, stopping.signal));
  })();

  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
