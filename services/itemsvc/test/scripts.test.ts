import { describe, expect, it } from '@jest/globals';
import { NORMALIZE, message, T0 } from './ingestion-client.js';
import { API, NS, openApp } from './start-app.js';

const here = await openApp(NS);
const { app, owner } = here;

describe('the evaluation of a script', () => {
  const attempt = (_script: string, _message: unknown = message('d1', [1, 2]), by = owner) =>
    app.api.post(`${API}/scripts/evaluate`).query({ nsfilter: NS }).set(by).send({ _script, _message });

  it('returns its readings', async () => {
    const { body } = await attempt(NORMALIZE).expect(200);
    const reading = (at: number, value: number) => ({
      ...{ _ts: new Date(at).toISOString(), _tsMetadata: { _sourceId: 'd1' }, value },
    });
    expect(body).toEqual({ _readings: [reading(T0, 1), reading(T0 + 1, 2)], _tookMs: expect.any(Number) });
    expect((await attempt(NORMALIZE, message('silent')).expect(200)).body._readings).toEqual([]);
  });

  it.each([
    ['SCRIPT_FAILED', NORMALIZE, 'THROWN: Error: no such device'],
    ['SCRIPT_FAILED', 'function other() {}', 'NO_FUNCTION: '],
    ['SCRIPT_FAILED', 'function normalize() { for (;;); }', 'TIMED_OUT: '],
    ['READINGS_NOT_VALID', 'function normalize() { return { _ts: 1 }; }', '0._tsMetadata: '],
  ])('returns %s, as a message would become a dead letter', async (code, script, reason) => {
    const { body } = await attempt(script, message('broken')).expect(200);
    expect(body).toEqual({ _code: code, _reason: expect.stringContaining(reason), _tookMs: expect.any(Number) });
  });

  it('runs one script at a time per caller', async () => {
    const slow = 'function normalize() { for (;;); }';
    const calls = await Promise.all([1, 2, 3].map(() => attempt(slow)));
    const statuses = calls.map(({ status }) => status).toSorted((one, other) => one - other);
    expect(statuses).toEqual([200, 429, 429]);
  });
});
