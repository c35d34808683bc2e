import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { AppError } from '@dtplatform/errors';
import { connectRedis } from '@dtplatform/redis';
import { currentCall, runInCall, withSpan } from '@dtplatform/telemetry';
import { eventually } from '@dtplatform/testing';
import {
  createTasks,
  defineCatalogue,
  leaseTasksMigration,
  PermanentError,
  startRelay,
  startTaskSweep,
  startWorker,
  taskHandler,
  taskPayload,
} from '../src/index.js';
import type { OutboxEntry, Task, TaskContext, TaskOutcome, WorkerHandle } from '../src/index.js';
import { dropDatabase, emptyRedis, log, openDatabase, redisUrl } from './support.js';

interface Input {
  amount: number;
}

const catalogue = defineCatalogue('test.tasks', { double: { payload: taskPayload, attempts: 3, backoffMs: 10 } });
const mongo = await openDatabase();
const queuePrefix = mongo.db.databaseName;
const tasks = createTasks(mongo);
const collection = mongo.db.collection<Task>('async_tasks');
const entries = mongo.db.collection<OutboxEntry>('outbox');
const redis = await connectRedis({ url: redisUrl, kind: 'cache', log });
const keyPrefix = `{${queuePrefix}.${catalogue.queue}}:${catalogue.queue}`;
const relay = await startRelay({ mongo, redisUrl, log, queuePrefix });

const workers: WorkerHandle[] = [];
const work = async (run: (task: Task<Input>, context: TaskContext) => Promise<TaskOutcome>) => {
  const handlers = { double: taskHandler<Input>(tasks, run) };
  workers.push(await startWorker({ catalogue, redisUrl, handlers, concurrency: 4, log, queuePrefix }));
};
const accept = (amount: number) =>
  mongo.transaction((session) =>
    tasks.create(session, {
      message: catalogue.messages.double,
      namespaces: ['n'],
      input: { amount },
      createdById: 'ada',
      reqBodySize: 12,
    }),
  );
const double = async ({ _input }: Task<Input>) => ({ status: 201, body: { doubled: _input.amount * 2 } });
const ended = (id: string) =>
  eventually(async () => {
    const task = await tasks.get(id);
    expect(['COMPLETED', 'ERROR']).toContain(task?._status);
    return task;
  });

afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop(0)));
  await collection.deleteMany({});
});
afterAll(async () => {
  await relay.stop();
  await redis.close();
  await dropDatabase(mongo);
});

