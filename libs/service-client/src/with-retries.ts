import { setTimeout as delay } from 'node:timers/promises';

/** The connection was never made: nothing has reached the other side. */
const NOT_SENT = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
]);
/** The connection broke: nobody knows how far the request came. */
const BROKEN = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);
const DELAYS_MS = [50, 150, 450];

export interface RetryOptions {
  /** Whether doing it twice is the same as doing it once. Others are tried again only when nothing was sent. */
  idempotent: boolean;
  /** No attempt begins later than this after the first. */
  withinMs: number;
  signal?: AbortSignal;
}

/** Tries again, up to three times, when it is the connection that failed: the replica behind it may just have ended. */
export async function withRetries<T>(attempt: () => Promise<T>, options: RetryOptions): Promise<T> {
  const deadline = performance.now() + options.withinMs;
  for (const delayMs of DELAYS_MS) {
    try {
      return await attempt();
    } catch (error) {
      const isOver = performance.now() + delayMs > deadline || options.signal?.aborted;
      if (isOver || !mayRepeat(error, options.idempotent)) throw error;
    }
    // Not all callers of a replica that ended at the same moment.
    await delay(delayMs * (0.5 + Math.random() / 2), undefined, { signal: options.signal });
  }
  return attempt();
}

function mayRepeat(error: unknown, idempotent: boolean): boolean {
  const code = String((error as { code?: unknown } | undefined)?.code);
  return NOT_SENT.has(code) || (idempotent && BROKEN.has(code));
}
