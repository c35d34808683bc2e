import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { startOtlpCollector } from '../../testing/src/otlp-collector.js';
import { currentCall, openCall, runInCall, SpanKind, startTelemetry, withSpan } from '../src/index.js';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const traceparent = `00-${traceId}-00f067aa0ba902b7-01`;

describe('a call, while tracing is off', () => {
  it('keeps its request id and trace across awaits', async () => {
    const seen = await openCall({ requestId: 'r-1', traceparent }, 'GET').run(async () => {
      await delay(1);
      return currentCall();
    });
    expect(seen).toEqual({ requestId: 'r-1', traceId, traceparent });
    expect(currentCall()).toBeUndefined();
  });

  it('gets a new trace when it arrived without one', () => {
    const traces = [1, 2].map(() => openCall({ requestId: 'r-2' }, 'GET').run(currentCall)!);
    expect(traces[0]!.traceparent).toMatch(/^00-[\da-f]{32}-[\da-f]{16}-00$/);
    expect(traces[0]!.traceparent).toContain(traces[0]!.traceId);
    expect(traces[0]!.traceId).not.toBe(traces[1]!.traceId);
  });

  it.each([
    ['not a traceparent'],
    [`00-${'0'.repeat(32)}-00f067aa0ba902b7-01`],
    [`00-${traceId}-${'0'.repeat(16)}-01`],
    [traceparent.toUpperCase()],
    [`ff${traceparent.slice(2)}`],
    [`${traceparent}-more`],
    [`${traceparent}, ${traceparent}`],
  ])('gets a new trace instead of the malformed one %p', (malformed) => {
    const call = openCall({ traceparent: malformed }, 'GET').run(currentCall)!;
    expect(call.traceId).toMatch(/^[\da-f]{32}$/);
    expect(call.traceId).not.toBe(traceId);
  });

  it('accepts later versions of the header', () => {
    const call = openCall({ traceparent: `01${traceparent.slice(2)}-more` }, 'GET').run(currentCall)!;
    expect(call).toMatchObject({ traceId, traceparent });
  });

  it('is isolated from concurrent calls', async () => {
    const one = (requestId: string) =>
      runInCall({ requestId, traceparent }, async () => {
        await delay(Math.random() * 5);
        return currentCall()?.requestId;
      });
    const ids = ['a', 'b', 'c', 'd'];
    expect(await Promise.all(ids.map(one))).toEqual(ids);
  });

  it('returns or throws what the work in a span does', async () => {
    const inSpan = (work: () => Promise<unknown>) =>
      runInCall({ requestId: 'r-3', traceparent }, () => withSpan('run.process', work));
    expect(await inSpan(async () => currentCall())).toMatchObject({ requestId: 'r-3', traceId });
    await expect(inSpan(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  });

  it('starts with work that belongs to no call yet', async () => {
    expect(await withSpan('run.process', async () => currentCall())).toMatchObject({
      requestId: undefined,
      traceId: expect.stringMatching(/^[\da-f]{32}$/),
    });
  });
});

// Last: tracing cannot be switched off again.
const collector = await startOtlpCollector();
describe('a call that is traced', () => {
  const stops: (() => unknown)[] = [];
  const lifecycle = { onStop: (_name: string, stop: () => unknown) => void stops.push(stop) };
  const log = { warn: jest.fn() };

  beforeAll(() => {
    Object.assign(process.env, collector.env);
  });
  afterAll(async () => {
    for (const name of Object.keys(collector.env)) delete process.env[name];
    await collector.close();
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
});
