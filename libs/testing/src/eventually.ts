import { setTimeout as delay } from 'node:timers/promises';

/** Counts at most this much per attempt: a machine that was suspended for a minute has not waited for a minute. */
const MAX_STEP_MS = 5_000;

/** Repeats a check until it no longer throws; fails with its last error after `timeoutMs`. */
export async function eventually<T>(
  check: () => Promise<T> | T,
  { timeoutMs = 30_000, everyMs = 50 } = {},
): Promise<T> {
  for (let waitedMs = 0; ;) {
    const startMs = performance.now();
    try {
      return await check();
    } catch (error) {
      if (waitedMs > timeoutMs) throw error;
    }
    await delay(everyMs);
    waitedMs += Math.min(performance.now() - startMs, MAX_STEP_MS);
  }
}
