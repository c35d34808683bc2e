import { afterAll, expect, it } from '@jest/globals';
import { eventually, startCuttableProxy } from '@dtplatform/testing';
import { FILE_COUNT, files, metricClient } from './metric-client.js';
import { openApp } from './start-app.js';

const target = new URL(process.env.MONGO_URL!.replace('mongodb:', 'http:'));
const proxy = await startCuttableProxy(target);
const workerMongoUrl = process.env.MONGO_URL!.replace(target.host, `127.0.0.1:${proxy.port}`);
const here = await openApp({ workerMongoUrl });
const { app } = here;
const { valueOf } = metricClient(here, () => 'tower_1');
afterAll(() => proxy.close());

it('keeps usage that arrives while MongoDB is unavailable, and adds it after recovery', async () => {
  await app.send('tower_1', [files(1)]);
  await app.settled();

  proxy.cut();
  const connectionsBefore = proxy.connectionCount();
  for (let n = 0; n < 20; n++) await app.send('tower_1', [files(1)]);
  await eventually(async () => {
    const unsent = { checkAt: { $exists: false } };
    expect(await app.deps.mongo.db.collection('outbox').countDocuments(unsent)).toBe(0);
    expect(proxy.connectionCount()).toBeGreaterThan(connectionsBefore);
  });
  expect(await valueOf(FILE_COUNT)).toBe(1);

  proxy.mend();
  await app.settled();
  expect(await valueOf(FILE_COUNT)).toBe(21);
});
