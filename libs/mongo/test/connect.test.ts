import timers from 'node:timers';
import { afterAll, describe, expect, it, jest } from '@jest/globals';
import { defineModel, id, mongoErrors } from '../src/index.js';
import type { Mongo } from '../src/index.js';
import { startCuttableProxy } from '../../testing/src/cuttable-proxy.js';
import { connectToFreshDatabase, eventually, failureOf, mongoUrl, throughPort } from './support.js';

const proxy = await startCuttableProxy(new URL(mongoUrl));
afterAll(() => proxy.close());

const things = defineModel<{ _id: string }>('things', { _id: id });
const unavailable = { status: 503, code: 'UNAVAILABLE', headers: { 'retry-after': '1' } };

async function connected(url: string, work: (mongo: Mongo) => Promise<void>) {
  const mongo = await connectToFreshDatabase(url);
  try {
    await work(mongo);
  } finally {
    await mongo.close();
  }
}

describe('a client whose server is unavailable', () => {
  it.each([
    ['an address that does not exist', 'mongodb://nowhere.invalid:27017/', /ENOTFOUND|EAI_AGAIN/],
    ['a service record that does not exist', 'mongodb+srv://nowhere.invalid/', /querySrv/],
    ['a port where nobody listens', 'mongodb://127.0.0.1:9/', /ECONNREFUSED/],
  ])('connects with %s, and reports why it fails', async (_what, url, reason) => {
    await connected(url, async (mongo) => {
      const failure = await failureOf(mongo.ping());
      expect((failure as Error).message).toMatch(reason);
      const work = [
        () => mongo.db.collections(),
        () => mongo.db.collection('things').bulkWrite([{ insertOne: { document: { name: 'late' } } }]),
        () => mongo.model(things).find().exec(),
        () => mongo.transaction((session) => mongo.model(things).find({}, {}, { session }).exec()),
      ];
      for (const attempt of work) {
        expect(mongoErrors(await failureOf(attempt()))).toMatchObject(unavailable);
      }
      expect(mongoErrors(failure)).toMatchObject(unavailable);
    });
  });

  it('starts without the server, fails as unavailable, and works once the server is available', async () => {
    proxy.cut();
    await connected(throughPort(mongoUrl, proxy.port), async (mongo) => {
      expect(mongoErrors(await failureOf(mongo.ping()))).toMatchObject(unavailable);
      proxy.mend();
      await eventually(() => mongo.ping());
    });
  });

  it('recovers after its connections were cut', async () => {
    proxy.mend();
    await connected(throughPort(mongoUrl, proxy.port), async (mongo) => {
      const things = mongo.db.collection<{ _id: string }>('things');
      await things.insertOne({ _id: 'before' });

      proxy.cut();
      expect(mongoErrors(await failureOf(things.insertOne({ _id: 'during' })))).toMatchObject(unavailable);
      proxy.mend();
      await eventually(() => things.insertOne({ _id: 'after' }));
      expect(await things.distinct('_id')).toEqual(['after', 'before']);
      await mongo.db.dropDatabase();
    });
  });

  it('fails a transaction as unavailable, without any effect', async () => {
    proxy.mend();
    await connected(throughPort(mongoUrl, proxy.port), async (mongo) => {
      const things = mongo.db.collection<{ _id: string }>('things');
      await mongo.db.createCollection('things');
      const transaction = mongo.transaction(async (session) => {
        await things.insertOne({ _id: 'half' }, { session });
        proxy.cut();
        await things.insertOne({ _id: 'other half' }, { session });
      });
      expect(mongoErrors(await failureOf(transaction))).toMatchObject(unavailable);
      proxy.mend();
      expect(await eventually(() => things.countDocuments())).toBe(0);
    });
  });
});

it('maintains its pools every ten seconds', async () => {
  const url = new URL(mongoUrl);
  url.searchParams.set('heartbeatFrequencyMS', '20000');
  const timer = jest.spyOn(timers, 'setTimeout');
  const mongo = await connectToFreshDatabase(url.href);
  try {
    expect(timer.mock.calls.map(([, delayMs]) => delayMs)).toContain(10_000);
  } finally {
    timer.mockRestore();
    await mongo.close();
  }
});
