import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { currentCall, runInCall, withSpan } from '@dtplatform/telemetry';
import { eventually } from '@dtplatform/testing';
import { leaseTasksMigration, startTaskSweep } from '../src/index.js';
import { emptyRedis, log } from './support.js';
import { double, openTaskQueue } from './task-queue.js';

const queue = await openTaskQueue();
const { mongo, queuePrefix, tasks, collection, entries, work, accept, ended } = queue;

afterEach(() => queue.reset());
afterAll(() => queue.close());

describe('the lease of a task', () => {
  it('belongs to the latest run: a former one can no longer report progress', async () => {
    const id = await accept(1);
    const former = (await tasks.begin(id))!;
    const found = (await tasks.get(id))!;
    const latest = (await tasks.begin(id))!;
    expect(await tasks.begin(id, found)).toBeUndefined();
    expect(await tasks.progress(former, 3)).toBe(false);
    expect(await tasks.progress(latest, 4)).toBe(true);
    expect(await tasks.get(id)).toMatchObject({ _status: 'RUNNING', _batchCompleted: 4, _lease: { fence: 2 } });
  });

  it('is not taken by a short first run, and released at the end', async () => {
    await work(double);
    const { _lease } = (await ended(await accept(1)))!;
    expect(_lease).toEqual({ fence: 0 });
  });

  it('is given to tasks of the previous version, by the migration and by the sweep', async () => {
    const ids = [await accept(1), await accept(2)];
    await eventually(async () => expect(await entries.countDocuments()).toBe(0));
    await emptyRedis(queuePrefix);
    const _checkAt = Date.now() - 1;
    const asBefore = { $set: { _checkAt, _runs: 2 }, $unset: { _lease: 1 } } as object;
    await collection.updateMany({}, asBefore);

    const { up } = leaseTasksMigration('0001-lease-tasks');
    await up(mongo.db, new AbortController().signal);
    const migrated = (await tasks.get(ids[0]!))!;
    expect(migrated._lease).toEqual({ fence: 2, until: new Date(_checkAt) });
    expect(Object.keys(migrated)).not.toEqual(expect.arrayContaining(['_checkAt']));

    await collection.updateMany({}, asBefore);
    await work(double);
    expect(await tasks.resubmitLost()).toBe(2);
    for (const id of ids) expect(await ended(id)).toMatchObject({ _status: 'COMPLETED', _lease: { fence: 2 } });
  });

  it('is not needed by a task of the previous version whose message arrives', async () => {
    const id = await accept(1);
    await collection.updateOne({ _id: id }, {
      $set: { _checkAt: Date.now(), _runs: 0 },
      $unset: { _lease: 1 },
    } as object);
    await work(double);
    expect(await ended(id)).toMatchObject({ _status: 'COMPLETED', _lease: { fence: 1 } });
  });
});

describe('losing Redis', () => {
  const aMinutePasses = () =>
    collection.updateMany(
      { '_lease.until': { $exists: true } },
      { $set: { '_lease.until': new Date(Date.now() - 1) } },
    );

  it('loses no task: the sweep puts it again', async () => {
    const ids = await Promise.all([1, 2, 3].map(accept));
    await eventually(async () => expect(await entries.countDocuments()).toBe(0));
    expect(await emptyRedis(queuePrefix)).toBeGreaterThan(3);

    await work(double);
    await aMinutePasses();
    expect(await tasks.resubmitLost()).toBe(3);
    for (const id of ids) expect(await ended(id)).toMatchObject({ _status: 'COMPLETED' });
  });

  it('loses nothing of a worker that is at work', async () => {
    await work(double);
    await ended(await accept(1));
    await emptyRedis(queuePrefix);
    await ended(await accept(2));
  });

  it('leaves alone what the queue still has, what lives and what has ended', async () => {
    let runs = 0;
    let finish = (): void => undefined;
    await work(async (task) => {
      runs += 1;
      await new Promise<void>((resolve) => (finish = resolve));
      return double(task);
    });
    const done = await accept(1);
    await eventually(() => expect(runs).toBe(1));
    finish();
    await ended(done);
    const running = await accept(2);
    await eventually(() => expect(runs).toBe(2));

    expect(await tasks.resubmitLost()).toBe(0);
    await aMinutePasses();
    expect(await tasks.resubmitLost()).toBe(1);
    await eventually(async () => expect(await entries.countDocuments()).toBe(0));
    finish();
    await ended(running);
    expect(runs).toBe(2);
  });

  const acceptAndLose = async () => {
    const id = await accept(1);
    await eventually(async () => expect(await entries.countDocuments()).toBe(0));
    await emptyRedis(queuePrefix);
    await aMinutePasses();
    return id;
  };

  it('runs a lost task as a part of the call that it was accepted in', async () => {
    const id = await runInCall({ requestId: 'r-1' }, () => withSpan('things.create', acceptAndLose));
    const requestIds: unknown[] = [];
    await work(async (task) => {
      requestIds.push(currentCall()?.requestId);
      return double(task);
    });
    await tasks.resubmitLost();
    await ended(id);
    expect(requestIds).toEqual(['r-1']);
  });

  it('is noticed by the sweep when it starts', async () => {
    const id = await acceptAndLose();
    const sweep = startTaskSweep({ tasks, log });
    await work(double);
    await ended(id);
    await sweep.stop();
  });

  it('is noticed by the sweep later', async () => {
    const sweep = startTaskSweep({ tasks, log, everyMs: 20 });
    const id = await acceptAndLose();
    await work(double);
    await ended(id);
    await sweep.stop();
  });
});
