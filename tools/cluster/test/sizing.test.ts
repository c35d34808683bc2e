import { describe, expect, it } from '@jest/globals';
import { closedLoop, speedOf } from '../src/sizing/closed-loop.js';
import { costOf, describeCost, idleBetween } from '../src/sizing/cost.js';
import { usageOf } from '../src/sizing/process-stat.js';
import type { Snapshot } from '../src/sizing/snapshot.js';

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
  });
});
