import { Queue } from 'bullmq';
import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { connectMongo } from '@dtplatform/mongo';
import { connectRedis } from '@dtplatform/redis';
import { runInCall } from '@dtplatform/telemetry';
import { eventually, startCuttableProxy } from '@dtplatform/testing';
import { createOutbox, createTotals, defineMessage, startRelay } from '../src/index.js';
import type { OutboxEntry, Relay } from '../src/index.js';
import { dropDatabase, log, openDatabase, redisUrl, startRedisProxy } from './support.js';

const mongo = await openDatabase();
const queuePrefix = mongo.db.databaseName;
const outbox = createOutbox(mongo);
const entries = mongo.db.collection<OutboxEntry>('outbox');

const message = defineMessage({ queue: 'test.relay', name: 'thing.created', payload: z.object({ n: z.number() }) });
const counted = defineMessage({ ...message, name: 'thing.counted', batch: 'things.counted' });
// Reading the queue may take longer than a service would wait.
const redis = await connectRedis({ url: redisUrl, kind: 'worker', log });
const queue = new Queue(message.queue, { connection: redis.client, prefix: `{${queuePrefix}.${message.queue}}` });

const { proxy, proxiedUrl } = await startRedisProxy();

const relays: Relay[] = [];
const relay = async (url = redisUrl, database = mongo) => {
  const started = await startRelay({ mongo: database, redisUrl: url, log, queuePrefix });
  relays.push(started);
  return started;
};
const put = (n: number, options?: Parameters<typeof outbox.put>[3]) =>
  mongo.transaction((session) => outbox.put(session, message, { n }, options));
const waiting = async () =>
  (await queue.getJobs(['waiting'])).map(({ data }) => (data as { n: number }).n).sort((a, b) => a - b);
/** Entries that are not in their queue yet. */
const unsent = () => entries.countDocuments({ checkAt: { $exists: false } });
const numbers = (count: number) => Array.from({ length: count }, (_, n) => n);

afterEach(async () => {
  await Promise.all(relays.splice(0).map((started) => started.stop()));
  await entries.deleteMany({});
  await queue.obliterate();
  proxy.mend();
});
afterAll(async () => {
  await queue.close();
  await redis.close();
  await proxy.close();
  await dropDatabase(mongo);
});

describe('relay', () => {
  it('hands over messages put before it started and later', async () => {
    await put(1);
    await relay();
    await eventually(async () => expect(await waiting()).toEqual([1]));
    await put(2);
    await eventually(async () => expect(await waiting()).toEqual([1, 2]));
    await eventually(async () => expect(await unsent()).toBe(0));
  });

  it('reports the number of waiting messages and the age of the oldest', async () => {
    proxy.cut();
    const { backlog } = await relay(proxiedUrl);
    expect(await backlog()).toEqual({ messages: 0, oldestAgeSec: 0, unprocessed: 0, failed: 0 });
    await put(1);
    await put(2);
    const { createdAt } = (await entries.findOne({}, { sort: { createdAt: 1 } }))!;
    await eventually(async () => expect((await backlog()).oldestAgeSec).toBeGreaterThan(0.1));
    const { messages, oldestAgeSec } = await backlog();
    expect(messages).toBe(2);
    expect(oldestAgeSec).toBeLessThanOrEqual((Date.now() - createdAt) / 1000);
    proxy.mend();
    await eventually(async () =>
      expect(await backlog()).toEqual({ messages: 0, oldestAgeSec: 0, unprocessed: 2, failed: 0 }),
    );
  });

  it('hands over more than one batch', async () => {
    const messages = numbers(1200).map((n) => ({ payload: { n } }));
    await mongo.transaction((session) => outbox.putMany(session, message, messages));
    await relay();
    await eventually(async () => expect(await unsent()).toBe(0));
    expect(await waiting()).toEqual(numbers(1200));
  });

  it('creates a job with the name and the id of its message', async () => {
    const rare = defineMessage({ ...message, name: 'rare' });
    await mongo.transaction((session) => outbox.put(session, rare, { n: 1 }, { id: 'the-id' }));
    await relay();
    const job = await eventually(async () => (await queue.getJob('the-id')) ?? Promise.reject(new Error('not there')));
    expect(job).toMatchObject({ name: 'rare', data: { n: 1 } });
  });

  it('creates one job for a message that is put twice under one id', async () => {
    await put(1, { id: 'same' });
    await put(1, { id: 'same' });
    await relay();
    await eventually(async () => expect(await unsent()).toBe(0));
    await put(2, { id: 'same' });
    await eventually(async () => expect(await unsent()).toBe(0));
    expect(await waiting()).toEqual([1]);
  });

  it('keeps messages while Redis is unavailable, folds their deltas, and relays them when it recovers', async () => {
    proxy.cut();
    const started = await relay(proxiedUrl);
    const deltas = [{ key: 'thing', namespace: 'outage', amount: 3 }];
    await mongo.transaction((session) => outbox.put(session, counted, { n: 1 }, { deltas }));
    await eventually(async () => expect(await entries.countDocuments({ deltas: { $exists: false } })).toBe(1));
    await eventually(() => expect(started.healthy()).toBe(false));
    expect(await createTotals(mongo).read('thing', ['outage'])).toBe(3);

    proxy.mend();
    const jobs = async () =>
      (await queue.getJobs(['waiting'])).map(({ name, data }) => ({ name, data: data as unknown }));
    const batch = { name: counted.batch, data: { messages: [{ n: 1 }] } };
    await eventually(async () => expect(await jobs()).toEqual([batch]));
    await eventually(async () => expect(await unsent()).toBe(0));
    expect(started.healthy()).toBe(true);
    expect(await createTotals(mongo).read('thing', ['outage'])).toBe(3);
  });

  it('loses and duplicates nothing when Redis fails during a relay', async () => {
    await relay(proxiedUrl);
    await put(0);
    await eventually(async () => expect(await waiting()).toEqual([0]));
    const writing = (async () => {
      for (let n = 1; n < 200; n++) await put(n);
    })();
    for (let round = 0; round < 3; round++) {
      await eventually(async () => expect((await waiting()).length).toBeGreaterThan(round * 20));
      proxy.cut();
      await put(1000 + round);
      proxy.mend();
    }
    await writing;
    await eventually(async () => expect(await unsent()).toBe(0));
    expect(await waiting()).toEqual([...numbers(200), 1000, 1001, 1002]);
  });

  it('stops while Redis is unavailable', async () => {
    proxy.cut();
    const started = await relay(proxiedUrl);
    await put(1);
    await eventually(() => expect(started.healthy()).toBe(false));
    await started.stop();
    expect(await entries.countDocuments()).toBe(1);
  });
});

