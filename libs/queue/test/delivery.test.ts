import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { connectRedis } from '@dtplatform/redis';
import { eventually } from '@dtplatform/testing';
import { createOutbox, createTotals, defineCatalogue, defineMessage, startRelay, startWorker } from '../src/index.js';
import type { HandlersOf, OutboxEntry, Relay, WorkerHandle } from '../src/index.js';
import { dropDatabase, emptyRedis, log, openDatabase, redisUrl } from './support.js';

const mongo = await openDatabase();
const queuePrefix = mongo.db.databaseName;
const outbox = createOutbox(mongo);
const totals = createTotals(mongo);
const entries = mongo.db.collection<OutboxEntry>('outbox');

const catalogue = defineCatalogue('test.delivery', {
  greet: { payload: z.object({ name: z.string() }), attempts: 2, backoffMs: 10 },
  'greet-many': {
    payload: z.object({ messages: z.array(z.object({ name: z.string() })) }),
    attempts: 2,
    backoffMs: 10,
  },
});
const counted = defineMessage({ ...catalogue.messages.greet, name: 'greet-counted', batch: 'greet-many' });
type Greet = HandlersOf<typeof catalogue>['greet'];
const redelivery = { checkAfterMs: 300, maxCheckAfterMs: 1_000 };

const started: (Relay | WorkerHandle)[] = [];
const stopAll = () => Promise.all(started.splice(0).map((one) => one.stop(0)));
const relay = async (settings: typeof redelivery | undefined = redelivery) => {
  const one = await startRelay({ mongo, redisUrl, log, queuePrefix, redelivery: settings });
  started.push(one);
  return one;
};
const work = async (greet: Greet) => {
  const handlers: HandlersOf<typeof catalogue> = {
    greet,
    'greet-many': async ({ messages }, job) => {
      for (const message of messages) await greet(message, job);
    },
  };
  const one = await startWorker({ catalogue, redisUrl, handlers, concurrency: 10, log, queuePrefix });
  started.push(one);
  return one;
};
/** A worker that records whom it greets. */
const recordGreeted = async () => {
  const greeted: string[] = [];
  await work(async ({ name }) => void greeted.push(name));
  return greeted;
};
const greet = (name: string) => mongo.transaction((session) => outbox.put(session, catalogue.messages.greet, { name }));
const greetCounted = (name: string) => {
  const deltas = [{ key: 'greeting', namespace: 'n', amount: 1 }];
  return mongo.transaction((session) => outbox.put(session, counted, { name }, { deltas }));
};
const isHandedOver = async () => expect(await entries.countDocuments({ checkAt: { $exists: false } })).toBe(0);
const isEmpty = async () => expect(await entries.countDocuments()).toBe(0);

afterEach(async () => {
  await stopAll();
  await entries.deleteMany({});
  await emptyRedis(queuePrefix);
});
afterAll(() => dropDatabase(mongo));

