import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createByteBudget } from '../src/index.js';
import type { ByteBudget, Share } from '../src/index.js';

/** Reserves bytes, and records the order of service. */
function reserveAs(budget: ByteBudget, served: string[], shares: Share[] = []) {
  return (bytes: number, caller: string, signal?: AbortSignal) =>
    budget.reserve(bytes, caller, signal).then((share) => {
      served.push(caller);
      shares.push(share);
    });
}

const turn = () => new Promise(setImmediate);

describe('byte budget', () => {
  it('queues requests until bytes are returned', async () => {
    const budget = createByteBudget(100);
    const first = await budget.reserve(60, 'a');
    const served: string[] = [];
    const second = reserveAs(budget, served)(60, 'b');
    await turn();
    expect(served).toEqual([]);
    expect(budget.tryReserve(1, 'c')).toBeUndefined();
    first.release();
    await second;
    first.release();
    expect(budget.usedBytes).toBe(60);
  });

  it('serves callers in turn, regardless of how often each asked before', async () => {
    const budget = createByteBudget(10);
    const held = await budget.reserve(10, 'x');
    const served: string[] = [];
    const shares: Share[] = [];
    const reserve = reserveAs(budget, served, shares);
    const all = ['a', 'a', 'a', 'a', 'b', 'b', 'c'].map((caller) => reserve(10, caller));
    held.release();
    for (let n = 0; n < all.length; n++) {
      await turn();
      shares[n]!.release();
    }
    await Promise.all(all);
    expect(served.join('')).toBe('abcabaa');
  });

  it('leaves half of the bytes to other callers', async () => {
    const budget = createByteBudget(100);
    const served: string[] = [];
    const shares: Share[] = [];
    const reserve = reserveAs(budget, served, shares);
    const all = [reserve(30, 'a'), reserve(30, 'a'), reserve(30, 'b')];
    await turn();
    expect(served).toEqual(['a', 'b']);
    shares[0]!.release();
    await Promise.all(all);
  });

  it('gives all bytes to a larger request once nobody else holds any', async () => {
    const budget = createByteBudget(100);
    const small = await budget.reserve(1, 'a');
    const served: string[] = [];
    const shares: Share[] = [];
    const large = reserveAs(budget, served, shares)(1000, 'b');
    const later = reserveAs(budget, served, shares)(1, 'c');
    await turn();
    expect(served).toEqual([]);
    small.release();
    await large;
    shares[0]!.release();
    await later;
    expect(served).toEqual(['b', 'c']);
  });

  it('wants bytes back from the largest holders while somebody waits', async () => {
    const budget = createByteBudget(100);
    const shares = [budget.take(60, 'a'), budget.take(60, 'b'), budget.take(10, 'c')];
    const wanted = () => ['a', 'b', 'c', 'd'].filter((caller) => budget.isWantedFrom(caller));
    expect(wanted()).toEqual([]);
    const waiting = budget.reserve(10, 'd');
    expect(wanted()).toEqual(['a', 'b']);
    shares[0]!.release();
    await waiting;
    expect(wanted()).toEqual([]);
  });

  it('removes an aborted request from the queue', async () => {
    const budget = createByteBudget(100);
    const held = await budget.reserve(50, 'a');
    const abort = new AbortController();
    const reason = new Error('gone');
    const served: string[] = [];
    const large = reserveAs(budget, served)(100, 'b', abort.signal);
    const small = reserveAs(budget, served)(50, 'c');
    abort.abort(reason);
    await expect(large).rejects.toBe(reason);
    await small;
    held.release();
    expect(budget.usedBytes).toBe(50);
    await expect(budget.reserve(1, 'd', abort.signal)).rejects.toBe(reason);
  });

  it('never exceeds its bytes, serves everyone, and ends empty', async () => {
    const request = fc.record({ bytes: fc.integer({ min: 0, max: 150 }), caller: fc.constantFrom('a', 'b', 'c') });
    await fc.assert(
      fc.asyncProperty(fc.array(request, { maxLength: 40 }), async (requests) => {
        const budget = createByteBudget(100);
        const work = requests.map(async ({ bytes, caller }, n) => {
          const share = await budget.reserve(bytes, caller);
          expect(budget.usedBytes).toBeLessThanOrEqual(100);
          for (let turns = 0; turns < n % 4; turns++) await turn();
          share.release();
        });
        await Promise.all(work);
        expect(budget.usedBytes).toBe(0);
      }),
    );
  });
});
