import { setTimeout as sleep } from 'node:timers/promises';

export const succeeds = (work: Promise<unknown>): Promise<boolean> =>
  work.then(
    () => true,
    () => false,
  );

/** Counts at most this much per attempt: a machine that was suspended for a minute has not waited for a minute. */
const MAX_STEP_MS = 5_000;

/**
 * Polls until `condition` resolves to true. Throws the reason of an aborted `signal`, or an error that names `what` after
 * `timeoutMs`.
 */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  { timeoutMs, everyMs = 50, signal }: { timeoutMs: number; everyMs?: number; signal?: AbortSignal },
): Promise<void> {
  for (let waitedMs = 0; ;) {
    const startMs = performance.now();
    if (await condition()) break;
    signal?.throwIfAborted();
    if (waitedMs > timeoutMs) throw new Error(`${what}: not within ${timeoutMs / 1000} s`);
    await sleep(everyMs);
    waitedMs += Math.min(performance.now() - startMs, MAX_STEP_MS);
  }
  signal?.throwIfAborted();
}
