import type { Logger } from '@dtplatform/logging';
import type { Tasks } from './tasks.js';

const EVERY_MS = 15_000;

/** Puts lost tasks into the queue again, now and every 15 seconds. For the worker process; several at once do no harm. */
export function startTaskSweep(options: { tasks: Tasks; log: Logger; everyMs?: number }): { stop(): Promise<void> } {
  const { tasks, log } = options;
  const sweep = async () => {
    try {
      const count = await tasks.resubmitLost();
      if (count > 0) log.warn({ count }, 'tasks without a sign of life were put into the queue again');
    } catch (error) {
      log.warn({ err: error }, 'looking for lost tasks failed');
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
