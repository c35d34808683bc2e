import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { appClient, APPS } from './app-client.js';
import type { AppClient, TestUser } from './app-client.js';
import { startApp } from './start-app.js';
import type { TestApp } from './start-app.js';
import { asApp, asUser } from './tokens.js';

const WORKSPACES = '/passportsvc/api/v1/workspaces';

describe('configurations of applications', () => {
  let app: TestApp;
  let client: AppClient;
  let owner: TestUser;
  let olga: string;

  const of = (id: string) => `${APPS}/${id}/configs`;
  const get = (authorization: string, id: string) => app.api.get(of(id)).set({ authorization });
  const put = (authorization: string, id: string, body: object) =>
    app.api.put(of(id)).set({ authorization }).send(body);
  const patch = (authorization: string, id: string, body: object) =>
    app.api.patch(of(id)).set({ authorization }).send(body);

  beforeAll(async () => {
    app = await startApp();
    client = await appClient(app);
    owner = await client.createUser('olga');
    olga = await client.signIn(owner);
  });
  afterAll(() => app.stop());

  it('can have these keys', async () => {
    const { body } = await app.api.get(`${APPS}/configs`).set({ authorization: olga }).expect(200);
    expect(body).toEqual([
      { key: 'usergroups.limit', displayText: 'Maximum number of user groups' },
      { key: 'workspaces.limit', displayText: 'Maximum number of workspaces' },
    ]);
    await app.api.get(`${APPS}/configs`).expect(401);
  });

  it('are replaced, changed key by key, and cleared', async () => {
    const { id } = await client.createApp(owner);
    expect((await get(olga, id).expect(200)).body).toEqual({});
    const replaced = await put(olga, id, { 'workspaces.limit': '3' }).expect(200);
    expect(replaced.body).toEqual({ 'workspaces.limit': '3' });
    const both = { 'workspaces.limit': '3', 'usergroups.limit': '5' };
    expect((await patch(olga, id, { 'usergroups.limit': 5 }).expect(200)).body).toEqual(both);
    expect((await get(olga, id).expect(200)).body).toEqual(both);
    expect((await app.api.get(`${APPS}/${id}?withConfigs=true`).set({ authorization: olga })).body._configs).toEqual(
      both,
    );
    expect((await put(olga, id, { 'usergroups.limit': '0' }).expect(200)).body).toEqual({ 'usergroups.limit': '0' });
    await app.api.delete(of(id)).set({ authorization: olga }).expect(204);
    expect((await get(olga, id).expect(200)).body).toEqual({});
    await app.api.delete(of(id)).set({ authorization: olga }).expect(204);
  });

  it.each([
    [{ unknown: '1' }, 'body'],
    [{ 'workspaces.limit': 'many' }, 'body.workspaces.limit'],
    [{ 'workspaces.limit': '-1' }, 'body.workspaces.limit'],
    [{ 'workspaces.limit': 1.5 }, 'body.workspaces.limit'],
    [{ 'workspaces.limit': '' }, 'body.workspaces.limit'],
    [{ 'usergroups.limit': null }, 'body.usergroups.limit'],
    [{ 'usergroups.limit': '1'.repeat(10) }, 'body.usergroups.limit'],
    [['workspaces.limit'], 'body'],
  ])('refuse %j', async (body, location) => {
    const { id } = await client.createApp(owner, { _configs: { 'workspaces.limit': '3' } });
    for (const write of [put, patch]) {
      const { body: error } = await write(olga, id, body).expect(400);
      expect(error.errors[0].location).toMatch(new RegExp(`^${location}`));
    }
    expect((await get(olga, id).expect(200)).body).toEqual({ 'workspaces.limit': '3' });
  });

  it('are kept under concurrent changes of different keys', async () => {
    const { id } = await client.createApp(owner);
    await Promise.all([
      patch(olga, id, { 'usergroups.limit': '1' }).expect(200),
      patch(olga, id, { 'workspaces.limit': '2' }).expect(200),
    ]);
    expect((await get(olga, id).expect(200)).body).toEqual({ 'usergroups.limit': '1', 'workspaces.limit': '2' });
  });

  it('share the revision of their application', async () => {
    const { id } = await client.createApp(owner);
    const { headers } = await put(olga, id, {}).set('if-match', '"0"').expect(200);
    expect(headers.etag).toBe('"1"');
    await patch(olga, id, {}).set('if-match', '"0"').expect(412);
    await app.api.delete(of(id)).set({ authorization: olga, 'if-match': '"0"' }).expect(412);
    expect((await app.api.get(`${APPS}/${id}`).set({ authorization: olga })).headers.etag).toBe('"1"');
  });

  it('are for the owner, administrators and holders of EDIT or DELETE', async () => {
    const { id, namespace } = await client.createApp(owner);
    const ben = await client.signIn(await client.createUser('ben'));
    const calls = (authorization: string) => [
      put(authorization, id, {}),
      patch(authorization, id, {}),
      app.api.delete(of(id)).set({ authorization }),
    ];
    for (const call of calls(ben)) await call.expect(404);
    await get(ben, id).expect(404);
    await app.grants.allow(client.subjectOf(ben), namespace, `passportsvc:app:${id}`, ['READ']);
    await get(ben, id).expect(200);
    for (const call of calls(ben)) await call.expect(403);
    await app.grants.allow(client.subjectOf(ben), namespace, `passportsvc:app:${id}`, ['EDIT']);
    for (const authorization of [ben, olga, await asUser(app), client.trusted]) {
      for (const call of calls(authorization)) expect((await call).status).toBeLessThan(300);
    }
    for (const call of [...calls(client.second), get(client.second, id), get(olga, 'no-such-app')])
      await call.expect(404);
    await app.api.get(of(id)).expect(401);
  });

  describe('limit the workspaces of an application', () => {
    const create = (authorization: string, count: number) =>
      app.api
        .post(WORKSPACES)
        .set({ authorization })
        .send(Array.from({ length: count }, () => ({})));

    it('from the moment in which they are set', async () => {
      const limited = await client.createApp(owner);
      const authorization = await asApp(app, limited);
      await create(authorization, 3).expect(201);
      await put(olga, limited.id, { 'workspaces.limit': '4' }).expect(200);
      const { body } = await create(authorization, 2).expect(400);
      expect(body).toMatchObject({ code: 'WORKSPACES_LIMIT', message: expect.stringContaining('workspaces.limit') });
      await create(authorization, 1).expect(201);
      await create(authorization, 1).expect(400);
      await create(authorization, 0).expect(201);
      await app.api.delete(of(limited.id)).set({ authorization: olga }).expect(204);
      await create(authorization, 1).expect(201);
    });

    it('to none at all, for whoever uses the application', async () => {
      const limited = await client.createApp(owner, { _configs: { 'workspaces.limit': '0' } });
      await create(await asApp(app, limited), 1).expect(400);
      await create(await asUser(app, await client.withPassword(owner), limited), 1).expect(400);
      await create(olga, 1).expect(201);
    });

    it('under concurrent creation and while the limit changes', async () => {
      const limited = await client.createApp(owner, { _configs: { 'workspaces.limit': '5' } });
      const authorization = await asApp(app, limited);
      const responses = await Promise.all([
        ...Array.from({ length: 8 }, () => create(authorization, 1)),
        put(olga, limited.id, { 'workspaces.limit': '3' }),
      ]);
      expect(responses.filter(({ status }) => status >= 500).map(({ body }) => body)).toEqual([]);
      const made = responses.filter(({ status }) => status === 201).length;
      expect(made).toBeGreaterThanOrEqual(3);
      expect(made).toBeLessThanOrEqual(5);
      await create(authorization, 1).expect(400);
    });

    it('without permissions that are left behind', async () => {
      const limited = await client.createApp(owner, { _configs: { 'workspaces.limit': '0' } });
      const authorization = await asApp(app, limited);
      await create(authorization, 1).expect(400);
      expect(await app.grants.namespacesOf({ _type: 'app', _id: limited.id })).toEqual([limited.namespace]);
    });
  });
});
