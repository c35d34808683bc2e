import { once } from 'node:events';
import { mock } from 'node:test';
import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { currentCall, runInCall, withSpan } from '@dtplatform/telemetry';
import { eventually } from '@dtplatform/testing';
import { Postponed, taskHandler } from '../src/index.js';
import { emptyRedis, log } from './support.js';
import { double, openTaskQueue } from './task-queue.js';

const queue = await openTaskQueue();
const { queuePrefix, tasks, entries, work, accept, ended } = queue;

afterEach(() => {
  mock.timers.reset();
  return queue.reset();
});
afterAll(() => queue.close());

describe('task lease', () => {
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

  it('is not claimed by a short first run, and released at the end', async () => {
    await work(double);
    const { _lease } = (await ended(await accept(1)))!;
    expect(_lease).toEqual({ fence: 0 });
  });
});

describe('a run that loses its lease', () => {
  it('is retried later if its task has not ended, because the new holder may have no job', async () => {
    const id = await accept(1);
    mock.timers.enable({ apis: ['setInterval'] });
    const abandoned = taskHandler(tasks, async (_task, { signal }) => {
      await tasks.begin(id);
      mock.timers.tick(15_000);
      await once(signal, 'abort');
      throw signal.reason;
    });
    const job = {
      id,
      attempt: 1,
      isFirstStart: true,
      lastAttempt: false,
      isDiscarded: false,
      signal: new AbortController().signal,
      log,
    };
    await expect(abandoned({ taskId: id }, job)).rejects.toThrow(Postponed);
  });
});

describe('losing Redis data', () => {
  it('loses no task: the relay sends its message again, in the call that put it', async () => {
    const acceptAll = () => Promise.all([1, 2, 3].map(accept));
    const ids = await runInCall({ requestId: 'r-1' }, () => withSpan('things.create', acceptAll));
    await eventually(async () => expect(await entries.countDocuments({ checkAt: { $exists: true } })).toBe(3));
    expect(await emptyRedis(queuePrefix)).toBeGreaterThan(3);

    const requestIds = new Set<unknown>();
    await work(async (task) => {
      requestIds.add(currentCall()?.requestId);
      return double(task);
    });
    for (const id of ids) expect(await ended(id)).toMatchObject({ _status: 'COMPLETED' });
    expect([...requestIds]).toEqual(['r-1']);
  });

  it('loses none of the work of a running worker', async () => {
    await work(double);
    await ended(await accept(1));
    await emptyRedis(queuePrefix);
    await ended(await accept(2));
  });

  it('gives a running task to another run, once, while the former one can no longer end it', async () => {
    const finish: (() => void)[] = [];
    await work(async (task) => {
      await new Promise<void>((resolve) => finish.push(resolve));
      return double(task);
    });
    const id = await accept(1);
    await eventually(() => expect(finish).toHaveLength(1));
    await emptyRedis(queuePrefix);
    await eventually(() => expect(finish).toHaveLength(2));
    for (const each of finish) each();
    expect(await ended(id)).toMatchObject({ _status: 'COMPLETED' });
    await eventually(async () => expect(await entries.countDocuments()).toBe(0));
    expect(finish).toHaveLength(2);
  });
});
