import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { connectRedis } from '@dtplatform/redis';
import { eventually } from '@dtplatform/testing';
import {
  createOutbox,
  createQueueOperations,
  defineCatalogue,
  defineMessage,
  PermanentError,
  startWorker,
} from '../src/index.js';
import type { WorkerHandle } from '../src/index.js';
import { log, redisUrl } from './support.js';
import { catalogue as taskCatalogue, openTaskQueue } from './task-queue.js';

const catalogue = defineCatalogue('test.mending', {
  greet: z.object({ name: z.string(), _apiToken: z.string().optional() }),
});

// A message resent while it is acknowledged would be processed twice.
const queue = await openTaskQueue({ checkAfterMs: 60_000 });
const { mongo, queuePrefix } = queue;
const outbox = createOutbox(mongo);
const redis = await connectRedis({ url: redisUrl, kind: 'cache', log });
const operations = createQueueOperations(redis, queuePrefix);
const greeted: string[] = [];
const broken = new Set<string>();
let worker: WorkerHandle;

const greet = (name: string, _apiToken?: string) =>
  mongo.transaction((session) =>
    outbox.put(session, catalogue.messages.greet, { name, _apiToken }, { id: `greet-${name}` }),
  );
const failing = (name = catalogue.queue) => operations.listFailing(name, { offset: 0, count: 10 });
const untilFailing = (count: number, name?: string) =>
  eventually(async () => {
    const found = await failing(name);
    expect(found.total).toBe(count);
    return found.list;
  });

beforeAll(async () => {
  const handlers = {
    greet: async ({ name }: { name: string }) => {
      if (broken.has(name)) throw new PermanentError(`${name} is away`);
      greeted.push(name);
    },
  };
  worker = await startWorker({ catalogue, redisUrl, handlers, log, queuePrefix });
});
afterAll(async () => {
  await worker.stop(0);
  await redis.close();
  await queue.close();
});

describe('queue operations', () => {
  it('list queues with a worker, and failing messages without secrets', async () => {
    broken.add('Ada');
    await greet('Ada', 't0p');
    const [message] = await untilFailing(1);
    const payload = { name: 'Ada', _apiToken: '[secret]' };
    expect(message).toMatchObject({ id: 'greet-Ada', name: 'greet', attempts: 1, reason: 'Ada is away', payload });
    expect(message!.nextAttemptAt - message!.lastAttemptAt).toBeGreaterThan(500_000);
    const state = { name: catalogue.queue, waiting: 0, active: 0, delayed: 1, failing: 1 };
    expect(await operations.list()).toEqual([{ ...state, workerSeenAt: expect.any(Number) }]);
    expect([await operations.has(catalogue.queue), await operations.has('unknown')]).toEqual([true, false]);
  });

  it('retry only messages that failed', async () => {
    broken.delete('Ada');
    expect(await operations.retry(catalogue.queue, ['greet-Ada', 'greet-unknown'])).toEqual(['greet-Ada']);
    await eventually(() => expect(greeted).toEqual(['Ada']));
    expect(await operations.retry(catalogue.queue, ['greet-Ada'])).toEqual([]);
  });

  it('discard messages without processing them', async () => {
    broken.add('Eve');
    await greet('Eve');
    await untilFailing(1);
    broken.delete('Eve');
    expect(await operations.discard(catalogue.queue, ['greet-Eve', 'greet-unknown'])).toEqual(['greet-Eve']);
    await eventually(async () => expect(await queue.entries.countDocuments()).toBe(0));
    expect(await failing()).toEqual({ total: 0, list: [] });
    expect(greeted).toEqual(['Ada']);
  });

  it('discard messages that no handler can take', async () => {
    const { greet: known } = catalogue.messages;
    const invalid = defineMessage({ ...known, payload: z.object({ name: z.number() }) });
    await mongo.transaction(async (session) => {
      await outbox.put(session, defineMessage({ ...known, name: 'unheard of' }), { name: 'Ada' });
      await outbox.put(session, invalid, { name: 7 });
    });
    const ids = (await untilFailing(2)).map(({ id }) => id);
    expect(await operations.discard(catalogue.queue, ids)).toEqual(ids);
    await eventually(async () => expect(await queue.entries.countDocuments()).toBe(0));
  });

  it('end the task of a discarded message', async () => {
    const runs: string[] = [];
    const failed = await queue.work(async ({ _id }, { signal }) => {
      runs.push(_id);
      if (runs.length === 2) await once(signal, 'abort');
      throw new Error('unavailable');
    });
    const id = await queue.accept(1);
    await eventually(() => expect(runs).toEqual([id, id]));
    await failed.stop(0);
    const [message] = await untilFailing(1, taskCatalogue.queue);
    await operations.discard(taskCatalogue.queue, [message!.id]);
    await queue.work(async ({ _id }) => void runs.push(_id));
    expect(await queue.ended(id)).toMatchObject({ _status: 'ERROR', _response: { _status: 409 } });
    expect(runs).toEqual([id, id]);
  });
});
