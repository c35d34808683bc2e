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

/** What travels with a call: in the headers of requests and with queue messages. */
export interface CallOrigin {
  requestId?: string;
  /** W3C Trace Context. */
  traceparent?: string;
}

/** The call that the running code belongs to. */
export interface Call {
  requestId?: string;
  traceId: string;
  /** Names the current span: the parent of whatever this call starts elsewhere. */
  traceparent: string;
}

/** What limits the work of a call. */
export interface CallBounds {
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  /** Undefined where what the call reads is not counted. */
  readonly memory?: ReadMemory;
}

/** The memory for what a call reads from its database. */
export interface ReadMemory {
  /** How long the call has waited for memory, in milliseconds. Limits of time do not count it. */
  readonly waitedMs: number;
  /**
   * Waits for memory for a read, for the most that it can take. Small reads do not wait for large ones.
   * @throws 503 when the wait takes too long
   */
  reserve(kind: 'small' | 'large', maxBytes: number): Promise<ReadShare>;
}

/** The memory of one read. */
export interface ReadShare {
  /**
   * Keeps what the read has taken until the call is answered. @returns false if there is no memory for it: drop it, and read it
   * again as a large read of so much
   */
  keep(bytes: number): Promise<boolean>;
  /** Returns the rest. */
  release(): void;
}

/** A call whose end is an event, not the end of a promise. */
export interface OpenCall {
  /** Records nothing while tracing is off. The caller ends it. */
  span: Span;
  /** Runs work, and all that it starts, as a part of this call. */
  run<T>(work: () => T): T;
}

const REQUEST_ID = createContextKey('dtplatform.request-id');
const BOUNDS = createContextKey('dtplatform.bounds');
// Needed with and without the SDK: request and trace ids travel on even when nothing records spans.
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
const tracer = trace.getTracer('dtplatform');

/** The current call, or undefined outside of one: at the start of a process, in a sweep. */
export function currentCall(): Call | undefined {
  const active = context.active();
  const span = trace.getSpanContext(active);
  if (!span) return undefined;
  const requestId = active.getValue(REQUEST_ID) as string | undefined;
  return { requestId, traceId: span.traceId, traceparent: formatTraceparent(span) };
}

/** The bounds of the current request; undefined where nobody waits for an answer, as in jobs. */
export const currentBounds = () => context.active().getValue(BOUNDS) as CallBounds | undefined;

/** Runs work as a part of the call that `origin` names, without a span of its own. */
export const runInCall = <T>(origin: CallOrigin, work: () => T): T => context.with(contextOf(origin), work);

/** Begins a span for a call that came in. A call that brings no trace gets a new one. */
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

/** A new trace. Nothing of it has been recorded, so it is not marked as sampled. */
const newTrace = (): SpanContext => ({
  traceId: randomHex(),
  spanId: randomHex().slice(0, 16),
  traceFlags: TraceFlags.NONE,
});

/** 32 digits. Node keeps random bytes for UUIDs at hand, which makes them cheaper than `randomBytes`. */
const randomHex = () => randomUUID().replaceAll('-', '');
