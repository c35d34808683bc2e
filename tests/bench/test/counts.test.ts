import { describe, expect, it } from '@jest/globals';
import {
  costOf,
  describeCost,
  idleBetween,
  mongodbCommands,
  redisCommands,
  risenCounts,
  type Snapshot,
  usageOf,
} from '../src/counts/index.js';

/** A line of /proc/PID/stat with a program, the parent, times in ticks and resident pages. */
const stat = (pid: number, program: string, parent: number, [user, system]: [number, number], pages: number) =>
  [pid, `(${program})`, 'S', parent, ...zeros(9), user, system, 0, 0, ...zeros(6), pages, ...zeros(20)].join(' ');
const zeros = (count: number) => Array.from({ length: count }, () => 0);

describe('usage of a process', () => {
  it('includes its children, whatever their names, and excludes processes that end while they are read', () => {
    const lines = [
      stat(1, 'node main', 0, [150, 50], 1000),
      '',
      stat(12, 'odd) S 7 (name', 1, [10, 0], 500),
      stat(40, 'sh', 0, [99, 99], 99),
      stat(41, 'cat', 40, [99, 99], 99),
    ];
    expect(usageOf(lines.join('\n'))).toEqual({ cpuSeconds: 2.1, bytes: 1500 * 4096 });
    expect(usageOf(lines.join('\n'), 40).bytes).toBe(198 * 4096);
  });
});

describe('cost of a call', () => {
  const snapshot = (seconds: number, cpuSeconds: number, mongodb: number): Snapshot => ({
    atMs: seconds * 1000,
    usage: new Map([['filesvc', { cpuSeconds, bytes: 2 ** 27 }]]),
    counts: { mongodb, redis: 2 * mongodb },
  });
  const speed = { requests: 100, seconds: 8, perSecond: 12.5, p50Ms: 1, p99Ms: 2 };

  it('includes follow-up work and excludes idle usage', () => {
    const idle = idleBetween(snapshot(0, 1, 0), snapshot(20, 1.2, 100));
    expect(idle).toEqual({ cpuMs: { filesvc: expect.closeTo(10) }, counts: { mongodb: 5, redis: 10 } });
    const cost = costOf('getFile', speed, snapshot(30, 2, 1000), snapshot(40, 2.4, 1350), idle);
    expect(cost).toMatchObject({ memoryMiB: { filesvc: 128 }, counts: { mongodb: 3, redis: 6 } });
    expect(cost.cpuMs.filesvc).toBeCloseTo(3);
    expect(describeCost(cost)).toBe(
      '12.5/s, p50 1.0 ms, p99 2.0 ms; CPU ms: filesvc 3.00; counts: mongodb 3.0, redis 6.0',
    );
  });
});

it('counts commands without connection maintenance and waits', () => {
  const found = { find: { failed: 1, total: 7 }, insert: { total: 3 }, hello: { total: 50 }, getMore: { total: 9 } };
  expect(mongodbCommands({ ...found, serverStatus: { total: 4 }, '<UNKNOWN>': 0 })).toBe(10);
  const calls = { get: 5, evalsha: 2, 'client|setinfo': 1, bzpopmin: 70, info: 9 };
  const lines = Object.entries(calls).map(([name, count]) => `cmdstat_${name}:calls=${count},usec=12`);
  expect(redisCommands(['# Commandstats', ...lines].join('\r\n'))).toBe(8);
});

it('reports counts that have risen by more than a tenth', () => {
  const reference = { 'item-created': { 16: { mongodb: 20, redis: 100, s3: 0, peers: 2 } } };
  const risen = (counts: Record<string, number>) =>
    risenCounts(
      [{ operation: 'item-created', callers: 16, counts: { ...reference['item-created'][16], ...counts } }],
      reference,
    );
  expect(risen({})).toEqual([]);
  expect(risen({ mongodb: 22, redis: 3 })).toEqual([]);
  expect(risen({ mongodb: 23, s3: 1 })).toEqual([
    'item-created, 16 at once: mongodb 23.0, was 20',
    'item-created, 16 at once: s3 1.0, was 0',
  ]);
});
