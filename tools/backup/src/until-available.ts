import { setTimeout as sleep } from 'node:timers/promises';

/** As long as a migration waits for backends that are starting. */
export const WAIT_MS = 120_000;
const EVERY_MS = 1_000;

/**
 * Waits for a backend that is starting. Any other problem shows in the work.
 * @param isOutage whether an error of the probe means that the backend is unavailable
 */
export async function untilAvailable(
  probe: () => Promise<void>,
  isOutage: (error: unknown) => boolean,
  signal: AbortSignal,
): Promise<void> {
  const deadline = performance.now() + WAIT_MS;
  for (;;) {
    const outage = await probe().then(() => false, isOutage);
    if (!outage || performance.now() > deadline) return;
    await sleep(EVERY_MS, undefined, { signal });
  }
}
