import { ApiError, NetworkError, NoPlatformError, TimeoutError } from './errors.js';

const BASE_MS = 250;
const MAX_BACKOFF_MS = 10_000;
/** Longer delays are left to the caller. */
const MAX_RETRY_AFTER_MS = 60_000;
const JITTER_MS = 1000;
const TEMPORARY = [408, 425, 429, 502, 503, 504];

/** Rejects with the reason of the signal. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const stop = () => {
      clearTimeout(timer);
      reject(signal!.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
}

/** Whether the same call may succeed later. A 409 with `Retry-After` means that the idempotency key is still in use. */
export function isTemporary(error: unknown): boolean {
  if (error instanceof NoPlatformError) return false;
  if (error instanceof NetworkError || error instanceof TimeoutError) return true;
  if (!(error instanceof ApiError)) return false;
  return TEMPORARY.includes(error.status) || (error.status === 409 && error.retryAfterMs !== undefined);
}

/**
 * The delay before the next attempt: the platform's `Retry-After`, or a random time that doubles with each attempt,
 * which spreads the retries of many clients. Undefined if the platform asks for too long.
 */
function delayOf(error: unknown, attempt: number): number | undefined {
  const asked = error instanceof ApiError ? error.retryAfterMs : undefined;
  if (asked === undefined) return Math.random() * Math.min(MAX_BACKOFF_MS, BASE_MS * 2 ** attempt);
  return asked > MAX_RETRY_AFTER_MS ? undefined : asked + Math.random() * JITTER_MS;
}

export interface RetryOptions {
  /** Number of retries. */
  retries: number;
  /** Whether to retry after this error. */
  mayRepeat?: (error: unknown) => boolean;
  signal?: AbortSignal;
  /** Whether the last attempt made progress, which resets the number of attempts. */
  hasAdvanced?: () => boolean;
}

/** Repeats work until it succeeds, fails permanently, or has used up its attempts. */
export async function withRetries<T>(work: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { retries, mayRepeat = isTemporary, hasAdvanced, signal } = options;
  for (let attempt = 0; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (hasAdvanced?.()) attempt = 0;
      const waitMs = attempt < retries && mayRepeat(error) ? delayOf(error, attempt) : undefined;
      if (waitMs === undefined) throw error;
      await sleep(waitMs, signal);
    }
  }
}
