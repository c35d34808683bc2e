import type { Logger } from '@dtplatform/logging';
import type { LostLoads } from '../store/lost-loads.js';

const EVERY_MS = 15_000;

/** Looks for lost loads, now and every 15 seconds. Several processes at once do no harm. */
export function startLoadSweep({ lostLoads, log }: { lostLoads: LostLoads; log: Logger }): { stop(): Promise<void> } {
  const sweep = async () => {
    try {
      const count = await lostLoads.recover();
      if (count > 0) log.warn({ count }, 'found loads without a sign of life');
    } catch (error) {
      log.warn({ err: error }, 'looking for lost loads failed');
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
