import { beforeAll, describe, expect, it } from '@jest/globals';
import { newUser } from './page-client.js';
import { REDIRECT_URI, useApp } from './start-app.js';
import { asApp, asUser, codeFor, redeem, requestToken } from './tokens.js';

const APPS = '/passportsvc/api/v1/apps';
const USERS = '/passportsvc/api/v1/scim/Users';
type User = Awaited<ReturnType<typeof newUser>>;

describe('apps', () => {
  const app = useApp();
  let trusted: string;
  let second: string;
  let owner: User;
  let stranger: User;
  /** A user of the second organization. */
  let foreigner: User;

  const body = (more: object = {}) => ({
    _name: `App ${Math.random()}`,
    _appOwner: owner.userName,
    _orgId: app.orgId,
    _redirectUris: 'https://app.test/callback, com.example.app://signed-in',
    ...more,
  });
  const create = (authorization: string, more: object = {}) => app.send('post', `${APPS}/`, authorization, body(more));
  const get = (authorization: string, id: string) => app.send('get', `${APPS}/${id}`, authorization);

  beforeAll(async () => {
    trusted = await asApp(app);
    second = await asApp(app, { id: app.dev.second.appId, secret: app.dev.second.appSecret });
    [owner, stranger] = [await newUser(app), await newUser(app)];
    foreigner = await newUser(app, {}, second);
  });

  it('creates an app with a working secret that is shown once', async () => {
    const _configs = { 'workspaces.limit': '3' };
    const { body: made, headers } = await create(trusted, { _name: 'Tower', _userType: 'viewer', _configs }).expect(
      201,
    );
    expect(made).toEqual({
      _id: expect.stringMatching(/^[0-9a-f]{24}$/),
      _name: 'Tower',
      _shortName: 'Tower',
      _userType: 'viewer',
      _orgId: app.orgId,
      _authorizedGrantTypes: 'authorization_code,refresh_token,client_credentials',
      _redirectUris: 'https://app.test/callback, com.example.app://signed-in',
      _namespaces: [expect.stringMatching(/^Tower_[a-z0-9]{8}$/)],
      _whitelistedApps: [],
      _configs,
      _metadata: { _createdAt: expect.any(Number), _updatedAt: expect.any(Number), _updatedById: app.trusted.id },
      _secret: expect.any(String),
    });
    expect(headers).toMatchObject({ location: `${APPS}/${made._id}`, 'cache-control': 'no-store' });
    const { _secret: secret, _configs: _withConfigs, ...rest } = made;
    const shown = await get(trusted, made._id).expect(200);
    expect([shown.body, shown.headers.etag]).toEqual([rest, expect.any(String)]);
    const withConfigs = await get(trusted, made._id).query({ withConfigs: 'true' }).expect(200);
    expect(withConfigs.body._configs).toEqual(_configs);
    await requestToken(app, { grant_type: 'client_credentials' }, { id: made._id, secret }).expect(200);
  });

  it('redirects to the private-use scheme of a mobile app', async () => {
    const response = await create(trusted, {
      _redirectUris: 'com.example.app://signed-in,http://127.0.0.1:9/callback',
    }).expect(201);
    const { _id: id, _secret: secret } = response.body;
    const code = await codeFor(app, { client_id: id }, undefined, owner);
    await redeem(app, code, {}, { id, secret }).expect(200);
  });

  it('grants an app everything in its namespace, and its owner everything on the app', async () => {
    const { _id, _namespaces } = (await create(trusted).expect(201)).body;
    const ofApp = await app.grants.grantsOf({ _type: 'app', _id }, _namespaces[0]);
    expect(ofApp).toEqual([{ _irn: '*:*:*', _actions: ['*'] }]);
    const users = app.deps.mongo.db.collection('users');
    const ownerId = String((await users.findOne({ userName: owner.userName }))!._id);
    const ofOwner = await app.grants.grantsOf({ _type: 'user', _id: ownerId }, _namespaces[0]);
    expect(ofOwner).toEqual([{ _irn: `passportsvc:app:${_id}`, _actions: ['*'] }]);
  });

  it('shows an app to itself, its owner, apps of its organization, administrators and trusted clients', async () => {
    const { _id: id, _secret: secret } = (await create(trusted, { _redirectUris: REDIRECT_URI }).expect(201)).body;
    const sibling = (await create(trusted).expect(201)).body;
    const viewers = [
      trusted,
      await asApp(app, { id, secret }),
      await asApp(app, { id: sibling._id, secret: sibling._secret }),
      await asUser(app),
      await asUser(app, owner),
    ];
    for (const authorization of viewers) await get(authorization, id).expect(200);
    await get(await asUser(app, stranger), id).expect(404);
    await get(trusted, '%00').expect(404);
  });

  it('lets apps create apps in their own organization, and administrators anywhere', async () => {
    await create(second, { _orgId: app.dev.second.orgId, _appOwner: foreigner.userName }).expect(201);
    await create(second).expect(403);
    await create(await asUser(app)).expect(201);
    await create(await asUser(app, stranger)).expect(403);
  });

  it('assigns the owner by address within the organization only', async () => {
    const address = 'shared@platform.test';
    const emails = [{ value: address, primary: true }];
    const mine = { userName: 'boss', emails, password: 'the password of the boss' };
    const theirs = { userName: address, password: 'the password of somebody else' };
    await app.send('post', USERS, trusted, mine).expect(201);
    await app.send('post', USERS, second, theirs).expect(201);
    const { body: made } = await create(trusted, { _appOwner: address }).expect(201);
    await get(await asUser(app, mine), made._id).expect(200);
    await get(await asUser(app, theirs), made._id).expect(404);
  });

  it('rejects an owner of another organization exactly like an unknown address', async () => {
    const messageOf = async (authorization: string, _orgId: string, _appOwner: string) => {
      const { body: error } = await create(authorization, { _orgId, _appOwner }).expect(400);
      const { requestId, ...rest } = error;
      return rest;
    };
    const admin = await asUser(app);
    const { orgId: secondOrg } = app.dev.second;
    const unknown = await messageOf(trusted, app.orgId, 'nobody@platform.test');
    expect(unknown.code).toBe('UNKNOWN_OWNER');
    for (const [caller, orgId, address] of [
      [second, secondOrg, owner.userName],
      [second, secondOrg, app.admin.userName],
      [second, secondOrg, 'nobody@platform.test'],
      [trusted, app.orgId, foreigner.userName],
      [trusted, secondOrg, owner.userName],
      [admin, app.orgId, foreigner.userName],
      [admin, secondOrg, app.admin.userName],
    ] as const) {
      expect(await messageOf(caller, orgId, address)).toEqual(unknown);
    }
    await create(trusted, { _orgId: secondOrg, _appOwner: foreigner.userName }).expect(201);
    await create(admin, { _orgId: secondOrg, _appOwner: foreigner.userName.toUpperCase() }).expect(201);
  });

  it('rejects a taken short name, also under concurrent requests', async () => {
    await create(trusted, { _name: 'Unique' }).expect(201);
    const taken = await create(trusted, { _name: 'Other', _shortName: 'Unique' }).expect(400);
    expect(taken.body.code).toBe('SHORT_NAME_TAKEN');
    const responses = await Promise.all(Array.from({ length: 4 }, () => create(trusted, { _name: 'Raced' })));
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 400, 400, 400]);
  });

  it.each([
    ['_name', { _name: 'a\0b' }],
    ['_appOwner', { _appOwner: undefined }],
    ['_redirectUris', { _redirectUris: '' }],
    ['_redirectUris', { _redirectUris: 'http://app.test/cb' }],
    ['_configs', { _configs: { 'workspaces.limit': 'many' } }],
  ])('rejects an invalid %s', async (field, more) => {
    const { body: error } = await create(trusted, more).expect(400);
    expect(error).toMatchObject({
      code: 'BAD_REQUEST',
      errors: [{ location: expect.stringContaining(`body.${field}`) }],
    });
  });

  it('creates an app once per idempotency key, without repeating the secret', async () => {
    const wanted = body();
    const send = () => app.send('post', APPS, trusted, wanted).set({ 'idempotency-key': 'once' });
    const first = await send().expect(201);
    const again = await send().expect(201);
    expect(again.body).toEqual({ ...first.body, _secret: undefined });
  });

  it('rejects an unknown organization', async () => {
    expect((await create(trusted, { _orgId: 'nowhere' }).expect(400)).body.code).toBe('UNKNOWN_ORGANIZATION');
  });

  it('ignores internal fields of a new app', async () => {
    const sent = { _trusted: true, _namespaces: ['stolen'], _id: 'mine' };
    const { _id: id, _secret: secret, _namespaces } = (await create(trusted, sent).expect(201)).body;
    expect(_namespaces).not.toContain('stolen');
    await create(await asApp(app, { id, secret }), { _orgId: app.dev.second.orgId }).expect(403);
  });
});
