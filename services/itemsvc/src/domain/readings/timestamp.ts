import { isoToMs } from '@dtplatform/contracts';

/** Time-series collections of MongoDB are fast for these times only. */
const END_MS = Date.UTC(2038, 0, 1);

/**
 * A time from 1970 to 2037: milliseconds since 1970, or ISO 8601, in UTC unless it has an offset. Undefined for anything
 * else.
 */
export function parseTimestamp(value: number | string): Date | undefined {
  const ms = typeof value === 'number' ? Math.floor(value) : isoToMs(value);
  return ms >= 0 && ms < END_MS ? new Date(ms) : undefined;
}
