import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { silentLogger } from '@dtplatform/logging';
import { createLeases, keepLease, LeaseLost, startSweep } from '../src/index.js';
import { openProcesses } from './support.js';
import type { Job } from './support.js';

const processes = await openProcesses(2);
const [jobs, sameJobs] = processes.models as [(typeof processes.models)[0], (typeof processes.models)[0]];
const first = createLeases<Job>(jobs, { ttlMs: 60_000 });
const second = createLeases<Job>(sameJobs, { ttlMs: 60_000 });

const job = (_id: string) => jobs.findById(_id).lean();
/** Simulates missing heartbeats for longer than the lease lasts. */
const expire = (_id: string) => jobs.updateOne({ _id }, { $set: { 'lease.until': new Date(Date.now() - 1) } });
const idsOf = (found: Job[]) => found.map(({ _id }) => _id);
const claimed = async (leases = first, _id = 'a') => {
  const held = await leases.claim({ _id });
  if (!held) throw new Error(`${_id} is not free`);
  return held;
};
/** Calls of two processes. */
const concurrently = <T>(count: number, work: (leases: typeof first) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, n) => work(n % 2 ? first : second)));

beforeEach(async () => {
  await jobs.deleteMany({});
  await jobs.insertMany([{ _id: 'a', state: 'new' }]);
});
afterAll(() => processes.close());

describe('claim', () => {
  it('succeeds for one of many', async () => {
    const held = (await concurrently(20, (leases) => leases.claim({ _id: 'a' }))).filter((one) => one !== undefined);
    expect(held).toHaveLength(1);
    expect(held[0]).toMatchObject({ _id: 'a', state: 'new', lease: { fence: 1 } });
    const { until } = held[0]!.lease!;
    expect(Math.abs(until!.getTime() - Date.now() - 60_000)).toBeLessThan(5_000);
  });

  it('claims only matching documents, and sets fields with the claim', async () => {
    expect(await first.claim({ _id: 'a', state: 'old' })).toBeUndefined();
    expect(await first.claim({ state: 'new' }, { set: { state: 'claimed', result: { $literal: '$state' } } })).toEqual(
      expect.objectContaining({ _id: 'a', state: 'claimed', result: '$state' }),
    );
  });

  it('succeeds again once the lease has expired or was released', async () => {
    const held = await claimed();
    expect(await second.claim({ _id: 'a' })).toBeUndefined();
    expect(await first.release(held)).toBe(true);
    const next = await claimed(second);
    await expire('a');
    const last = await claimed(first);
    expect([held, next, last].map(({ lease }) => lease?.fence)).toEqual([1, 2, 3]);
  });

  it('with upsert inserts a missing document, for one of many', async () => {
    const options = { upsert: true, set: { state: 'inserted' } };
    const held = await concurrently(20, (leases) => leases.claim({ _id: 'b' }, options));
    expect(held.filter((one) => one !== undefined)).toEqual([expect.objectContaining({ _id: 'b', state: 'inserted' })]);
    await expire('b');
    expect(await second.claim({ _id: 'b' }, options)).toMatchObject({ lease: { fence: 2 } });
    expect(await first.claim({ _id: 'a', state: 'old' }, options)).toBeUndefined();
  });
});

describe('a former holder', () => {
  it.each([
    ['was taken over', () => second.claim({ _id: 'a' }, { takeOver: true })],
    ['expired and was claimed by another', () => expire('a').then(() => second.claim({ _id: 'a' }))],
  ])('can neither extend nor write nor release a lease that %s', async (_what, takeOver) => {
    const former = await claimed();
    const held = (await takeOver())!;
    expect(held.lease!.fence).toBe(2);
    expect(await first.extend(former, { state: 'extended' })).toBe(false);
    expect(await first.write(former, { $set: { result: 'late' } })).toBe(false);
    expect(await first.release(former)).toBe(false);
    expect(await job('a')).toEqual(held);

    expect(await second.extend(held, { state: 'extended' })).toBe(true);
    expect(await second.write(held, { $set: { result: 'done' } }, { release: true })).toBe(true);
    expect(await job('a')).toEqual({ _id: 'a', state: 'extended', result: 'done', lease: { fence: 2 } });
  });

  it('cannot write after it has released the lease', async () => {
    const held = await claimed();
    await first.release(held);
    expect(await first.write(held, { $set: { result: 'late' } })).toBe(false);
    expect(await first.extend(held)).toBe(false);
  });

  it('may still write after its lease has expired, while nobody has claimed it', async () => {
    const held = await claimed();
    await expire('a');
    expect(await first.write(held, { $set: { result: 'just in time' } })).toBe(true);
    expect(await first.extend(held)).toBe(true);
    expect(await second.claim({ _id: 'a' })).toBeUndefined();
  });
});