describe('a task', () => {
  it('is QUEUED when it is accepted, and COMPLETED with the reply of the call in the end', async () => {
    const id = await accept(4);
    expect(await tasks.get(id)).toMatchObject({
      _status: 'QUEUED',
      _reqBodySize: 12,
      _batchCompleted: 0,
      _timeTakenInSecs: 0,
      _namespaces: ['n'],
      _kind: 'double',
      _createdById: 'ada',
    });
    await work(double);
    const task = await ended(id);
    expect(task).toMatchObject({
      _status: 'COMPLETED',
      _response: {
        externalStorage: false,
        _body: '{"doubled":8}',
        _statusMsg: 'OK',
        _status: 201,
        _headers: { 'Content-Type': 'application/json' },
      },
    });
    expect(task?._timeTakenInSecs).toBeGreaterThan(0);
  });

  it('does not exist when the transaction that accepts it fails', async () => {
    const rolledBack = mongo.transaction(async (session) => {
      const { double: message } = catalogue.messages;
      const rest = { message, namespaces: [], createdById: 'ada', reqBodySize: 0 };
      await tasks.create(session, { ...rest, id: 'rolled-back', input: { amount: 1 } });
      throw new Error('no');
    });
    await expect(rolledBack).rejects.toThrow('no');
    expect(await tasks.get('rolled-back')).toBeUndefined();
  });

  it('is RUNNING while its processor works, and shows its progress', async () => {
    let finish = (): void => undefined;
    await work(async (_task, { progress }) => {
      await progress(7);
      await new Promise<void>((resolve) => (finish = resolve));
      return { status: 200, body: {}, batchCompleted: 9 };
    });
    const id = await accept(1);
    await eventually(async () => expect(await tasks.get(id)).toMatchObject({ _status: 'RUNNING', _batchCompleted: 7 }));
    finish();
    expect(await ended(id)).toMatchObject({ _status: 'COMPLETED', _batchCompleted: 9 });
  });

  it('keeps its progress when its result does not tell it', async () => {
    await work(async (_task, { progress }) => {
      await progress(7);
      return { status: 200, body: {} };
    });
    expect(await ended(await accept(1))).toMatchObject({ _status: 'COMPLETED', _batchCompleted: 7 });
  });

  it('is tried again when its processor throws', async () => {
    let runs = 0;
    await work(async (task) => {
      runs += 1;
      if (runs < 3) throw new Error('not yet');
      return double(task);
    });
    expect(await ended(await accept(1))).toMatchObject({ _status: 'COMPLETED' });
    expect(runs).toBe(3);
  });

  it('ends as ERROR after the last attempt, without a word about the cause', async () => {
    await work(async () => {
      throw new Error('the password is x');
    });
    const task = await ended(await accept(1));
    expect(task).toMatchObject({ _status: 'ERROR', _response: { _status: 500 } });
    expect(JSON.stringify(task)).not.toContain('password');
  });

  it('ends as ERROR at once when trying again would not help', async () => {
    let runs = 0;
    await work(async ({ _input }) => {
      runs += 1;
      if (_input.amount === 1) throw new PermanentError('never');
      throw new AppError({ status: 400, code: 'TOO_ODD', message: 'The amount is odd.' });
    });
    expect(await ended(await accept(1))).toMatchObject({ _status: 'ERROR', _response: { _status: 500 } });
    expect(await ended(await accept(3))).toMatchObject({
      _status: 'ERROR',
      _response: { _status: 400, _statusMsg: 'The amount is odd.', _body: expect.stringContaining('"TOO_ODD"') },
    });
    expect(runs).toBe(2);
  });

  it('ends once: a later end changes nothing', async () => {
    const id = await accept(1);
    expect(await tasks.complete(id, { status: 200, body: 'first' })).toBe(true);
    expect(await tasks.complete(id, { status: 200, body: 'second' })).toBe(false);
    expect(await tasks.fail(id, { status: 500, body: 'third' })).toBe(false);
    await tasks.completeMany([{ id, result: { status: 200, body: 'fourth' } }]);
    expect(await tasks.begin(id)).toBeUndefined();
    expect(await tasks.get(id)).toMatchObject({ _status: 'COMPLETED', _response: { _body: '"first"' } });
  });

  it('can end in the transaction of its last write', async () => {
    await work(async ({ _id }) => {
      const end = mongo.transaction(async (session) => {
        await tasks.complete(_id, { status: 200, body: 'in vain' }, session);
        throw new PermanentError('rolled back');
      });
      await end.catch(() => undefined);
      await mongo.transaction((session) => tasks.complete(_id, { status: 200, body: 'kept' }, session));
    });
    expect(await ended(await accept(1))).toMatchObject({ _response: { _body: '"kept"' } });
  });

  it('is not run again when its message comes once more', async () => {
    let runs = 0;
    await work(async (task) => {
      runs += 1;
      return double(task);
    });
    const id = await accept(1);
    await ended(id);
    const again = { _id: id, queue: 'test.tasks', name: 'double', attempts: 1, backoffMs: 1 };
    await entries.insertOne({ ...again, payload: { taskId: id }, forget: true, createdAt: Date.now() });
    await eventually(async () => expect(await entries.countDocuments()).toBe(0));
    // The queue forgets a job when it has ended.
    await eventually(async () => expect(await redis.client.exists(`${keyPrefix}:${id}`)).toBe(0));
    expect(runs).toBe(1);
  });

  it('gives up on a task that was begun again and again', async () => {
    const id = await accept(1);
    await collection.updateOne({ _id: id }, { $set: { '_lease.fence': 21 } });
    let runs = 0;
    await work(async (task) => {
      runs += 1;
      return double(task);
    });
    expect(await ended(id)).toMatchObject({ _status: 'ERROR' });
    expect(runs).toBe(0);
  });
});

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
