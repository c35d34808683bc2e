import { describe, expect, it } from '@jest/globals';
import { closedLoop, speedOf } from '../src/sizing/closed-loop.js';
import { costOf, describeCost, idleBetween, type Cost } from '../src/sizing/cost.js';
import { coresOf, peakPerSecond, replicasOf } from '../src/sizing/plan.js';
import { usageOf } from '../src/sizing/process-stat.js';
import type { Snapshot } from '../src/sizing/snapshot.js';
import { sizingTables } from '../src/sizing/tables.js';

/** A line of /proc/PID/stat with a program, the parent, times in ticks and resident pages. */
const stat = (pid: number, program: string, parent: number, [user, system]: [number, number], pages: number) =>
  [pid, `(${program})`, 'S', parent, ...zeros(9), user, system, 0, 0, ...zeros(6), pages, ...zeros(20)].join(' ');
const zeros = (count: number) => Array.from({ length: count }, () => 0);

describe('what the processes of a container used', () => {
  it('is that of the first process and its children, whatever they are called', () => {
    const lines = [
      stat(1, 'node main', 0, [150, 50], 1000),
      stat(12, 'odd) S 7 (name', 1, [10, 0], 500),
      stat(40, 'sh', 0, [99, 99], 99),
      stat(41, 'cat', 40, [99, 99], 99),
    ];
    expect(usageOf(lines.join('\n'))).toEqual({ cpuSeconds: 2.1, bytes: 1500 * 4096 });
  });

  it('leaves out processes that have ended while they were read', () => {
    expect(usageOf(`\n${stat(1, 'redis-server', 0, [1, 1], 1)}\n\n`)).toEqual({ cpuSeconds: 0.02, bytes: 4096 });
  });
});

describe('the plan', () => {
  const cost = (operation: string, ms: number) => ({ operation, cpuMs: { itemsvc: ms } }) as unknown as Cost;

  it('adds up what the calls of all users cost in the busiest minute', () => {
    // 1000 users, 2 calls a minute of 6 ms, three times as many at the peak: 600 ms of each second.
    expect(coresOf('itemsvc', [cost('getItem', 6), cost('unknown', 99)], 1000)).toBeCloseTo(0.6);
    expect(coresOf('filesvc', [cost('getItem', 6)], 1000)).toBe(0);
    expect(peakPerSecond(2000)).toBeCloseTo(2 * peakPerSecond(1000));
  });

  it('leaves room in each replica, and never goes below the least number', () => {
    expect([replicasOf(0.1, 2), replicasOf(0.1, 1), replicasOf(1.2, 2), replicasOf(1.3, 2)]).toEqual([2, 1, 2, 3]);
  });
});

describe('a closed loop', () => {
  it('reports the speed of all callers together', () => {
    const times = Array.from({ length: 200 }, (_, n) => n + 1);
    expect(speedOf(times, 10)).toEqual({ requests: 200, seconds: 10, perSecond: 20, p50Ms: 101, p99Ms: 199 });
  });

  it('rejects with the first failure, and lets no caller go on', async () => {
    let calls = 0;
    const work = async () => {
      calls += 1;
      await Promise.resolve();
      if (calls > 5) throw new Error('answered 503');
    };
    const options = { callers: 2, seconds: 60, signal: new AbortController().signal };
    await expect(closedLoop(work, options)).rejects.toThrow('answered 503');
    const before = calls;
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(calls).toBe(before);
  });
});

describe('the cost of a call', () => {
  const snapshot = (cpuSeconds: number, commands: number): Snapshot => ({
    usage: new Map([['filesvc', { cpuSeconds, bytes: 2 ** 27 }]]),
    counts: { mongodb: commands, redis: 2 * commands, redisBytes: 0 },
  });
  const speed = { requests: 100, seconds: 10, perSecond: 10, p50Ms: 1, p99Ms: 2 };

  it('is what was used for it, without what is used anyway', () => {
    const idle = idleBetween(snapshot(1, 0), snapshot(1.2, 100), 20);
    expect(idle).toEqual({ cpuMs: { filesvc: expect.closeTo(10) }, mongodbCommands: 5, redisCommands: 10 });
    const cost = costOf('getFile', speed, snapshot(2, 1000), snapshot(2.4, 1350), idle);
    expect(cost).toMatchObject({ memoryMiB: { filesvc: 128 }, mongodbCommands: 3, redisCommands: 6 });
    expect(cost.cpuMs.filesvc).toBeCloseTo(3);
    expect(describeCost(cost)).toBe(
      '10.0/s, p50 1.0 ms, p99 2.0 ms; CPU ms: filesvc 3.00; commands: mongodb 3.0, redis 6.0',
    );
    const sizes = [
      { collection: 'filesvc.files', documents: 200, averageBytes: 700, storedBytes: 40_000, indexBytes: 20_000 },
    ];
    const tables = sizingTables({ idle, costs: [cost], sizes }).split('\n');
    expect(tables).toContain('| getFile | 10 | 1 | 2 | 3 | 6 |');
    expect(tables).toContain('| getFile | filesvc 3 | 0 | 0 | 0 | 0 |');
    expect(tables).toContain('| filesvc | 10m | 128 MiB |');
    // 0.8 calls a minute, three times as many at the peak.
    expect(tables).toContain('| filesvc | 0.012 → 2 | 0.12 → 2 | 1.2 → 2 |');
    expect(tables).toContain('| filesvc.files | 200 | 700 | 200 | 100 |');
  });
});
