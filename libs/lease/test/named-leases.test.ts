import { once } from 'node:events';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { silentLogger } from '@dtplatform/logging';
import { eventually } from '../../testing/src/eventually.js';
import { createNamedLease, LeaseLost, startExclusiveSweep } from '../src/index.js';
import type { NamedLease } from '../src/index.js';
import { openProcesses } from './support.js';

const processes = await openProcesses(2);
afterAll(() => processes.close());

describe('named lease', () => {
  const [one, other] = processes.leases.map((model) => createNamedLease(model, 'work', { ttlMs: 3_000 })) as [
    ReturnType<typeof createNamedLease>,
    ReturnType<typeof createNamedLease>,
  ];
  const stored = () => processes.leases[0]!.findById('work').lean();
  beforeEach(() => processes.leases[0]!.deleteMany({}));

  it('is held by one process until it is released', async () => {
    const held = await Promise.all([one.hold(), other.hold()]);
    expect(held.filter(Boolean)).toHaveLength(1);
    const [holder, waiting] = held[0] ? [one, other] : [other, one];
    expect(await holder.hold()).toBe(true);
    expect(await waiting.hold()).toBe(false);
    await holder.release();
    expect(await waiting.hold()).toBe(true);
    await waiting.release();
  });

  it('is renewed while work runs, and can be claimed by another process once it has expired', async () => {
    await one.hold();
    const end = async () => (await stored())!.until!.getTime();
    const firstEnd = await end();
    await one.whileHeld(async () => {
      await eventually(async () => expect(await end()).toBeGreaterThan(firstEnd));
      expect(await other.hold()).toBe(false);
    }, new AbortController().signal);
    await processes.leases[0]!.updateOne({ _id: 'work' }, { $set: { until: new Date(0) } });
    expect(await other.hold()).toBe(true);
    expect(await one.hold()).toBe(false);
    await other.release();
  });

  it('ends the work when it is lost', async () => {
    await one.hold();
    const working = one.whileHeld(
      (signal) => once(signal, 'abort').then(() => signal.reason as unknown),
      new AbortController().signal,
    );
    await processes.leases[0]!.updateOne({ _id: 'work' }, { $inc: { fence: 1 } });
    expect(await working).toBeInstanceOf(LeaseLost);
  });

  it('runs the work of one sweep at a time, and ends it when the sweep stops', async () => {
    const log = silentLogger();
    const rejections: string[] = [];
    let signalOfWork: AbortSignal | undefined;
    const start = (lease: NamedLease, name: string) => {
      const hold = async () => {
        const isHeld = await lease.hold();
        if (!isHeld) rejections.push(name);
        return isHeld;
      };
      const work = (signal: AbortSignal) => {
        signalOfWork = signal;
        working.push(name);
        return new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      };
      return startExclusiveSweep({ what: 'work', lease: { ...lease, hold }, work, log, everyMs: 10 });
    };
    const working: string[] = [];
    const first = start(one, 'one');
    await eventually(() => expect(working).toEqual(['one']));
    const second = start(other, 'other');
    await eventually(() => expect(rejections.length).toBeGreaterThan(2));
    expect([working, signalOfWork?.aborted]).toEqual([['one'], false]);
    await first.stop();
    await eventually(() => expect(working).toEqual(['one', 'other']));
    await second.stop();
  });

  it('must be held to work', async () => {
    await expect(one.whileHeld(async () => undefined, new AbortController().signal)).rejects.toThrow('not held');
  });
});
