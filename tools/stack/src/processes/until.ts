import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Polls until `ask` resolves to true. Throws the reason of an aborted `signal`, or an error that names `what` after
 * `timeoutMs`.
 */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  { timeoutMs, everyMs = 50, signal }: { timeoutMs: number; everyMs?: number; signal?: AbortSignal },
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await condition())) {
    signal?.throwIfAborted();
    if (Date.now() > deadline) throw new Error(`${what}: not within ${timeoutMs / 1000} s`);
    await sleep(everyMs);
  }
  signal?.throwIfAborted();
}
