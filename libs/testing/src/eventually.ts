import { setTimeout as delay } from 'node:timers/promises';

/** Repeats a check until it no longer throws; fails with its last error after `timeoutMs`. */
export async function eventually<T>(
  check: () => Promise<T> | T,
  { timeoutMs = 30_000, everyMs = 50 } = {},
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() > deadline) throw error;
    }
    await delay(everyMs);
  }
}
