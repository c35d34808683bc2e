import { randomUUID } from 'node:crypto';
import { isSpanContextValid, TraceFlags } from '@opentelemetry/api';
import type { SpanContext } from '@opentelemetry/api';

/** Versions after 00 may append fields; ff is not a version (W3C Trace Context, "traceparent Header"). */
const TRACEPARENT = /^(?!ff)([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/;

/** The span that a `traceparent` header names, or undefined when the header is absent or malformed. */
export function parseTraceparent(header: unknown): SpanContext | undefined {
  const match = typeof header === 'string' ? TRACEPARENT.exec(header) : undefined;
  if (!match) return undefined;
  const [, version, traceId = '', spanId = '', flags = '', more] = match;
  if (version === '00' && more !== undefined) return undefined;
  const parent = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & TraceFlags.SAMPLED, isRemote: true };
  return isSpanContextValid(parent) ? parent : undefined;
}

export const formatTraceparent = ({ traceId, spanId, traceFlags }: SpanContext): string =>
  `00-${traceId}-${spanId}-${traceFlags & TraceFlags.SAMPLED ? '01' : '00'}`;

/** A new trace. Nothing of it has been recorded, so it is not marked as sampled. */
export const newTrace = (): SpanContext => ({
  traceId: randomHex(),
  spanId: randomHex().slice(0, 16),
  traceFlags: TraceFlags.NONE,
});

/** 32 digits. Node keeps random bytes for UUIDs at hand, which makes them cheaper than `randomBytes`. */
const randomHex = () => randomUUID().replaceAll('-', '');