describe('heartbeat', () => {
  const brief = createLeases<Job>(jobs, { ttlMs: 600 });

  it('keeps the lease alive', async () => {
    const kept = keepLease(brief, await claimed(brief));
    for (const deadline = Date.now() + 1_500; Date.now() < deadline; void (await delay(50))) {
      expect(await second.claim({ _id: 'a' })).toBeUndefined();
    }
    expect(kept.signal.aborted).toBe(false);
    kept.stop();
    await delay(700);
    expect(await second.claim({ _id: 'a' })).toBeDefined();
    expect(kept.signal.aborted).toBe(false);
  });

  it('aborts the signal when another process has taken over', async () => {
    const { signal } = keepLease(brief, await claimed(brief), { heartbeatMs: 20 });
    await second.claim({ _id: 'a' }, { takeOver: true });
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    expect(signal.reason).toBeInstanceOf(LeaseLost);
  });

  it('does not extend the lease of a holder without progress', async () => {
    const kept = keepLease(brief, await claimed(brief), { heartbeatMs: 20, isAlive: () => false });
    await delay(700);
    expect(await second.claim({ _id: 'a' })).toBeDefined();
    kept.stop();
  });

  it('passes the given signal on', async () => {
    const stopping = new AbortController();
    const kept = keepLease(brief, await claimed(brief), { signal: stopping.signal });
    stopping.abort(new Error('shutdown'));
    expect(kept.signal.reason).toEqual(new Error('shutdown'));
    kept.stop();
  });

  describe('heartbeat without a response', () => {
    const held: Job = { _id: 'a', lease: { fence: 1 } };
    const silent = { ttlMs: 100, extend: () => new Promise<boolean>(() => undefined) };
    const failing = { ttlMs: 100, extend: () => Promise.reject(new Error('unavailable')) };

    it.each([
      ['none', silent],
      ['errors', failing],
    ])('(%s) ends exclusive work when the lease expires', async (_what, leases) => {
      const { signal } = keepLease(leases, held, { exclusive: true });
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      expect(signal.reason).toBeInstanceOf(LeaseLost);
    });

    it('does not end other work', async () => {
      const kept = keepLease(failing, held);
      await delay(300);
      expect(kept.signal.aborted).toBe(false);
      kept.stop();
    });
  });
});

