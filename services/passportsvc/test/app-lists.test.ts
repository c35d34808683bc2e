import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { appClient, APPS } from './app-client.js';
import type { AppClient, TestUser } from './app-client.js';
import { startApp } from './start-app.js';
import type { TestApp } from './start-app.js';
import { asApp, asUser } from './tokens.js';

describe('lists of applications', () => {
  let app: TestApp;
  let client: AppClient;
  let owner: TestUser;
  let olga: string;

  const list = (authorization: string, query: object = {}) => app.api.get(APPS).set({ authorization }).query(query);
  const names = async (authorization: string, query: object = {}) =>
    (await list(authorization, query).expect(200)).body._list.map(({ _name }: { _name: string }) => _name);

  beforeAll(async () => {
    app = await startApp();
    client = await appClient(app);
    owner = await client.createUser('olga');
    olga = await client.signIn(owner);
    await client.createApp(owner, { _name: 'North Tower', _shortName: 'nt', _userType: 'viewer' });
    await client.createApp(owner, { _name: 'South Tower', _shortName: 'st', _userType: 'viewer' });
    await client.createApp(owner, { _name: 'Bridge (old)', _shortName: 'b', _configs: { 'workspaces.limit': '1' } });
  });
  afterAll(() => app.stop());

  it.each([
    [{}, ['North Tower', 'South Tower', 'Bridge (old)']],
    [{ _name: 'North Tower' }, ['North Tower']],
    [{ _name: ['North Tower', 'Bridge (old)'] }, ['North Tower', 'Bridge (old)']],
    [{ _userType: 'viewer', _shortName: 'st' }, ['South Tower']],
    [{ _orgId: 'platform-org', _shortName: 'b' }, ['Bridge (old)']],
    [{ _orgId: 'second-org' }, []],
    [{ query: 'tower' }, ['North Tower', 'South Tower']],
    [{ query: 'n*' }, ['North Tower']],
    [{ query: '?T' }, []],
    [{ query: 'st' }, ['South Tower']],
    [{ query: '(old)' }, ['Bridge (old)']],
    [{ query: '.*' }, []],
    [{ query: '*o*t*o*' }, ['North Tower', 'South Tower']],
    [{ _offset: 1, _pageSize: 1 }, ['South Tower']],
    [{ stray: '1' }, ['North Tower', 'South Tower', 'Bridge (old)']],
  ])('hold what matches %j', async (query, expected) => {
    expect(await names(olga, query)).toEqual(expected);
  });

  it('are paged', async () => {
    expect((await list(olga, { _pageSize: 2 }).expect(200)).body).toMatchObject({
      _offset: 0,
      _pageSize: 2,
      _total: 3,
    });
    expect((await list(olga, { _pageSize: 0 }).expect(200)).body).toMatchObject({ _total: 3, _list: [] });
    expect((await list(olga, { _pageSize: 5000 }).expect(200)).body._pageSize).toBe(1000);
    for (const bad of [{ _pageSize: 'x' }, { _offset: '-1' }, { query: 'x'.repeat(257) }, { query: 'a\0*' }])
      await list(olga, bad).expect(400);
    await app.api.get(APPS).expect(401);
  });

  it('show no secrets and no configurations', async () => {
    const { headers, body } = await list(olga, { _shortName: 'b' }).expect(200);
    expect(Object.keys(body._list[0] as object).toSorted()).toEqual([
      '_authorizedGrantTypes',
      '_id',
      '_metadata',
      '_name',
      '_namespaces',
      '_orgId',
      '_redirectUris',
      '_shortName',
      '_whitelistedApps',
    ]);
    expect(headers).not.toHaveProperty('etag');
  });

  it('of users hold what is shared with them, and nothing else', async () => {
    const ben = await client.signIn(await client.createUser('ben'));
    expect(await names(ben)).toEqual([]);
    const { id, namespace } = await client.createApp(owner, { _name: 'Shared' });
    await app.grants.allow(client.subjectOf(ben), namespace, `passportsvc:app:${id}`, ['READ']);
    expect(await names(ben)).toEqual(['Shared']);
    await app.grants.revoke(client.subjectOf(ben), namespace);
    expect(await names(ben)).toEqual([]);
  });

  it('of applications hold those of their organization', async () => {
    const { id, secret } = await client.createApp(owner, { _name: 'Sibling' });
    const sibling = await asApp(app, { id, secret });
    expect(await names(sibling)).toEqual(expect.arrayContaining(['Sibling', 'North Tower']));
    expect(await names(sibling, { _orgId: app.dev.second.orgId })).toEqual([]);
    expect(await names(client.second)).toEqual(['Second organization']);
    expect(await names(client.second, { _orgId: app.orgId })).toEqual([]);
  });

  it('of administrators and trusted clients hold all', async () => {
    for (const authorization of [client.trusted, await asUser(app)]) {
      expect(await names(authorization)).toEqual(expect.arrayContaining(['North Tower', 'Second organization']));
      expect(await names(authorization, { _orgId: app.dev.second.orgId })).toEqual(['Second organization']);
    }
  });

  it('of origins are for services of the platform', async () => {
    await app.api.get(`${APPS}/origins`).set({ authorization: olga }).expect(403);
    await app.api.get(`${APPS}/origins`).set({ authorization: client.second }).expect(403);
    await app.api.get(`${APPS}/origins`).set({ authorization: client.trusted }).expect(200);
  });
});
