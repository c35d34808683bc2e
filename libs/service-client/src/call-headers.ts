import { currentCall } from '@dtplatform/telemetry';

/** What makes another service's log lines and spans a part of the current call. */
export function callHeaders(): Record<string, string> {
  const call = currentCall();
  if (!call) return {};
  const { requestId, traceparent } = call;
  return requestId === undefined ? { traceparent } : { 'x-request-id': requestId, traceparent };
}
