import { setTimeout as delay } from 'node:timers/promises';
import { toAppError } from '@dtplatform/http';
import type { ErrorMapper } from '@dtplatform/http';
import type { Logger } from '@dtplatform/logging';

const RETRY_EVERY_MS = 1_000;
const UNAVAILABLE = 503;

/**
 * Runs `work`, and retries it while its errors mean that a backend is unavailable.
 * @throws Error when a backend stays unavailable for `waitMs`; every other error at once
 */
export async function waitForBackends(
  work: () => Promise<void>,
  options: { waitMs: number; errorMappers: ErrorMapper[]; signal: AbortSignal; log: Logger },
): Promise<void> {
  const { waitMs, errorMappers, signal, log } = options;
  const deadline = Date.now() + waitMs;
  for (let isFirst = true; ; isFirst = false) {
    try {
      return void (await work());
    } catch (error) {
      signal.throwIfAborted();
      const { status, cause } = toAppError(error, errorMappers);
      if (status !== UNAVAILABLE) throw error;
      const reason = cause instanceof Error ? cause.message : String(cause);
      if (Date.now() >= deadline) {
        throw new Error(`The backends were not available within ${waitMs / 1000} s: ${reason}`);
      }
      if (isFirst) log.warn({ reason }, 'waiting for the backends');
    }
    await delay(RETRY_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
}
