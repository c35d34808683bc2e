import { trace } from '@opentelemetry/api';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { currentCall, openCall, SpanKind, startTelemetry, withSpan } from '../src/index.js';
import { startOtlpCollector } from '../../testing/src/otlp-collector.js';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const collector = await startOtlpCollector();
const stops: (() => unknown)[] = [];
const lifecycle = { onStop: (_name: string, stop: () => unknown) => void stops.push(stop) };
const log = { warn: jest.fn() };

beforeAll(() => {
  Object.assign(process.env, collector.env);
});
afterAll(async () => {
  for (const name of Object.keys(collector.env)) delete process.env[name];
  await collector.close();
  trace.disable();
});

it('starts nothing without an endpoint', async () => {
  await startTelemetry({ service: 'filesvc', config: {}, lifecycle, log });
  expect(stops).toEqual([]);
});

it('sends the spans of a call, under its incoming trace, at the latest when the process stops', async () => {
  await startTelemetry({ service: 'filesvc', version: '1.2.3', config: collector.env, lifecycle, log });
  const call = openCall({ requestId: 'r-1', traceparent: `00-${traceId}-00f067aa0ba902b7-01` }, 'POST', {
    kind: SpanKind.SERVER,
  });
  const inside = await call.run(() => withSpan('POST /graphicssvc', async () => currentCall()!));
  await call.run(() => withSpan('GET /itemsvc', () => Promise.reject(new Error('broken')))).catch(() => undefined);
  call.span.updateName('files.create').end();
  const unsampled = openCall({ traceparent: `00-${traceId}-00f067aa0ba902b7-00` }, 'not sampled');
  unsampled.span.end();

  for (const stop of stops) await stop();
  const named = Object.fromEntries(collector.spans.map((span) => [span.name, span]));
  expect(Object.keys(named).sort()).toEqual(['GET /itemsvc', 'POST /graphicssvc', 'files.create']);
  const { 'files.create': operation, 'POST /graphicssvc': passed, 'GET /itemsvc': failed } = named;
  expect(operation).toMatchObject({ service: 'filesvc', traceId, parentSpanId: '00f067aa0ba902b7' });
  expect(passed).toMatchObject({ traceId, parentSpanId: operation!.spanId });
  expect(inside).toEqual({ requestId: 'r-1', traceId, traceparent: `00-${traceId}-${passed!.spanId}-01` });
  expect(failed).toMatchObject({ traceId, status: { code: 2 } });
  expect(log.warn).not.toHaveBeenCalled();
});
