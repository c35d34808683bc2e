import { Queue } from 'bullmq';
import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { connectRedis } from '@dtplatform/redis';
import { currentCall, runInCall } from '@dtplatform/telemetry';
import type { Call } from '@dtplatform/telemetry';
import { eventually } from '@dtplatform/testing';
import {
  createOutbox,
  defineCatalogue,
  defineMessage,
  PermanentError,
  Postponed,
  startRelay,
  startWorker,
} from '../src/index.js';
import type { HandlersOf, JobContext, WorkerHandle } from '../src/index.js';
import { dropDatabase, log, openDatabase, redisUrl, startRedisProxy } from './support.js';

const catalogue = defineCatalogue('test.worker', {
  greet: z.object({ name: z.string() }),
  count: { payload: z.object({ to: z.number() }), attempts: 3, backoffMs: 10 },
});
type Handlers = HandlersOf<typeof catalogue>;

const mongo = await openDatabase();
const queuePrefix = mongo.db.databaseName;
const outbox = createOutbox(mongo);
const relay = await startRelay({ mongo, redisUrl, log, queuePrefix });
// Reading the queue may take longer than a service would wait.
const redis = await connectRedis({ url: redisUrl, kind: 'worker', log });
const queue = new Queue(catalogue.queue, { connection: redis.client, prefix: `{${queuePrefix}.${catalogue.queue}}` });

const workers: WorkerHandle[] = [];
const work = async (handlers: Partial<Handlers>, url = redisUrl) => {
  const ignore = () => Promise.resolve();
  const all: Handlers = { greet: ignore, count: ignore, ...handlers };
  const worker = await startWorker({ catalogue, redisUrl: url, handlers: all, concurrency: 2, log, queuePrefix });
  workers.push(worker);
  return worker;
};
const greet = (name: string, id?: string) =>
  mongo.transaction((session) => outbox.put(session, catalogue.messages.greet, { name }, { id }));
const count = (to: number, id?: string) =>
  mongo.transaction((session) => outbox.put(session, catalogue.messages.count, { to }, { id }));
const delayed = () => queue.getJobs(['delayed']);

afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop(0)));
  await queue.obliterate({ force: true });
});
afterAll(async () => {
  await relay.stop();
  await queue.close();
  await redis.close();
  await dropDatabase(mongo);
});

