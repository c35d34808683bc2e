import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, expect, it } from '@jest/globals';
import { coalesce } from '../src/coalesce.js';

describe('coalesce', () => {
  it("makes one call for concurrent keys, and returns each caller's own result", async () => {
    const calls: number[][] = [];
    const double = coalesce(
      async (keys: number[]) => {
        calls.push(keys);
        return keys.map((key) => key * 2);
      },
      { maxWeight: 3 },
    );
    expect(await Promise.all([1, 2, 3, 4].map(double))).toEqual([2, 4, 6, 8]);
    expect(calls).toEqual([[1, 2, 3], [4]]);
    expect(await double(5)).toBe(10);
  });

  it('returns the other results when one key fails', async () => {
    const half = coalesce(async (keys: number[]) => {
      if (keys.some((key) => key % 2 === 1)) throw new Error('odd');
      return keys.map((key) => key / 2);
    });
    const results = await Promise.allSettled([2, 3, 4].map(half));
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await half(8)).toBe(4);
  });
});

it('retries the keys of a failed batch concurrently if configured', async () => {
  let retrying = 0;
  let release: () => void = () => undefined;
  const allAreRetrying = new Promise<void>((resolve) => (release = resolve));
  const even = coalesce(
    async (keys: number[]) => {
      if (keys.length > 1) throw new Error('together');
      retrying += 1;
      if (retrying === 3) release();
      await allAreRetrying;
      if (keys[0]! % 2 === 1) throw new Error('odd');
    },
    { retryTogether: true },
  );
  const results = await Promise.allSettled([2, 3, 4].map(even));
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
});

it('runs a single call in its context, and batches outside of any', async () => {
  const call = new AsyncLocalStorage<string>();
  const seen: (string | undefined)[] = [];
  const add = coalesce(async (_keys: number[]) => void seen.push(call.getStore()));
  await call.run('first', () => add(1));
  await Promise.all([call.run('second', () => add(2)), call.run('third', () => add(3))]);
  expect(seen).toEqual(['first', undefined]);
});

class DatabaseUnavailable extends Error {}

/** Commits to memory. */
function start({ maxWeight = 1000, isUnavailable = false } = {}) {
  const commits: number[][] = [];
  const commit = coalesce<number>(
    async (entries) => {
      commits.push(entries);
      await new Promise((resolve) => setImmediate(resolve));
      if (isUnavailable) throw new DatabaseUnavailable();
    },
    {
      concernsAll: (error) => error instanceof DatabaseUnavailable,
      maxWeight,
      weightOf: (entry) => entry,
    },
  );
  const commitAll = (entries: number[]) => Promise.allSettled(entries.map(commit));
  return { commits, commit, commitAll };
}

describe('coalesce as a group commit', () => {
  it('commits concurrent entries together, and those added during a commit in the next one', async () => {
    const { commits, commit } = start();
    const first = [commit(1), commit(2)];
    await new Promise((resolve) => setImmediate(resolve));
    await Promise.all([...first, commit(3), commit(4)]);
    expect(commits).toEqual([
      [1, 2],
      [3, 4],
    ]);
  });

  it('ends a batch with the entry that reaches the weight, and works again after it was idle', async () => {
    const { commits, commit, commitAll } = start({ maxWeight: 4 });
    await commitAll([1, 3, 2, 9, 1]);
    await commit(4);
    expect(commits).toEqual([[1, 3], [2, 9], [1], [4]]);
  });

  it('fails all entries without individual retries when the database is unavailable', async () => {
    const { commits, commitAll } = start({ isUnavailable: true });
    const results = await commitAll([1, 2, 3]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(commits).toEqual([[1, 2, 3]]);
  });
});
