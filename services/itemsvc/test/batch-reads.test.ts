import { describe, expect, it } from '@jest/globals';
import { batchReads } from '../src/store/batch-reads.js';

/** Knows the keys that begin with `k`. */
function loader() {
  const loads: string[][] = [];
  const load = async (keys: string[]) => {
    loads.push(keys);
    return new Map(keys.filter((key) => key.startsWith('k')).map((key) => [key, `value of ${key}`]));
  };
  return { loads, read: batchReads(load) };
}

describe('batched reads', () => {
  it('gather what is asked for in one turn, each key once', async () => {
    const { loads, read } = loader();
    const values = await Promise.all(['k1', 'k2', 'k1', 'unknown'].map(read));
    expect(values).toEqual(['value of k1', 'value of k2', 'value of k1', undefined]);
    expect(loads).toEqual([['k1', 'k2', 'unknown']]);
  });

  it('begin anew in the next turn', async () => {
    const { loads, read } = loader();
    await read('k1');
    await read('k1');
    expect(loads).toEqual([['k1'], ['k1']]);
  });

  it('go in portions', async () => {
    const { loads, read } = loader();
    const keys = Array.from({ length: 70 }, (_, n) => `k${n}`);
    expect(await Promise.all(keys.map(read))).toEqual(keys.map((key) => `value of ${key}`));
    expect(loads.map(({ length }) => length)).toEqual([32, 32, 6]);
  });

  it('fail for those who asked, not for the next', async () => {
    let isAway = true;
    const read = batchReads(async (keys) => {
      if (isAway) throw new Error('away');
      return new Map(keys.map((key) => [key, key]));
    });
    const results = await Promise.allSettled([read('a'), read('b')]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    isAway = false;
    expect(await read('a')).toBe('a');
  });
});