describe('messages with a batch', () => {
  it('become one message, in the call that put them if it is a single one', async () => {
    await relay();
    const messages = numbers(3).map((n) => ({ payload: { n } }));
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    await runInCall({ requestId: 'r-1', traceparent }, () =>
      mongo.transaction((session) => outbox.putMany(session, counted, messages)),
    );
    const [job] = await eventually(async () => {
      const jobs = await queue.getJobs(['waiting']);
      expect(jobs).toHaveLength(1);
      return jobs;
    });
    expect(job).toMatchObject({ name: counted.batch, data: { messages: numbers(3).map((n) => ({ n })) } });
    expect(job!.opts.telemetry?.metadata).toContain('r-1');
    expect(await entries.countDocuments()).toBe(1);
  });

  it('are split if they are too large for one', async () => {
    const large = defineMessage({ ...counted, payload: z.object({ text: z.string() }) });
    const messages = numbers(5).map((n) => ({ payload: { text: String(n).repeat(100_000) } }));
    await mongo.transaction((session) => outbox.putMany(session, large, messages));
    await relay();
    await eventually(async () => expect(await unsent()).toBe(0));
    const jobs = await queue.getJobs(['waiting']);
    const texts = jobs.flatMap(({ data }) => (data as { messages: { text: string }[] }).messages);
    expect(texts.map(({ text }) => text[0]).sort()).toEqual(['0', '1', '2', '3', '4']);
    expect(jobs).toHaveLength(2);
  });
});

describe('several relays', () => {
  it('hand over everything once, and take over from one that stops', async () => {
    const [first] = await Promise.all([relay(), relay(), relay()]);
    for (const n of numbers(20)) await put(n);
    await first.stop();
    for (const n of numbers(20)) await put(20 + n);
    await eventually(async () => expect(await unsent()).toBe(0));
    expect(await waiting()).toEqual(numbers(40));
  });
});

describe('a standby relay', () => {
  it('becomes healthy again when MongoDB recovers', async () => {
    await relay();
    await put(1);
    await eventually(async () => expect(await waiting()).toEqual([1]));

    const url = new URL(process.env.MONGO_URL ?? '');
    const toMongo = await startCuttableProxy(new URL(url));
    url.port = String(toMongo.port);
    const names = { database: mongo.db.databaseName, appName: 'test' };
    const proxied = await connectMongo({ url: url.href, ...names, log });
    try {
      const idle = await relay(redisUrl, proxied);
      toMongo.cut();
      await eventually(() => expect(idle.healthy()).toBe(false));
      toMongo.mend();
      await eventually(() => expect(idle.healthy()).toBe(true));
      await idle.stop();
    } finally {
      await proxied.close();
      await toMongo.close();
    }
  });
});

describe('outbox', () => {
  it('rejects payloads that do not match and ids that a queue would reject', async () => {
    await expect(put('one' as unknown as number)).rejects.toThrow(z.ZodError);
    await expect(put(1, { id: 'a:b' })).rejects.toThrow('colon');
    await expect(put(1, { id: '123' })).rejects.toThrow('number');
    expect(await entries.countDocuments()).toBe(0);
  });

  it('contains nothing from a transaction that was rolled back', async () => {
    const rolledBack = mongo.transaction(async (session) => {
      await outbox.put(session, message, { n: 1 });
      await outbox.put(session, message, { n: 2 }, { id: 'two' });
      await outbox.putMany(session, message, [{ payload: { n: 3 } }]);
      throw new Error('no');
    });
    await expect(rolledBack).rejects.toThrow('no');
    expect(await entries.countDocuments()).toBe(0);
  });
});
