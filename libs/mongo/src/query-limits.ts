import { currentBounds } from '@dtplatform/telemetry';
import type { CallBounds } from '@dtplatform/telemetry';

/**
 * Longest time on the server for the queries of one request, in milliseconds. Past it the error is
 * `isTimeLimitExceeded`.
 */
const MAX_QUERY_MS = 2_000;

export interface QueryLimits {
  maxTimeMS: number;
  signal?: AbortSignal;
}

/** When the queries of a request must have ended: the first one of it sets the time. */
const deadlines = new WeakMap<CallBounds, number>();

/**
 * Options of the driver for a query with conditions of a caller. All queries of one request share one deadline, and end
 * on the server when the caller disconnects. Outside of a request each query has the whole time.
 */
export function queryLimits(): QueryLimits {
  const bounds = currentBounds();
  if (!bounds) return { maxTimeMS: MAX_QUERY_MS };
  // The time of waits for memory is added to every deadline.
  const now = performance.now() - (bounds.memory?.waitedMs ?? 0);
  const deadline = deadlines.get(bounds) ?? now + MAX_QUERY_MS;
  deadlines.set(bounds, deadline);
  // To MongoDB 0 is no limit.
  return { maxTimeMS: Math.max(1, Math.ceil(deadline - now)), signal: bounds.signal };
}
