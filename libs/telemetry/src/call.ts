import { randomUUID } from 'node:crypto';
import {
  context,
  createContextKey,
  isSpanContextValid,
  ROOT_CONTEXT,
  SpanStatusCode,
  trace,
  TraceFlags,
} from '@opentelemetry/api';
import type { Context, Span, SpanContext, SpanOptions } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { parseTraceParent } from '@opentelemetry/core';

/** The context that request headers and queue messages carry. */
export interface CallOrigin {
  requestId?: string;
  /** W3C Trace Context. */
  traceparent?: string;
}

/** The call that the running code belongs to. */
export interface Call {
  requestId?: string;
  traceId: string;
  /** The current span, as parent of spans in other processes. */
  traceparent: string;
}

/** The limits of a call. */
export interface CallBounds {
  /** Aborts when nobody waits for the response any more. */
  readonly signal: AbortSignal;
  /** Undefined if reads are not counted. */
  readonly memory?: ReadMemory;
}

/** Memory for a call's database reads. */
export interface ReadMemory {
  /** How long the call has waited for memory, in milliseconds. Time limits exclude it. */
  readonly waitedMs: number;
  /**
   * Reserves memory for the largest result a read can have, waiting if necessary. Small reads do not wait for large
   * ones.
   * @throws 503 when the wait takes too long
   */
  reserve(kind: 'small' | 'large', maxBytes: number): Promise<ReadShare>;
}

export interface ReadShare {
  /**
   * Keeps the memory of a result until the call has responded. @returns false if there is none: drop the result and
   * repeat it as a large read of this size
   */
  keep(bytes: number): Promise<boolean>;
  /** Releases the rest. */
  release(): void;
}

/** A call that ends with an event instead of a promise. */
export interface OpenCall {
  /** Records nothing while tracing is off. The caller ends it. */
  span: Span;
  /** Runs work in the context of this call. */
  run<T>(work: () => T): T;
}

const REQUEST_ID = createContextKey('dtplatform.request-id');
const BOUNDS = createContextKey('dtplatform.bounds');
// Request and trace ids propagate even without the SDK, when no spans are recorded.
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
const tracer = trace.getTracer('dtplatform');

/** The current call; undefined outside of one, as in a sweep or at the start of a process. */
export function currentCall(): Call | undefined {
  const active = context.active();
  const span = trace.getSpanContext(active);
  if (!span) return undefined;
  const requestId = active.getValue(REQUEST_ID) as string | undefined;
  return { requestId, traceId: span.traceId, traceparent: formatTraceparent(span) };
}

/** The limits of the current request; undefined where nobody waits for a response, as in jobs. */
export const currentBounds = () => context.active().getValue(BOUNDS) as CallBounds | undefined;

/** Runs work in the call that `origin` names, without its own span. */
export const runInCall = <T>(origin: CallOrigin, work: () => T): T => context.with(contextOf(origin), work);

/** Starts a span for an incoming call, in a new trace if it has none. */
export function openCall(origin: CallOrigin, name: string, options: SpanOptions = {}, bounds?: CallBounds): OpenCall {
  const parent = contextOf(origin);
  const { span, within } = startSpan(name, options, bounds ? parent.setValue(BOUNDS, bounds) : parent);
  return { span, run: (work) => context.with(within, work) };
}

/** Runs work in a span of the current call. A rejection marks the span as failed. */
export function withSpan<T>(name: string, work: (span: Span) => Promise<T>, options: SpanOptions = {}): Promise<T> {
  const { span, within } = startSpan(name, options, context.active());
  return context.with(within, async () => {
    try {
      return await work(span);
    } catch (error) {
      span.recordException(error instanceof Error ? error : String(error));
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}

function contextOf({ requestId, traceparent }: CallOrigin): Context {
  const named = requestId === undefined ? ROOT_CONTEXT : ROOT_CONTEXT.setValue(REQUEST_ID, requestId);
  const parent = traceparent === undefined ? null : parseTraceParent(traceparent);
  return parent ? trace.setSpanContext(named, { ...parent, isRemote: true }) : named;
}

function startSpan(name: string, options: SpanOptions, parent: Context): { span: Span; within: Context } {
  const started = tracer.startSpan(name, options, parent);
  // Without the SDK a span has the ids of its parent, or none.
  const span = isSpanContextValid(started.spanContext()) ? started : trace.wrapSpanContext(newTrace());
  return { span, within: trace.setSpan(parent, span) };
}

const formatTraceparent = ({ traceId, spanId, traceFlags }: SpanContext): string =>
  `00-${traceId}-${spanId}-${traceFlags & TraceFlags.SAMPLED ? '01' : '00'}`;

/** A new trace. It is not marked as sampled, because nothing was recorded. */
const newTrace = (): SpanContext => ({
  traceId: randomHex(),
  spanId: randomHex().slice(0, 16),
  traceFlags: TraceFlags.NONE,
});

/**
 * 32 hexadecimal digits. Node.js keeps a pool of random bytes for UUIDs, which makes them cheaper than `randomBytes`.
 */
const randomHex = () => randomUUID().replaceAll('-', '');
