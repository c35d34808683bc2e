import { beforeAll, describe, expect, it } from '@jest/globals';
import { appClient, APPS } from './app-client.js';
import type { AppClient, TestUser } from './app-client.js';
import { useApp } from './start-app.js';
import { asApp, asUser } from './tokens.js';

describe('lists of apps', () => {
  const app = useApp();
  let client: AppClient;
  let owner: TestUser;
  let olga: string;

  const list = (authorization: string, query: object = {}) => app.send('get', APPS, authorization).query(query);
  const names = async (authorization: string, query: object = {}) =>
    (await list(authorization, query).expect(200)).body._list.map(({ _name }: { _name: string }) => _name);

  beforeAll(async () => {
    client = await appClient(app);
    owner = await client.createUser('olga');
    olga = await client.signIn(owner);
    await client.createApp(owner, { _name: 'North Tower', _shortName: 'nt', _userType: 'viewer' });
    await client.createApp(owner, { _name: 'South Tower', _shortName: 'st', _userType: 'viewer' });
    await client.createApp(owner, { _name: 'Bridge (old)', _shortName: 'b', _configs: { 'workspaces.limit': '1' } });
  });

  it.each([
    [{}, ['North Tower', 'South Tower', 'Bridge (old)']],
    [{ _name: ['North Tower', 'Bridge (old)'] }, ['North Tower', 'Bridge (old)']],
    [{ _userType: 'viewer', _shortName: 'st' }, ['South Tower']],
    [{ _orgId: 'platform-org', _shortName: 'b' }, ['Bridge (old)']],
    [{ _orgId: 'second-org' }, []],
    [{ query: 'tower' }, ['North Tower', 'South Tower']],
    [{ query: 'st' }, ['South Tower']],
    [{ _offset: 1, _pageSize: 1 }, ['South Tower']],
  ])('finds by %j', async (query, expected) => {
    expect(await names(olga, query)).toEqual(expected);
  });

  it('shows neither secrets nor configurations', async () => {
    const [listed] = (await list(olga, { _shortName: 'b' }).expect(200)).body._list;
    const names =
      '_authorizedGrantTypes _id _metadata _name _namespaces _orgId _redirectUris _shortName _whitelistedApps';
    expect(Object.keys(listed as object).toSorted()).toEqual(names.split(' '));
  });

  it('shows users what is shared with them, and nothing else', async () => {
    const ben = await client.signIn(await client.createUser('ben'));
    expect(await names(ben)).toEqual([]);
    const { id, namespace } = await client.createApp(owner, { _name: 'Shared' });
    await app.grants.allow(client.subjectOf(ben), namespace, `passportsvc:app:${id}`, ['READ']);
    expect(await names(ben)).toEqual(['Shared']);
    await app.grants.revoke(client.subjectOf(ben), namespace);
    expect(await names(ben)).toEqual([]);
  });

  it('shows apps those of their organization', async () => {
    const { id, secret } = await client.createApp(owner, { _name: 'Sibling' });
    const sibling = await asApp(app, { id, secret });
    expect(await names(sibling)).toEqual(expect.arrayContaining(['Sibling', 'North Tower']));
    expect(await names(sibling, { _orgId: app.dev.second.orgId })).toEqual([]);
    expect(await names(client.second)).toEqual(['Second organization']);
    expect(await names(client.second, { _orgId: app.orgId })).toEqual([]);
  });

  it('shows administrators and trusted clients all apps', async () => {
    for (const authorization of [client.trusted, await asUser(app)]) {
      expect(await names(authorization)).toEqual(expect.arrayContaining(['North Tower', 'Second organization']));
      expect(await names(authorization, { _orgId: app.dev.second.orgId })).toEqual(['Second organization']);
    }
  });
});
