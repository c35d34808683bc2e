import { beforeAll, describe, expect, it } from '@jest/globals';
import { appClient, APPS } from './app-client.js';
import type { AppClient, TestUser } from './app-client.js';
import { useApp } from './start-app.js';
import { asApp, asUser } from './tokens.js';

const WORKSPACES = '/passportsvc/api/v1/workspaces';

describe('configurations of apps', () => {
  const app = useApp();
  let client: AppClient;
  let owner: TestUser;
  let olga: string;

  const of = (id: string) => `${APPS}/${id}/configs`;
  const get = (authorization: string, id: string) => app.send('get', of(id), authorization);
  const put = (authorization: string, id: string, body: object) => app.send('put', of(id), authorization, body);
  const patch = (authorization: string, id: string, body: object) => app.send('patch', of(id), authorization, body);

  beforeAll(async () => {
    client = await appClient(app);
    owner = await client.createUser('olga');
    olga = await client.signIn(owner);
  });

  it('lists the keys', async () => {
    expect((await app.send('get', `${APPS}/configs`, olga).expect(200)).body).toEqual([
      { key: 'usergroups.limit', displayText: 'Maximum number of user groups' },
      { key: 'workspaces.limit', displayText: 'Maximum number of workspaces' },
    ]);
  });

  it('replaces, patches and clears a configuration on the expected revision of its app', async () => {
    const { id } = await client.createApp(owner);
    expect((await get(olga, id).expect(200)).body).toEqual({});
    const replaced = await put(olga, id, { 'workspaces.limit': '3' }).set('if-match', '"0"').expect(200);
    expect([replaced.body, replaced.headers.etag]).toEqual([{ 'workspaces.limit': '3' }, '"1"']);
    await patch(olga, id, {}).set('if-match', '"0"').expect(412);
    const both = { 'workspaces.limit': '3', 'usergroups.limit': '5' };
    expect((await patch(olga, id, { 'usergroups.limit': 5 }).expect(200)).body).toEqual(both);
    const shown = await app.send('get', `${APPS}/${id}?withConfigs=true`, olga);
    expect([shown.body._configs, shown.headers.etag]).toEqual([both, '"2"']);
    expect((await put(olga, id, { 'usergroups.limit': '0' }).expect(200)).body).toEqual({ 'usergroups.limit': '0' });
    for (let n = 0; n < 2; n++) await app.send('delete', of(id), olga).expect(204);
    expect((await get(olga, id).expect(200)).body).toEqual({});
  });

  it('rejects an invalid limit and changes nothing', async () => {
    const { id } = await client.createApp(owner, { _configs: { 'workspaces.limit': '3' } });
    for (const write of [put, patch]) {
      const { body } = await write(olga, id, { 'workspaces.limit': 1.5 }).expect(400);
      expect(body.errors[0].location).toBe('body.workspaces.limit');
    }
    expect((await get(olga, id).expect(200)).body).toEqual({ 'workspaces.limit': '3' });
  });

  it('keeps concurrent changes of different keys', async () => {
    const { id } = await client.createApp(owner);
    await Promise.all([
      patch(olga, id, { 'usergroups.limit': '1' }).expect(200),
      patch(olga, id, { 'workspaces.limit': '2' }).expect(200),
    ]);
    expect((await get(olga, id).expect(200)).body).toEqual({ 'usergroups.limit': '1', 'workspaces.limit': '2' });
  });

  describe('limits of workspaces', () => {
    const create = (authorization: string, count: number) =>
      app.send(
        'post',
        WORKSPACES,
        authorization,
        Array.from({ length: count }, () => ({})),
      );

    it('apply as soon as they are set, and end as soon as they are cleared', async () => {
      const limited = await client.createApp(owner);
      const authorization = await asApp(app, limited);
      await create(authorization, 3).expect(201);
      await put(olga, limited.id, { 'workspaces.limit': '4' }).expect(200);
      const { body } = await create(authorization, 2).expect(400);
      expect(body).toMatchObject({ code: 'WORKSPACES_LIMIT', message: expect.stringContaining('workspaces.limit') });
      await create(authorization, 1).expect(201);
      await create(authorization, 1).expect(400);
      await create(authorization, 0).expect(201);
      await app.send('delete', of(limited.id), olga).expect(204);
      await create(authorization, 1).expect(201);
    });

    it('bound the app itself and its users, and leave no permissions and no new revision', async () => {
      const limited = await client.createApp(owner, { _configs: { 'workspaces.limit': '0' } });
      await create(await asApp(app, limited), 1).expect(400);
      await create(await asUser(app, await client.withPassword(owner), limited), 1).expect(400);
      await create(olga, 1).expect(201);
      expect(await app.grants.namespacesOf({ _type: 'app', _id: limited.id })).toEqual([limited.namespace]);
      expect((await app.send('get', `${APPS}/${limited.id}`, olga)).headers.etag).toBe('"0"');
    });

    it('hold under concurrent creation and while they change', async () => {
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
  });
});
