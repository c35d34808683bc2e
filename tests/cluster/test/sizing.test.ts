import { describe, expect, it } from '@jest/globals';
import type { Cost } from '@dtplatform/bench/counts';
import { coresOf, peakPerSecond, replicasOf } from '../src/sizing/plan.js';
import { sizingTables } from '../src/sizing/tables.js';

describe('the sizing plan', () => {
  const cost = (operation: string, ms: number) => ({ operation, cpuMs: { itemsvc: ms } }) as unknown as Cost;

  it("adds up the cost of all users' calls in the busiest minute", () => {
    // 1000 users, 2 calls a minute of 6 ms, three times as many at the peak: 600 ms of each second.
    expect(coresOf('itemsvc', [cost('getItem', 6), cost('unknown', 99)], 1000)).toBeCloseTo(0.6);
    expect(coresOf('filesvc', [cost('getItem', 6)], 1000)).toBe(0);
    expect(peakPerSecond(2000)).toBeCloseTo(2 * peakPerSecond(1000));
  });

  it('leaves headroom in each replica, and respects the minimum', () => {
    expect([replicasOf(0.1, 2), replicasOf(0.1, 1), replicasOf(1.2, 2), replicasOf(1.3, 2)]).toEqual([2, 1, 2, 3]);
  });
});

it('creates tables of the measurements', () => {
  const speed = { requests: 100, seconds: 10, perSecond: 10, p50Ms: 1, p99Ms: 2 };
  const used = { cpuMs: { filesvc: 2.9 }, memoryMiB: { filesvc: 128 }, counts: { mongodb: 3, redis: 6 } };
  const costs = [{ operation: 'getFile', ...speed, ...used }];
  const idle = { cpuMs: { filesvc: 10 }, counts: { mongodb: 5, redis: 10 } };
  const sizes = [
    { collection: 'filesvc.files', documents: 200, averageBytes: 700, storedBytes: 40_000, indexBytes: 20_000 },
  ];
  const tables = sizingTables({ idle, costs, sizes }).split('\n');
  expect(tables).toContain('| getFile | 10 | 1 | 2 | 3 | 6 |');
  expect(tables).toContain('| getFile | filesvc 2.9 | 0 | 0 | 0 | 0 |');
  expect(tables).toContain('| filesvc | 10m | 128 MiB |');
  // 0.8 calls a minute, three times as many at the peak.
  expect(tables).toContain('| filesvc | 0.012 → 2 | 0.12 → 2 | 1.2 → 2 |');
  expect(tables).toContain('| filesvc.files | 200 | 700 | 200 | 100 |');
});
