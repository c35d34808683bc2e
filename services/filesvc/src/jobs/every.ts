import { setTimeout as delay } from 'node:timers/promises';
import type { Lifecycle } from '@dtplatform/lifecycle';
import type { Logger } from '@dtplatform/logging';

/** Does something again and again until the lifecycle stops, never twice at once. A failure is logged and does not end it. */
export function every(
  intervalMs: number,
  name: string,
  run: () => Promise<void>,
  { log, lifecycle }: { log: Logger; lifecycle: Lifecycle },
): void {
  const stopping = new AbortController();
  const loop = (async () => {
    while (!stopping.signal.aborted) {
      await run().catch((error: unknown) => log.warn({ err: error, task: name }, 'a repeated task failed'));
      await delay(intervalMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  })();
  lifecycle.onStop(name, () => {
    stopping.abort();
    return loop;
  });
}
