import { describe, expect, it } from '@jest/globals';
import { eventually } from '../src/index.js';

describe('eventually', () => {
  it('fails with the last error after the timeout', async () => {
    let calls = 0;
    const check = () => Promise.reject(new Error(`call ${++calls}`));
    await expect(eventually(check, { timeoutMs: 500, everyMs: 5 })).rejects.toThrow(/^call \d+$/);
    expect(calls).toBeGreaterThan(1);
  });
});
