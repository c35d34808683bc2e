import { afterAll, beforeEach, expect, it } from '@jest/globals';
import { silentLogger } from '@dtplatform/logging';
import { startCuttableProxy } from '../../testing/src/cuttable-proxy.js';
import { connectMongo, newId } from '../src/index.js';
import { eventually, mongoUrl, throughPort } from './support.js';

const proxy = await startCuttableProxy(new URL(mongoUrl));
const url = throughPort(mongoUrl, proxy.port);
const database = `test_${newId()}`;
const mongo = await connectMongo({ url, database, appName: 'test', log: silentLogger(), maxPoolSize: 2 });
const things = mongo.db.collection<{ _id: string }>('things');
beforeEach(() => things.insertOne({ _id: newId() }));
afterAll(async () => {
  await mongo.db.dropDatabase();
  await mongo.close();
  await proxy.close();
});

/** Keeps a connection busy until the server ends the operation. */
const keepBusy = () => things.findOne({ $where: 'sleep(1000) || true' }, { maxTimeMS: 1500 }).catch(() => undefined);

it('counts connections in use, and operations that wait for one', async () => {
  expect(mongo.poolUse()).toMatchObject({ inUse: 0, waiting: 0, max: 2, failed: 0 });
  const busy = Promise.all(Array.from({ length: 5 }, keepBusy));
  await eventually(async () => expect(mongo.poolUse()).toMatchObject({ open: 2, inUse: 2, waiting: 3 }));
  await busy;
  expect(mongo.poolUse()).toMatchObject({ open: 2, inUse: 0, waiting: 0, failed: 0 });
});

it('forgets broken connections, and counts the operations that got none', async () => {
  const busy = Promise.all([keepBusy(), keepBusy(), keepBusy()]);
  await eventually(async () => expect(mongo.poolUse()).toMatchObject({ inUse: 2, waiting: 1 }));
  proxy.cut();
  await busy;
  await eventually(async () => expect(mongo.poolUse()).toMatchObject({ open: 0, inUse: 0, waiting: 0 }));
  proxy.mend();
  await eventually(() => mongo.ping());
  expect(mongo.poolUse().failed).toBeGreaterThan(0);
});
