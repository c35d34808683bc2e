import { describe, expect, it } from '@jest/globals';
import { coalesce } from '../src/coalesce.js';

describe('coalesce', () => {
  it('makes one call of those that come together, and gives each its own result', async () => {
    const calls: number[][] = [];
    const double = coalesce(async (keys: number[]) => {
      calls.push(keys);
      return keys.map((key) => key * 2);
    }, 3);
    expect(await Promise.all([1, 2, 3, 4].map(double))).toEqual([2, 4, 6, 8]);
    expect(calls).toEqual([[1, 2, 3], [4]]);
    expect(await double(5)).toBe(10);
  });

  it('lets one that fails fail alone', async () => {
    const half = coalesce(async (keys: number[]) => {
      if (keys.some((key) => key % 2 === 1)) throw new Error('odd');
      return keys.map((key) => key / 2);
    });
    const results = await Promise.allSettled([2, 3, 4].map(half));
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await half(8)).toBe(4);
  });
});
