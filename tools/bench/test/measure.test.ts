import { describe, expect, it } from '@jest/globals';
import { measure, type Side } from '../src/measure.js';

/** A side that returns these results one after the other and records when it ran. */
function side(name: string, results: number[], calls: string[]): Side {
  return {
    warmUp: async () => void calls.push(`${name} warms up`),
    run: async () => (calls.push(name), results.shift()!),
  };
}

const row = { row: 'a', unit: 'things/s', reach: 0.9 };

describe('measure', () => {
  it('returns medians and the ratios of the rounds', async () => {
    const calls: string[] = [];
    const contest = { ours: side('ours', [90, 110, 50], calls), reference: side('reference', [100, 100, 100], calls) };
    expect(await measure(row, contest, () => undefined)).toEqual({
      ...{ row: 'a', unit: 'things/s', reach: 0.9, ours: 90, reference: 100 },
      ratio: { min: 0.5, median: 0.9, max: 1.1 },
    });
  });

  it('compares results of the same round only', async () => {
    const calls: string[] = [];
    const contest = { ours: side('ours', [10, 100, 1000], calls), reference: side('reference', [20, 100, 500], calls) };
    const { ratio } = await measure(row, contest, () => undefined);
    expect(ratio).toEqual({ min: 0.5, median: 1, max: 2 });
  });

  it('warms both sides up and alternates which one goes first', async () => {
    const calls: string[] = [];
    const contest = { ours: side('ours', [1, 1, 1], calls), reference: side('reference', [1, 1, 1], calls) };
    await measure(row, contest, () => undefined);
    expect(calls).toEqual([
      ...['ours warms up', 'reference warms up'],
      ...['ours', 'reference', 'reference', 'ours', 'ours', 'reference'],
    ]);
  });
});
