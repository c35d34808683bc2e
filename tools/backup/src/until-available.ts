import { setTimeout as sleep } from 'node:timers/promises';

/** As long as a migration waits for backends to start. */
export const WAIT_MS = 120_000;
const EVERY_MS = 1_000;

interface Waiting {
  /** Its name in the error. */
  what: string;
  /** Whether an error of the probe means that the backend is unavailable. The work itself finds any other problem. */
  isOutage: (error: unknown) => boolean;
  signal: AbortSignal;
  waitMs?: number;
}

/** Waits for a starting backend. @throws if it is still unavailable after `waitMs` */
export async function untilAvailable(
  probe: () => Promise<void>,
  { what, isOutage, signal, waitMs = WAIT_MS }: Waiting,
): Promise<void> {
  const deadline = performance.now() + waitMs;
  for (;;) {
    const failure = await probe().then(
      () => undefined,
      (error: unknown) => error as Error,
    );
    if (failure === undefined || !isOutage(failure)) return;
    if (performance.now() > deadline)
      throw new Error(`${what} does not answer: ${failure.message}`, { cause: failure });
    await sleep(EVERY_MS, undefined, { signal });
  }
}