describe('claimMany', () => {
  beforeEach(() => jobs.insertMany(['b', 'c', 'd'].map((_id) => ({ _id, state: 'new' }))));
  const isNew = { state: 'new' };

  it('gives each document to one process, however many claim concurrently', async () => {
    const wanted = { set: { state: 'claimed' }, limit: 3 };
    const held = (await concurrently(10, (leases) => leases.claimMany(isNew, wanted))).flat();
    expect(idsOf(held).toSorted()).toEqual(idsOf(await jobs.find({ state: 'claimed' }).sort({ _id: 1 }).lean()));
    for (const one of held) expect(await first.write(one, { $set: { result: 'done' } })).toBe(true);
    expect(await jobs.countDocuments({ result: 'done', 'lease.fence': 1 })).toBe(held.length);
  });

  it('leaves no document unclaimed while there is capacity', async () => {
    await jobs.insertMany(Array.from({ length: 16 }, (_, n) => ({ _id: `job-${n}`, state: 'new' })));
    const wanted = { set: { state: 'claimed' }, limit: 2 };
    expect((await concurrently(10, (leases) => leases.claimMany(isNew, wanted))).flat()).toHaveLength(20);
  });

  it('claims the first ones, up to a limit', async () => {
    const wanted = { set: { state: 'claimed' }, sort: { _id: -1 } as const, limit: 2 };
    expect(idsOf(await first.claimMany(isNew, wanted))).toEqual(['d', 'c']);
    expect(idsOf(await first.claimMany(isNew, wanted))).toEqual(['b', 'a']);
    expect(await first.claimMany(isNew, wanted)).toEqual([]);
  });

  it('is written in one command, and detects a lost lease', async () => {
    const [a, b] = await first.claimMany(isNew, { limit: 2, sort: { _id: 1 } });
    const writes = [a!, b!].map((held) => ({ held, update: { $set: { result: held._id } } }));
    expect(await first.writeMany(writes)).toBe(true);
    await expire('a');
    await second.claim({ _id: 'a' });
    expect(await first.writeMany(writes.map((write) => ({ ...write, release: true })))).toBe(false);
    expect((await job('a'))?.lease).toHaveProperty('until');
    expect((await job('b'))?.lease).not.toHaveProperty('until');
  });

  it("expires at the holder's time", async () => {
    const [a] = await first.claimMany({ _id: 'a' }, { limit: 1 });
    expect(await first.expireIn(a!, 60_000)).toBe(true);
    expect(await second.claim({ _id: 'a' })).toBeUndefined();
    expect(await first.expireIn(a!, 0, { state: 'left' })).toBe(true);
    expect(await second.claim({ _id: 'a' })).toMatchObject({ state: 'left', lease: { fence: 2 } });
    expect(await first.expireIn(a!, 0)).toBe(false);
  });
});

describe('lost documents', () => {
  beforeEach(() => jobs.insertMany(['b', 'c', 'd', 'e'].map((_id) => ({ _id, state: 'new' }))));
  const lostOf = async (...args: Parameters<typeof second.findLost>) => idsOf(await second.findLost(...args));

  it('are those whose lease has expired, the longest lost first', async () => {
    for (const _id of ['a', 'b', 'c', 'd']) await claimed(first, _id);
    for (const _id of ['c', 'a', 'd']) {
      await expire(_id);
      await delay(5);
    }
    await first.release((await jobs.findById('d').lean())!);
    expect(await lostOf()).toEqual(['c', 'a']);
    expect(await lostOf({ _id: 'a' })).toEqual(['a']);
    expect(await lostOf({}, 1)).toEqual(['c']);
    expect(await second.findLost({}, 1, ['state'])).toEqual([{ _id: 'c', state: 'new' }]);
    const free = await sameJobs.find(second.free({}) as object).lean();
    expect(idsOf(free).sort()).toEqual(['a', 'c', 'd', 'e']);
  });

  it('are found by an index on the end of the lease', async () => {
    const partialFilterExpression = { 'lease.until': { $exists: true } };
    await jobs.collection.createIndex({ 'lease.until': 1 }, { name: 'lease_end', partialFilterExpression }, {});
    for (const _id of ['a', 'b', 'c', 'd']) await claimed(first, _id);
    await expire('d');
    const filter = { 'lease.until': { $exists: true }, $expr: { $lte: ['$lease.until', '$$NOW'] } };
    const { executionStats, queryPlanner } = await jobs.collection
      .find(filter)
      .sort({ 'lease.until': 1 })
      .explain('executionStats');
    expect(JSON.stringify(queryPlanner)).toContain('lease_end');
    expect(executionStats).toMatchObject({ nReturned: 1, totalDocsExamined: 1 });
  });
});

describe('sweep', () => {
  it('runs at once and repeatedly, also after a failure, until it is stopped', async () => {
    let runs = 0;
    const recover = async () => {
      runs += 1;
      if (runs === 1) throw new Error('unavailable');
      return runs;
    };
    const sweep = startSweep({ what: 'jobs', recover, log: silentLogger(), everyMs: 10 });
    while (runs < 3) await delay(5);
    await sweep.stop();
    const before = runs;
    await delay(50);
    expect(runs).toBe(before);
  });
});
