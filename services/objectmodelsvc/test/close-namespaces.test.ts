import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { allows, createGrantCache, remoteGrants } from '@dtplatform/permissions';
import { createServiceClient } from '@dtplatform/service-client';
import { fixedToken, sendTwice } from '@dtplatform/testing';
import { permissionClient } from './permission-client.js';
import { entryFor, PERMISSIONS, startApp } from './start-app.js';
import type { TestApp } from './start-app.js';

describe('closing namespaces', () => {
  let app: TestApp;
  let platform: string;
  let olga: string;
  const { put, ...client } = permissionClient(() => app);

  beforeAll(async () => {
    app = await startApp();
    platform = await app.as('platform', 'trusted');
    olga = await app.as('olga');
  });
  afterAll(() => app.stop());

  const close = (authorization: string, body: object) =>
    app.api.post(`${PERMISSIONS}/close`).set({ authorization }).send(body);
  const may = (userId: string, namespace: string, on: Pick<TestApp, 'api'> = app) =>
    client.may(platform, userId, namespace, { on });

  it('ends the permissions of all subjects there, in every replica and service, and nowhere else', async () => {
    const [closed, open] = [`closed_${randomUUID()}`, `open_${randomUUID()}`];
    await put(platform, [
      entryFor('olga', closed, '*:*:*', '*'),
      entryFor('ben', closed, 'filesvc:file:1', 'READ'),
      entryFor('olga', open, '*:*:*', '*'),
    ]);
    const there = await app.startInstance();
    const service = createServiceClient({ baseUrl: app.url, token: fixedToken(platform) });
    const source = remoteGrants(service);
    const cache = createGrantCache({ redis: app.deps.redis.client, source });
    const isOwner = async () => {
      const { lookup } = await cache.open({ _type: 'user', _id: 'olga' });
      return allows(await lookup.grants(closed), '*', 'itemsvc:nameduseritem:1');
    };
    try {
      expect([await may('olga', closed), await may('ben', closed, there), await isOwner()]).toEqual([true, true, true]);
      await source.close([closed]);
      expect([await may('olga', closed), await may('ben', closed, there), await isOwner()]).toEqual([
        false,
        false,
        false,
      ]);
      expect(await may('olga', open)).toBe(true);
      expect(await source.namespacesOf({ _type: 'user', _id: 'olga' })).toEqual([open]);
      await source.close([closed]);
      await sendTwice(() => close(platform, { _namespaces: [closed] }));
    } finally {
      await service.close();
      await there.stop();
    }
  });

  it('is permanent: what is written there later grants nothing', async () => {
    const namespace = `closed_${randomUUID()}`;
    await close(platform, { _namespaces: [namespace] }).expect(200);
    await put(platform, [entryFor('carl', namespace, '*:*:*', '*')]);
    expect(await may('carl', namespace)).toBe(false);
    const { body } = await app.api
      .post(`${PERMISSIONS}/namespaces`)
      .set({ authorization: platform })
      .send({ _user: { _type: 'user', _id: 'carl' } })
      .expect(200);
    expect(body._list).toEqual([]);
  });

  it('also holds for grants that are written at the same time', async () => {
    const namespace = `raced_${randomUUID()}`;
    await put(platform, [entryFor('olga', namespace, '*:*:*', '*')]);
    await Promise.all([
      close(platform, { _namespaces: [namespace] }).expect(200),
      ...Array.from({ length: 8 }, (_, n) => put(olga, [entryFor(`friend-${n}`, namespace, '*:*:*', 'READ')])),
    ]);
    for (let n = 0; n < 8; n++) expect(await may(`friend-${n}`, namespace)).toBe(false);
  });

  it('is for trusted clients, and checks its body', async () => {
    for (const caller of [olga, await app.as('admin', 'admin'), await app.as('some-app', 'app')])
      await close(caller, { _namespaces: ['any'] }).expect(403);
    for (const body of [{}, { _namespaces: [] }, { _namespaces: [''] }, { _namespaces: 'any' }])
      await close(platform, body).expect(400);
  });
});
