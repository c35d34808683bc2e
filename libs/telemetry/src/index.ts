export { SpanKind, SpanStatusCode } from '@opentelemetry/api';
export type { Span } from '@opentelemetry/api';
export { currentBounds, currentCall, openCall, runInCall, withSpan } from './call.js';
export type { Call, CallBounds, CallOrigin, OpenCall, ReadMemory, ReadShare } from './call.js';
export { startTelemetry } from './start-telemetry.js';
