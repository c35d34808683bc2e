import { expect, it } from '@jest/globals';
import { eventually, startCuttableProxy } from '@dtplatform/testing';
import { startApp } from './start-app.js';

it('keeps usage that arrives while MongoDB is unavailable, and adds it after recovery', async () => {
  const target = new URL(process.env.MONGO_URL!.replace('mongodb:', 'http:'));
  const proxy = await startCuttableProxy(target);
  const app = await startApp({
    workerMongoUrl: process.env.MONGO_URL!.replace(target.host, `127.0.0.1:${proxy.port}`),
  });
  try {
    const platform = await app.as('platform', 'trusted');
    const count = async () => {
      const path = '/metricsvc/api/v1/metrics/dtplatform.filesvc.FileCount?namespace=tower_1';
      return (await app.api.get(path).set({ authorization: platform }).expect(200)).body.metrics[0].value as number;
    };
    const change = { _metric: 'dtplatform.filesvc.FileCount', _dimensions: {}, _amount: 1 };
    await app.send('tower_1', [change]);
    await app.settled();

    proxy.cut();
    const connectionsBefore = proxy.connectionCount();
    for (let n = 0; n < 20; n++) await app.send('tower_1', [change]);
    await eventually(async () => {
      const unsent = { checkAt: { $exists: false } };
      expect(await app.deps.mongo.db.collection('outbox').countDocuments(unsent)).toBe(0);
      expect(proxy.connectionCount()).toBeGreaterThan(connectionsBefore);
    });
    expect(await count()).toBe(1);

    proxy.mend();
    await eventually(async () => expect(await count()).toBe(21));
    await app.settled();
    expect(await count()).toBe(21);
  } finally {
    await app.stop();
    await proxy.close();
  }
});
