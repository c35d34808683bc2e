import { setTimeout as delay } from 'node:timers/promises';

/** Waits; false when the signal was aborted before the time was over. */
export async function pause(timeMs: number, signal: AbortSignal): Promise<boolean> {
  return delay(timeMs, true, { signal }).catch(() => false);
}