describe('worker', () => {
  it('passes each message to the handler of its name', async () => {
    const greeted: string[] = [];
    const counted: number[] = [];
    await work({
      greet: async ({ name }) => void greeted.push(name),
      count: async ({ to }) => void counted.push(to),
    });
    await greet('Ada');
    await count(3);
    await eventually(() => expect([greeted, counted]).toEqual([['Ada'], [3]]));
  });

  it('runs a job in the call that put its message', async () => {
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    const calls: Record<string, Call | undefined> = {};
    await work({ greet: async ({ name }) => void (calls[name] = currentCall()) });
    await runInCall({ requestId: 'r-1', traceparent }, () => greet('Ada'));
    await greet('Eve', 'from-a-sweep');
    await queue.add('greet', { name: 'Bob' }, { jobId: 'outside' });
    await eventually(() => expect(Object.keys(calls)).toHaveLength(3));
    expect(calls.Ada).toEqual({ requestId: 'r-1', traceId: '4bf92f3577b34da6a3ce929d0e0e4736', traceparent });
    expect(calls.Eve?.requestId).toBe('from-a-sweep');
    expect(calls.Bob?.requestId).toBe('outside');
    expect(calls.Bob?.traceId).not.toBe(calls.Eve?.traceId);
  });

  it('retries until it succeeds, and passes the number of the attempt', async () => {
    const seen: Pick<JobContext, 'id' | 'attempt' | 'isFirstStart' | 'lastAttempt'>[] = [];
    await work({
      count: async (_payload, { id, attempt, isFirstStart, lastAttempt }) => {
        seen.push({ id, attempt, isFirstStart, lastAttempt });
        if (seen.length < 4) throw new Error('not today');
      },
    });
    await count(1, 'stubborn');
    await eventually(() => expect(seen).toHaveLength(4));
    expect(seen).toEqual([
      { id: 'stubborn', attempt: 1, isFirstStart: true, lastAttempt: false },
      { id: 'stubborn', attempt: 2, isFirstStart: false, lastAttempt: false },
      { id: 'stubborn', attempt: 3, isFirstStart: false, lastAttempt: true },
      { id: 'stubborn', attempt: 4, isFirstStart: false, lastAttempt: true },
    ]);
  });

  it('retries after a permanent error as rarely as possible', async () => {
    let runs = 0;
    await work({
      count: async () => {
        runs += 1;
        throw new PermanentError('never');
      },
    });
    await count(1);
    await eventually(async () => expect(await delayed()).toMatchObject([{ delay: 600_000 }]));
    expect(runs).toBe(1);
  });

  it('runs a postponed job again without counting an attempt', async () => {
    const attempts: number[] = [];
    await work({
      count: (_payload, { attempt }) => {
        attempts.push(attempt);
        return attempts.length < 6 ? Promise.reject(new Postponed(10)) : Promise.resolve();
      },
    });
    await count(1);
    await eventually(() => expect(attempts).toEqual([1, 1, 1, 1, 1, 1]));
    expect(await queue.getFailedCount()).toBe(0);
  });

  it('keeps jobs with an invalid payload or an unknown name for another version, and continues', async () => {
    const greeted: string[] = [];
    await work({ greet: async ({ name }) => void greeted.push(name) });
    const invalid = defineMessage({ ...catalogue.messages.greet, payload: z.object({ name: z.number() }) });
    const unknown = defineMessage({ ...catalogue.messages.greet, name: 'unheard of' });
    await mongo.transaction(async (session) => {
      await outbox.put(session, invalid, { name: 7 });
      await outbox.put(session, unknown, { name: 'Eve' });
    });
    await greet('Ada');
    const reasons = async () => (await delayed()).map(({ failedReason }) => failedReason).sort();
    await eventually(async () =>
      expect(await reasons()).toEqual([
        expect.stringContaining('The payload is invalid'),
        expect.stringContaining('There is no message with the name unheard of.'),
      ]),
    );
    await eventually(() => expect(greeted).toEqual(['Ada']));
  });

  it('reports the number of jobs by state', async () => {
    let finish = (): void => undefined;
    const finished = new Promise<void>((resolve) => (finish = resolve));
    const worker = await work({ greet: () => finished });
    await queue.add('unheard of', {});
    await queue.add('greet', { name: 'later' }, { delay: 3_600_000 });
    for (const name of ['one', 'two', 'three']) await greet(name);
    const counts = { waiting: 1, active: 2, delayed: 1, failed: 1 };
    await eventually(async () => expect(await worker.counts()).toEqual(counts));
    finish();
    await eventually(async () => expect(await worker.counts()).toEqual({ ...counts, waiting: 0, active: 0 }));
  });

  it('waits for running jobs when it is stopped, and takes no more', async () => {
    const ended: string[] = [];
    let finish = (): void => undefined;
    const worker = await work({
      greet: async ({ name }) => {
        await new Promise<void>((resolve) => (finish = resolve));
        ended.push(name);
      },
    });
    await greet('first');
    await eventually(async () => expect(await queue.getActiveCount()).toBe(1));
    const stopping = worker.stop(20_000);
    await greet('second');
    await eventually(async () => expect(await queue.getWaitingCount()).toBe(1));
    finish();
    await stopping;
    expect(ended).toEqual(['first']);
    expect(await queue.getActiveCount()).toBe(0);
    expect(await queue.getWaitingCount()).toBe(1);
  });

  it('aborts the signal of a job that does not end in time', async () => {
    let aborted = false;
    const worker = await work({
      greet: async (_payload, { signal }) => {
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
        aborted = true;
      },
    });
    await greet('endless');
    await eventually(async () => expect(await queue.getActiveCount()).toBe(1));
    await worker.stop(0);
    expect(aborted).toBe(true);
  });

  it('starts without Redis, survives losing it, and works when it is back', async () => {
    const { proxy, proxiedUrl } = await startRedisProxy();
    try {
      const greeted: string[] = [];
      proxy.cut();
      const worker = await work({ greet: async ({ name }) => void greeted.push(name) }, proxiedUrl);
      await expect(worker.ping()).rejects.toThrow();
      await expect(worker.counts()).rejects.toThrow();
      await greet('early');
      proxy.mend();
      await eventually(() => expect(greeted).toEqual(['early']));
      await worker.ping();

      proxy.cut();
      await greet('late');
      proxy.mend();
      await eventually(() => expect(greeted).toEqual(['early', 'late']));
    } finally {
      await Promise.all(workers.splice(0).map((worker) => worker.stop(20_000)));
      await proxy.close();
    }
  });

  it('wakes another worker when it stops, since it may have consumed the marker of a job', async () => {
    const greeted: string[] = [];
    const [one] = [await work({}), await work({ greet: async ({ name }) => void greeted.push(name) })];
    const { id } = await queue.add('greet', { name: 'Ada' }, { delay: 3_600_000 });
    const unmarked = redis.client.multi().zrem(queue.toKey('delayed'), id!).lpush(queue.toKey('wait'), id!);
    await unmarked.del(queue.toKey('marker')).exec();
    await one.stop(20_000);
    await eventually(() => expect(greeted).toEqual(['Ada']), { timeoutMs: 10_000 });
  });

  it('stops while Redis is unavailable', async () => {
    const { proxy, proxiedUrl } = await startRedisProxy();
    let greeted = 0;
    const worker = await work({ greet: async () => void greeted++ }, proxiedUrl);
    await greet('Ada');
    await eventually(() => expect(greeted).toBe(1));
    proxy.cut();
    await eventually(() => expect(worker.ping()).rejects.toThrow());
    await worker.stop(20_000);
    await proxy.close();
  });
});

describe('catalogue', () => {
  it('rejects a queue name with a colon', () => {
    expect(() => defineCatalogue('a:b', { greet: z.object({}) })).toThrow('colon');
  });

  it('requires a handler for each message, with its payload', () => {
    const greetOnly = { greet: () => Promise.resolve() };
    // @ts-expect-error the handler of `count` is missing
    const incomplete: Handlers = greetOnly;
    // @ts-expect-error `count` has no name
    const wrong: Handlers['count'] = async ({ name }) => void name;
    expect([Object.keys(incomplete), typeof wrong]).toEqual([['greet'], 'function']);
  });
});
