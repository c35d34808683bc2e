import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { AppError } from '@dtplatform/errors';
import { connectRedis } from '@dtplatform/redis';
import { eventually } from '@dtplatform/testing';
import { PermanentError } from '../src/index.js';
import { log, redisUrl } from './support.js';
import { catalogue, double, openTaskQueue } from './task-queue.js';

const queue = await openTaskQueue();
const { mongo, tasks, collection, entries, work, accept, ended } = queue;
const redis = await connectRedis({ url: redisUrl, kind: 'cache', log });
const keyPrefix = `{${queue.queuePrefix}.${catalogue.queue}}:${catalogue.queue}`;

afterEach(() => queue.reset());
afterAll(async () => {
  await redis.close();
  await queue.close();
});

describe('a task', () => {
  it('is QUEUED when it is accepted, and at the end COMPLETED with the response of the call', async () => {
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
    const finished = new Promise<void>((resolve) => (finish = resolve));
    await work(async (_task, { progress }) => {
      await progress(7);
      await finished;
      return { status: 200, body: {}, batchCompleted: 9 };
    });
    const id = await accept(1);
    await eventually(async () => expect(await tasks.get(id)).toMatchObject({ _status: 'RUNNING', _batchCompleted: 7 }));
    finish();
    expect(await ended(id)).toMatchObject({ _status: 'COMPLETED', _batchCompleted: 9 });
  });

  it('keeps its progress when its result has none', async () => {
    await work(async (_task, { progress }) => {
      await progress(7);
      return { status: 200, body: {} };
    });
    expect(await ended(await accept(1))).toMatchObject({ _status: 'COMPLETED', _batchCompleted: 7 });
  });

  it('is retried when its processor throws, and ends as ERROR after the last attempt, without the cause', async () => {
    let runs = 0;
    await work(async () => {
      runs += 1;
      throw new Error('the password is x');
    });
    const task = await ended(await accept(1));
    expect(task).toMatchObject({ _status: 'ERROR', _response: { _status: 500 } });
    expect(JSON.stringify(task)).not.toContain('password');
    expect(runs).toBe(3);
  });

  it('ends as ERROR at once when a retry would not help', async () => {
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

  it('is not run again when its message is redelivered', async () => {
    let runs = 0;
    await work(async (task) => {
      runs += 1;
      return double(task);
    });
    const id = await accept(1);
    await ended(id);
    await eventually(async () => expect(await entries.countDocuments()).toBe(0));
    const again = { _id: id, queue: 'test.tasks', name: 'double' };
    await entries.insertOne({ ...again, payload: { taskId: id }, createdAt: Date.now() });
    await eventually(async () => expect(await entries.countDocuments()).toBe(0));
    // The queue removes a job when it has ended.
    await eventually(async () => expect(await redis.client.exists(`${keyPrefix}:${id}`)).toBe(0));
    expect(runs).toBe(1);
  });

  it('ends as ERROR when it was started too often', async () => {
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
