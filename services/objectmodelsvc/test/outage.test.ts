import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import supertest from 'supertest';
import { adminListener } from '@dtplatform/http';
import { eventually, startCuttableProxy } from '@dtplatform/testing';
import { entryFor, PERMISSIONS, startApp } from './start-app.js';

type Proxy = Awaited<ReturnType<typeof startCuttableProxy>>;

/** A backend behind a proxy that can be cut, and the URL of the proxy. */
async function behindProxy(url: string): Promise<{ proxy: Proxy; url: string }> {
  const target = new URL(url.replace(/^\w+:/, 'http:'));
  const proxy = await startCuttableProxy(target);
  return { proxy, url: url.replace(target.host, `127.0.0.1:${proxy.port}`) };
}

const mongo = await behindProxy(process.env.MONGO_URL!);
const redis = await behindProxy(process.env.REDIS_URL!);
const environment = { MONGO_URL: mongo.url, REDIS_URL: redis.url };
const app = await startApp({ environment });
const admin = supertest(adminListener(app.deps));
const platform = await app.as('platform', 'trusted');
afterEach(() => {
  mongo.proxy.mend();
  redis.proxy.mend();
});
afterAll(async () => {
  await eventually(() => app.mongo.ping());
  await app.stop();
  await mongo.proxy.close();
  await redis.proxy.close();
});

const put = (userId: string) =>
  app.api
    .put(PERMISSIONS)
    .set({ authorization: platform })
    .send([entryFor(userId, 'tower_1', 'filesvc:file:1', 'READ')]);
const recordsOf = (userId: string) =>
  app.api.get(PERMISSIONS).set({ authorization: platform }).query({
    _namespace: 'tower_1',
    '_resourceDesc._irn': 'filesvc:file:1',
    '_user._id': userId,
    '_user._type': 'user',
    patternmatch: 'false',
  });

describe.each([
  ['MongoDB', 'mongodb', () => mongo.proxy],
  ['Redis', 'redis', () => redis.proxy],
])('while %s is unavailable', (_name, check, proxy) => {
  it('responds 503 with Retry-After, has no partial effect, and recovers afterwards', async () => {
    const userId = `ben-${randomUUID()}`;
    await put(userId).expect(200);
    await admin.get('/readyz').expect(200);

    proxy().cut();
    const late = `late-${randomUUID()}`;
    for (const call of [put(late), recordsOf(userId)]) {
      const response = await call.expect(503);
      expect(response.headers['retry-after']).toBe('1');
      expect(response.body).toMatchObject({ status: 503, code: 'UNAVAILABLE' });
    }
    const ready = await admin.get('/readyz').expect(503);
    expect(ready.body.checks[check]).toBe('failing');
    await admin.get('/livez').expect(200);

    proxy().mend();
    await eventually(() => admin.get('/readyz').expect(200));
    await eventually(async () => expect((await recordsOf(userId).expect(200)).body._total).toBe(1));
    expect((await recordsOf(late).expect(200)).body._total).toBe(0);
    await eventually(() => put(late).expect(200));
  });
});
