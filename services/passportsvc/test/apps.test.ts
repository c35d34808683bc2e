import { beforeAll, describe, expect, it } from '@jest/globals';
import { appClient, APPS } from './app-client.js';
import type { AppClient, TestUser } from './app-client.js';
import { newUser } from './page-client.js';
import { useApp } from './start-app.js';
import { actingFor, asApp, asUser, requestToken } from './tokens.js';

const API = '/passportsvc/api/v1';
const app = useApp();
let client: AppClient;
let admin: string;
/** A user of the second organization. */
let foreigner: TestUser;

beforeAll(async () => {
  client = await appClient(app);
  admin = await asUser(app);
  foreigner = await newUser(app, {}, client.second);
});

describe('apps', () => {
  const body = (more: object = {}) => ({
    _name: `App ${Math.random()}`,
    _appOwner: client.owner.userName,
    _orgId: app.orgId,
    _redirectUris: 'https://app.test/callback, com.example.app://signed-in',
    ...more,
  });
  const create = (authorization: string, more: object = {}) => app.send('post', `${APPS}/`, authorization, body(more));
  const get = (authorization: string, id: string) => app.send('get', `${APPS}/${id}`, authorization);

  it('creates an app with all permissions in its namespace and a working secret that is shown once', async () => {
    const _configs = { 'workspaces.limit': '3' };
    const wanted = { _name: 'Tower', _userType: 'viewer', _configs };
    const { body: made, headers } = await create(client.trusted, wanted).expect(201);
    expect(made).toEqual({
      _id: expect.stringMatching(/^[0-9a-f]{24}$/),
      _shortName: 'Tower',
      ...wanted,
      _orgId: app.orgId,
      _authorizedGrantTypes: 'authorization_code,refresh_token,client_credentials',
      _redirectUris: 'https://app.test/callback, com.example.app://signed-in',
      _namespaces: [expect.stringMatching(/^Tower_[a-z0-9]{8}$/)],
      _whitelistedApps: [],
      _metadata: { _createdAt: expect.any(Number), _updatedAt: expect.any(Number), _updatedById: app.trusted.id },
      _secret: expect.any(String),
    });
    expect(headers).toMatchObject({ location: `${APPS}/${made._id}`, 'cache-control': 'no-store' });
    const { _id, _secret: secret, _configs: _withConfigs, ...rest } = made;
    const shown = await get(client.trusted, _id).expect(200);
    expect([shown.body, shown.headers.etag]).toEqual([{ _id, ...rest }, expect.any(String)]);
    await requestToken(app, { grant_type: 'client_credentials' }, { id: _id, secret }).expect(200);
    const ofApp = await app.grants.grantsOf({ _type: 'app', _id }, made._namespaces[0]);
    expect(ofApp).toEqual([{ _irn: '*:*:*', _actions: ['*'] }]);
    const ofOwner = await app.grants.grantsOf({ _type: 'user', _id: client.owner.id }, made._namespaces[0]);
    expect(ofOwner).toEqual([{ _irn: `passportsvc:app:${_id}`, _actions: ['*'] }]);
  });

  it('shows an app to itself, its owner, apps of its organization, administrators and trusted clients', async () => {
    const [made, sibling] = [await client.createApp(), await client.createApp()];
    const viewers = [client.trusted, await asApp(app, made), await asApp(app, sibling), admin, client.olga];
    for (const authorization of viewers) await get(authorization, made.id).expect(200);
  });

  it('lets apps create apps in their own organization, and administrators anywhere', async () => {
    await create(client.second, { _orgId: app.second.orgId, _appOwner: foreigner.userName }).expect(201);
    const { body: organization } = await app.send('post', `${API}/organizations`, admin, { _name: ' Third ' });
    expect(organization).toMatchObject({ _name: 'Third' });
    for (const authorization of [admin, client.trusted]) {
      const { body: all } = await app.send('get', `${API}/organizations`, authorization).expect(200);
      expect(all).toMatchObject({ _total: 3, _list: expect.arrayContaining([organization]) });
    }
    await create(admin).expect(201);
    const unknown = await create(client.trusted, { _orgId: 'nowhere' }).expect(400);
    expect(unknown.body.code).toBe('UNKNOWN_ORGANIZATION');
  });

  it('assigns the owner by address within the organization only', async () => {
    const address = 'shared@platform.test';
    const mine = await newUser(app, { userName: 'boss', emails: [{ value: address, primary: true }] });
    const theirs = await newUser(app, { userName: address }, client.second);
    const { body: made } = await create(client.trusted, { _appOwner: address }).expect(201);
    await get(await actingFor(app, mine.id), made._id).expect(200);
    await get(await asUser(app, theirs), made._id).expect(404);
  });

  it('rejects an owner of another organization exactly like an unknown address', async () => {
    const messageOf = async (authorization: string, _orgId: string, _appOwner: string) => {
      const { requestId, ...rest } = (await create(authorization, { _orgId, _appOwner }).expect(400)).body;
      return rest as { code: string };
    };
    const { trusted, second, owner } = client;
    const { orgId } = app.second;
    const unknown = await messageOf(trusted, app.orgId, 'nobody@platform.test');
    expect(unknown.code).toBe('UNKNOWN_OWNER');
    for (const [caller, ofApp, address] of [
      [second, orgId, owner.userName],
      [second, orgId, app.admin.userName],
      [second, orgId, 'nobody@platform.test'],
      [trusted, app.orgId, foreigner.userName],
      [trusted, orgId, owner.userName],
      [admin, app.orgId, foreigner.userName],
      [admin, orgId, app.admin.userName],
    ] as const) {
      expect(await messageOf(caller, ofApp, address)).toEqual(unknown);
    }
    await create(trusted, { _orgId: orgId, _appOwner: foreigner.userName }).expect(201);
    await create(admin, { _orgId: orgId, _appOwner: foreigner.userName.toUpperCase() }).expect(201);
  });

  it('rejects a taken short name, also under concurrent requests', async () => {
    await create(client.trusted, { _name: 'Unique' }).expect(201);
    const taken = await create(client.trusted, { _name: 'Other', _shortName: 'Unique' }).expect(400);
    expect(taken.body.code).toBe('SHORT_NAME_TAKEN');
    const responses = await Promise.all(Array.from({ length: 4 }, () => create(client.trusted, { _name: 'Raced' })));
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 400, 400, 400]);
  });

  it('ignores internal fields of a new app', async () => {
    const sent = { _trusted: true, _namespaces: ['stolen'], _id: 'mine' };
    const { _id: id, _secret: secret, _namespaces } = (await create(client.trusted, sent).expect(201)).body;
    expect(_namespaces).not.toContain('stolen');
    await create(await asApp(app, { id, secret }), { _orgId: app.second.orgId }).expect(403);
  });

  it('creates an app once per idempotency key, without repeating the secret', async () => {
    const wanted = body();
    const send = () => app.send('post', APPS, client.trusted, wanted).set({ 'idempotency-key': 'once' }).expect(201);
    const first = await send();
    expect((await send()).body).toEqual({ ...first.body, _secret: undefined });
  });
});

