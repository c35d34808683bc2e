import type { Logger } from '@dtplatform/logging';

const EVERY_MS = 15_000;

/**
 * Looks for lost work, now and every 15 seconds. For worker processes; several at once do no harm.
 * @param what the work, in the plural, for the log
 * @param recover puts lost work into the queue again; gives how much there was
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
  let running = sweep();
  const timer = setInterval(() => {
    running = running.then(sweep);
  }, options.everyMs ?? EVERY_MS);

  return {
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}
