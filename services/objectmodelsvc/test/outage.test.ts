import { randomUUID } from 'node:crypto';
import { afterAll, expect, it } from '@jest/globals';
import supertest from 'supertest';
import { adminListener, createReadiness } from '@dtplatform/http';
import { eventually, startCuttableProxy } from '@dtplatform/testing';
import { permissionClient } from './permission-client.js';
import { entryFor, PERMISSIONS, startApp } from './start-app.js';

/** A backend behind a proxy that can be cut, with the URL of the proxy. */
async function behindProxy(url: string) {
  const target = new URL(url.replace(/^\w+:/, 'http:'));
  const proxy = await startCuttableProxy(target);
  return { ...proxy, url: url.replace(target.host, `127.0.0.1:${proxy.port}`) };
}

const mongo = await behindProxy(process.env.MONGO_URL!);
const redis = await behindProxy(process.env.REDIS_URL!);
const app = await startApp({ environment: { MONGO_URL: mongo.url, REDIS_URL: redis.url } });
const admin = supertest(adminListener({ ...app.deps, readiness: createReadiness(app.deps) }));
const platform = await app.as('platform', 'trusted');
afterAll(async () => {
  for (const proxy of [mongo, redis]) proxy.mend();
  await eventually(() => app.mongo.ping());
  await app.stop();
  await Promise.all([mongo.close(), redis.close()]);
});

const put = (userId: string) =>
  app.api
    .put(PERMISSIONS)
    .set({ authorization: platform })
    .send([entryFor(userId, 'tower_1', 'filesvc:file:1', 'READ')]);
const recordsOf = (userId: string) => permissionClient(() => app).list(platform, userId, 'tower_1');

it.each([
  ['mongodb', mongo],
  ['redis', redis],
])(
  'without %s, responds 503 with Retry-After, has no partial effect, and recovers afterwards',
  async (check, proxy) => {
    const userId = `ben-${randomUUID()}`;
    await put(userId).expect(200);
    await admin.get('/readyz').expect(200);

    proxy.cut();
    const late = `late-${randomUUID()}`;
    for (const call of [put(late), recordsOf(userId)]) {
      const response = await call.expect(503);
      expect(response.headers['retry-after']).toBe('1');
      expect(response.body).toMatchObject({ status: 503, code: 'UNAVAILABLE' });
    }
    const ready = await admin.get('/readyz').expect(503);
    expect(ready.body.checks[check]).toBe('failing');
    await admin.get('/livez').expect(200);

    proxy.mend();
    await eventually(() => admin.get('/readyz').expect(200));
    await eventually(async () => expect((await recordsOf(userId).expect(200)).body._total).toBe(1));
    expect((await recordsOf(late).expect(200)).body._total).toBe(0);
    await eventually(() => put(late).expect(200));
  },
);