describe('a message', () => {
  it('stays in the outbox until its consumer has processed it', async () => {
    const { backlog } = await relay();
    await greet('Ada');
    await eventually(isHandedOver);
    expect(await backlog()).toEqual({ messages: 0, oldestAgeSec: 0, unprocessed: 1, failed: 0 });

    await work(() => Promise.resolve());
    await eventually(isEmpty);
    expect(await backlog()).toMatchObject({ unprocessed: 0, failed: 0 });
  });

  it('is sent again at the next check after Redis lost its data, even if its own check is due much later', async () => {
    await relay();
    await greet('Ada');
    await eventually(isHandedOver);
    await entries.updateMany({}, { $set: { checkAt: Date.now() + 3_600_000 } });
    expect(await emptyRedis(queuePrefix)).toBeGreaterThan(0);
    const greeted = await recordGreeted();
    await eventually(() => expect(greeted).toEqual(['Ada']));
    await eventually(isEmpty);
  });

  it('survives the loss of Redis data while its consumer works', async () => {
    await relay();
    const greeted: string[] = [];
    await work(async ({ name }) => {
      if (greeted.length === 0) await emptyRedis(queuePrefix);
      greeted.push(name);
    });
    await greet('Ada');
    await eventually(isEmpty);
    expect(new Set(greeted)).toEqual(new Set(['Ada']));
  });

  it('is removed by the next relay when the former one died before it knew the outcome', async () => {
    await relay();
    await greet('Ada');
    await eventually(isHandedOver);
    await stopAll();
    const greeted = await recordGreeted();
    await eventually(() => expect(greeted).toEqual(['Ada']));
    // Long before the entry would be checked.
    await relay({ ...redelivery, checkAfterMs: 3_600_000 });
    await eventually(isEmpty);
    expect(greeted).toEqual(['Ada']);
  });

  it('is removed after the connection that reads acknowledgements was rejected', async () => {
    const apart = new URL(redisUrl);
    apart.pathname = '/15';
    const url = { redisUrl: apart.href };
    const one = await startRelay({ mongo, log, queuePrefix, ...url });
    const handlers = { greet: () => Promise.resolve(), 'greet-many': () => Promise.resolve() };
    const worker = await startWorker({ catalogue, handlers, log, queuePrefix, ...url });
    started.push(one, worker);
    await greet('Ada');
    await eventually(isEmpty);

    // Like a Redis that becomes a replica.
    const redis = await connectRedis({ url: apart.href, kind: 'cache', log });
    const clients = String(await redis.client.client('LIST')).split('\n');
    const reader = clients.find((line) => line.includes(' db=15 ') && line.includes(' cmd=xread '));
    await redis.client.client('UNBLOCK', /^id=(\d+)/.exec(reader!)![1]!, 'ERROR');
    await greet('Eve');
    await eventually(isEmpty);
    await redis.client.flushdb();
    await redis.close();
  });

  it('is removed by its acknowledgement alone, even when thousands waited for the relay', async () => {
    const messages = Array.from({ length: 1_500 }, (_, n) => ({ payload: { name: `caller ${n}` } }));
    await mongo.transaction((session) => outbox.putMany(session, catalogue.messages.greet, messages));
    const greeted = new Set<string>();
    await work(async ({ name }) => void greeted.add(name));
    await relay({ ...redelivery, checkAfterMs: 3_600_000 });
    await eventually(isEmpty);
    expect(greeted.size).toBe(1_500);
  });

  it('is retried after an outage that outlasts its attempts, without delaying others', async () => {
    const { backlog } = await relay();
    let isAway = true;
    let runs = 0;
    await work(async ({ name }) => {
      if (name !== 'Ada') return;
      runs += 1;
      if (isAway) throw new Error('S3 is unavailable');
    });
    await greet('Ada');
    await eventually(async () => expect((await entries.findOne())?.failure?.times).toBeGreaterThanOrEqual(2));
    expect((await entries.findOne())?.failure).toMatchObject({ message: 'S3 is unavailable' });
    expect(await backlog()).toMatchObject({ unprocessed: 1, failed: 1 });
    expect(runs).toBeGreaterThan(catalogue.messages.greet.attempts);
    await greet('Eve');
    await eventually(async () => expect(await entries.distinct('payload.name')).toEqual(['Ada']));
    isAway = false;
    await eventually(isEmpty);
    expect(await backlog()).toMatchObject({ unprocessed: 0, failed: 0 });
  });

  it('that the consumer does not know is processed once a version that knows it runs', async () => {
    await relay();
    const former = defineCatalogue(catalogue.queue, { other: z.object({}) });
    const handlers = { other: () => Promise.resolve() };
    const old = await startWorker({ catalogue: former, redisUrl, handlers, log, queuePrefix });
    await greet('Ada');
    await eventually(async () =>
      expect((await entries.findOne())?.failure?.message).toContain('no message with the name'),
    );
    await old.stop(0);
    const greeted = await recordGreeted();
    await eventually(() => expect(new Set(greeted)).toEqual(new Set(['Ada'])));
    await eventually(isEmpty);
  });

  it('of another database on the same queue is left alone', async () => {
    const other = await openDatabase();
    try {
      await relay();
      await work(() => Promise.resolve());
      const { queue, name } = catalogue.messages.greet;
      const entry = { _id: 'of-another', queue, name, payload: { name: 'Eve' }, createdAt: Date.now(), checkAt: 1 };
      await other.db.collection<OutboxEntry>('outbox').insertOne(entry);
      await greet('Ada');
      await eventually(isEmpty);
      expect(await other.db.collection('outbox').countDocuments()).toBe(1);
    } finally {
      await dropDatabase(other);
    }
  });
});

describe('under load', () => {
  it('everything is processed and counted once, while Redis loses its data and processes die', async () => {
    await entries.deleteMany({});
    const before = await totals.read('greeting', ['n']);
    const greeted = new Set<string>();
    const record: Greet = async ({ name }) => void greeted.add(name);
    await relay();
    await work(record);
    const writing = (async () => {
      for (let n = 0; n < 300; n++) await (n % 2 ? greet : greetCounted)(`caller ${n}`);
    })();
    for (let round = 1; round <= 4; round++) {
      await eventually(() => expect(greeted.size).toBeGreaterThanOrEqual(round * 30));
      await emptyRedis(queuePrefix);
      await stopAll();
      await Promise.all([relay(), work(record)]);
    }
    await writing;
    await eventually(isEmpty);
    expect(greeted.size).toBe(300);
    expect(await totals.read('greeting', ['n'])).toBe(before + 150);
  });
});
