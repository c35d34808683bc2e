import { describe, expect, it } from '@jest/globals';
import { once } from '../src/index.js';

describe('once', () => {
  it('shares one run between concurrent callers and keeps its result', async () => {
    let runs = 0;
    const run = once(async () => ++runs);
    expect(await Promise.all([run(), run()])).toEqual([1, 1]);
    expect(await run()).toBe(1);
  });

  it('runs again after a failure', async () => {
    let runs = 0;
    const run = once(async () => {
      if (++runs === 1) throw new Error('first');
      return runs;
    });
    await expect(Promise.all([run(), run()])).rejects.toThrow('first');
    expect(await run()).toBe(2);
  });
});