describe('lists of apps', () => {
  const list = (authorization: string, query: object = {}) => app.send('get', APPS, authorization).query(query);
  const names = async (authorization: string, query: object = {}) =>
    (await list(authorization, query).expect(200)).body._list.map(({ _name }: { _name: string }) => _name);
  let olga: string;

  beforeAll(async () => {
    const { authorization, userName: _appOwner } = await client.signIn();
    olga = authorization;
    for (const wanted of [
      { _name: 'North Tower', _shortName: 'nt', _userType: 'viewer' },
      { _name: 'South Tower', _shortName: 'st', _userType: 'viewer' },
      { _name: 'Bridge (old)', _shortName: 'b', _configs: { 'workspaces.limit': '1' } },
    ])
      await client.createApp({ ...wanted, _appOwner });
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

  it('shows users what is shared with them, and nothing else', async () => {
    const ben = await client.signIn();
    expect(await names(ben.authorization)).toEqual([]);
    const { id, namespace } = await client.createApp({ _name: 'Shared' });
    await app.grants.allow(ben.id, namespace, `passportsvc:app:${id}`, ['READ']);
    expect(await names(ben.authorization)).toEqual(['Shared']);
    await app.grants.revoke(ben.id, namespace);
    expect(await names(ben.authorization)).toEqual([]);
  });

  it('shows apps those of their organization, administrators and trusted clients all apps', async () => {
    const sibling = await asApp(app, await client.createApp({ _name: 'Sibling' }));
    const { orgId } = app.second;
    expect(await names(sibling)).toEqual(expect.arrayContaining(['Sibling', 'North Tower']));
    expect(await names(sibling, { _orgId: orgId })).toEqual([]);
    for (const authorization of [client.trusted, admin]) {
      const all = await names(authorization, { _pageSize: 100 });
      expect(all).toEqual(expect.arrayContaining(['North Tower', 'Second organization']));
      expect(await names(authorization, { _orgId: orgId })).toContain('Second organization');
    }
  });
});
