import { describe, expect, it } from '@jest/globals';
import { type Action, callDuring } from '../src/callers/index.js';

const { signal } = new AbortController();

/** Two actions, one of which always fails; `seen` resolves once each has run several times. */
function twoActions() {
  let calls = 0;
  let tell: () => void;
  const seen = new Promise<void>((resolve) => (tell = resolve));
  const count = async () => {
    calls += 1;
    if (calls === 8) tell();
  };
  const broken = async () => {
    await count();
    throw new Error('answered 503');
  };
  const actions: Action[] = [
    ['read', count],
    ['write', broken],
  ];
  return { actions, seen, calls: () => calls };
}

describe('the callers of a load', () => {
  it('run until the work has settled, and name the actions that failed', async () => {
    const { actions, seen, calls } = twoActions();
    const { requests, failures } = await callDuring(actions, signal, () => seen);
    expect(requests).toBe(calls());
    expect(failures.length).toBeGreaterThan(0);
    for (const failure of failures) expect(failure).toMatch(/ write: answered 503$/);
  });
});
