import { setTimeout as delay } from 'node:timers/promises';
import { currentCall } from '@dtplatform/telemetry';

/** Makes the other service's log lines and spans part of the current call. */
export function callHeaders(): Record<string, string> {
  const call = currentCall();
  if (!call) return {};
  const { requestId, traceparent } = call;
  return requestId === undefined ? { traceparent } : { 'x-request-id': requestId, traceparent };
}

/** The connection was never established, so the request was not sent. */
const NOT_SENT = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
]);
/** The connection broke; the request may have been processed. */
const BROKEN = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);
const DELAYS_MS = [50, 150, 450];

export interface RetryOptions {
  /** Whether the request may be repeated. If not, it is retried only if it was not sent. */
  idempotent: boolean;
  /** Deadline for the start of an attempt, from the first one. */
  withinMs: number;
  signal?: AbortSignal;
}

/** Retries a failed connection up to three times: the replica behind it may just have stopped. */
export async function withRetries<T>(attempt: () => Promise<T>, options: RetryOptions): Promise<T> {
  const deadline = performance.now() + options.withinMs;
  for (const delayMs of DELAYS_MS) {
    try {
      return await attempt();
    } catch (error) {
      const isOver = performance.now() + delayMs > deadline || options.signal?.aborted;
      if (isOver || !mayRepeat(error, options.idempotent)) throw error;
    }
    // Jitter spreads the retries of all callers of a stopped replica.
    await delay(delayMs * (0.5 + Math.random() / 2), undefined, { signal: options.signal });
  }
  return attempt();
}

function mayRepeat(error: unknown, idempotent: boolean): boolean {
  const code = String((error as { code?: unknown } | undefined)?.code);
  return NOT_SENT.has(code) || (idempotent && BROKEN.has(code));
}
