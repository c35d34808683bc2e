import type { Lifecycle } from '@dtplatform/lifecycle';
import type { Logger } from '@dtplatform/logging';

/** Runs work that no request waits for; the process waits for it before it ends. A failure is logged. */
export function createBackground({ log, lifecycle }: { log: Logger; lifecycle: Lifecycle }) {
  const running = new Set<Promise<void>>();
  lifecycle.onStop('background work', () => Promise.all(running));

  return (work: () => Promise<void>): void => {
    const run = work()
      .catch((error: unknown) => log.error({ err: error }, 'background work failed'))
      .finally(() => running.delete(run));
    running.add(run);
  };
}
