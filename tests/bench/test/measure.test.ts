import { describe, expect, it } from '@jest/globals';
import { isReached, measure, type Round, type Side } from '../src/measure.js';

/** A side that returns these results in order and records when it ran. */
function side(name: string, results: (number | Round)[], calls: string[] = []): Side {
  const round = (result: number | Round) =>
    typeof result === 'number' ? { perSecond: result, done: 10 * result } : result;
  return {
    warmUp: async () => void calls.push(`${name} warms up`),
    run: async () => (calls.push(name), round(results.shift()!)),
  };
}

const row = { row: 'a', unit: 'thing', reach: 0.9 };

describe('measure', () => {
  it('returns medians, and the ratios of results of the same round', async () => {
    const rounds = [3, 1, 2].map((p50Ms): Round => ({ perSecond: 30 * p50Ms, done: 10, p50Ms }));
    const contest = { ours: side('ours', rounds), reference: side('reference', [180, 30, 30]) };
    expect(await measure(row, contest, () => undefined)).toEqual({
      ...{ ...row, ours: { perSecond: 60, p50Ms: 2 }, reference: { perSecond: 30 } },
      ratio: { min: 0.5, median: 1, max: 2 },
    });
  });
});

it('reaches its target by the median ratio and, if set, by its absolute speed', () => {
  const result = (median: number, perSecond: number, atLeast?: number) => ({
    ...{ ...row, atLeast, ratio: { min: 0, median, max: 9 } },
    ...{ ours: { perSecond }, reference: { perSecond: 1 } },
  });
  expect(isReached(result(0.9, 1))).toBe(true);
  expect(isReached(result(0.89, 1))).toBe(false);
  expect(isReached(result(0.9, 500, 500))).toBe(true);
  expect(isReached(result(0.9, 499, 500))).toBe(false);
});
