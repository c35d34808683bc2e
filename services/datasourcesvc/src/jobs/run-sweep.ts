import type { Logger } from '@dtplatform/logging';
import type { LostRuns } from '../store/lost-runs.js';

const EVERY_MS = 15_000;

/** Looks for lost runs, now and every 15 seconds. Several processes at once do no harm. */
export function startRunSweep({ lostRuns, log }: { lostRuns: LostRuns; log: Logger }): { stop(): Promise<void> } {
  const sweep = async () => {
    try {
      const count = await lostRuns.recover();
      if (count > 0) log.warn({ count }, 'found runs without a sign of life');
    } catch (error) {
      log.warn({ err: error }, 'looking for lost runs failed');
    }
  };
  let running = sweep();
  const timer = setInterval(() => {
    running = running.then(sweep);
  }, EVERY_MS);
  return {
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}
