import { describe, expect, it } from '@jest/globals';
import { shareReads } from '../src/totals.js';

/** Reads that settle when the test says so; each returns its number. */
function reads() {
  const pending: { resolve: (value: number) => void; reject: (error: Error) => void }[] = [];
  const settled = () => new Promise(setImmediate);
  const read = () => new Promise<number>((resolve, reject) => void pending.push({ resolve, reject }));
  return {
    read,
    begun: () => pending.length,
    end: (number: number) => (pending[number]!.resolve(number), settled()),
    fail: (number: number) => (pending[number]!.reject(new Error('unavailable')), settled()),
  };
}

describe('shareReads', () => {
  it('starts every read after it was asked for: a call during a read waits for the next one', async () => {
    const { read, begun, end } = reads();
    const share = shareReads<number>();
    const first = share('a', read);
    const later = [share('a', read), share('a', read)];
    expect(begun()).toBe(1);
    await end(0);
    expect(await first).toBe(0);
    expect(begun()).toBe(2);
    const latest = share('a', read);
    await end(1);
    expect(await Promise.all(later)).toEqual([1, 1]);
    await end(2);
    expect(await latest).toBe(2);
  });

  it('shares reads by key, and starts a new one when none is running', async () => {
    const { read, begun, end } = reads();
    const share = shareReads<number>();
    const both = [share('a', read), share('b', read)];
    expect(begun()).toBe(2);
    await end(0);
    await end(1);
    expect(await Promise.all(both)).toEqual([0, 1]);
    const again = share('a', read);
    expect(begun()).toBe(3);
    await end(2);
    expect(await again).toBe(2);
  });

  it('fails the callers that share a failed read, but not the next read', async () => {
    const { read, end, fail } = reads();
    const share = shareReads<number>();
    const first = share('a', read);
    const next = share('a', read);
    const rejected = expect(first).rejects.toThrow('unavailable');
    await fail(0);
    await rejected;
    await end(1);
    expect(await next).toBe(1);
  });
});
