import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp } from './start-app.js';
import type { TestApp } from './start-app.js';
import { asApp, asUser, codeFor, redeem, requestToken } from './tokens.js';

const APPS = '/passportsvc/api/v1/apps';
const USERS = '/passportsvc/api/v1/scim/Users';

const BAD_REDIRECT_URIS = [
  'view-source:https://app.test',
  'ws://app.test/cb',
  'wss://app.test/cb',
  'ftp://app.test/cb',
  'mailto:a@app.test',
  'tel:123',
  'data:text/html,x',
  'blob:https://app.test/1',
  'intent://app.test#Intent;end',
  'myapp://signed-in',
  'localhost:3000/cb',
  'https:app.test/cb',
  'https:///app.test/cb',
  'https://',
  'https://user@app.test/cb',
  'https://user:pw@app.test/cb',
  'https://@app.test/cb',
  'com.example.app://user@host/cb',
  'http://app.test/cb',
  'http://localhost.app.test/cb',
  'http://127.0.0.1.app.test/cb',
  'http://0.0.0.0/cb',
  'http://10.0.0.1/cb',
  'http://[::2]/cb',
  'https://app.test/cb#',
  'https://app.test/c b',
  'https://app.test\\@evil.test/cb',
  'https://app.test/cb\0',
  'https://app.test/\tcb',
  'https://app.test/cb%00',
  'https://app.test/cb%0d%0aa',
  'https://app.test/cb\n',
  'https://app.test/\u00a0cb',
  'https://app.test/cb,ws://app.test',
  'com.example.app:',
  'app.example.com:3000/cb',
  'www.example.com:443?a=b',
  'app.example.com:3000',
];

describe('applications', () => {
  let app: TestApp;
  let trusted: string;
  let second: string;
  const owner = { userName: 'Owner@platform.test', password: 'the password of the owner' };
  const stranger = { userName: 'stranger@platform.test', password: 'the password of a stranger' };

  /** A user of the second organization. */
  const foreigner = { userName: 'foreigner@second.test', password: 'the password of a foreigner' };

  const body = (more: object = {}) => ({
    _name: `App ${Math.random()}`,
    _appOwner: owner.userName,
    _orgId: app.orgId,
    _redirectUris: 'https://app.test/callback, com.example.app://signed-in',
    ...more,
  });
  const create = (authorization: string, more: object = {}) =>
    app.api.post(`${APPS}/`).set({ authorization }).send(body(more));
  const get = (authorization: string, id: string) => app.api.get(`${APPS}/${id}`).set({ authorization });

  beforeAll(async () => {
    app = await startApp();
    trusted = await asApp(app);
    second = await asApp(app, { id: app.dev.second.appId, secret: app.dev.second.appSecret });
    for (const user of [owner, stranger]) {
      await app.api.post(USERS).set({ authorization: trusted }).send(user).expect(201);
    }
    await app.api.post(USERS).set({ authorization: second }).send(foreigner).expect(201);
  });
  afterAll(() => app.stop());

  it('are created with a working secret that is shown once', async () => {
    const response = await create(trusted, {
      _name: 'Tower',
      _userType: 'viewer',
      _configs: { 'workspaces.limit': '3' },
    }).expect(201);
    expect(response.body).toEqual({
      _id: expect.stringMatching(/^[0-9a-f]{24}$/),
      _name: 'Tower',
      _shortName: 'Tower',
      _userType: 'viewer',
      _orgId: app.orgId,
      _authorizedGrantTypes: 'authorization_code,refresh_token,client_credentials',
      _redirectUris: 'https://app.test/callback, com.example.app://signed-in',
      _namespaces: [expect.stringMatching(/^Tower_[a-z0-9]{8}$/)],
      _whitelistedApps: [],
      _configs: { 'workspaces.limit': '3' },
      _metadata: { _createdAt: expect.any(Number), _updatedAt: expect.any(Number), _updatedById: app.trusted.id },
      _secret: expect.any(String),
    });
    expect(response.headers.location).toBe(`${APPS}/${response.body._id}`);
    expect(response.headers['cache-control']).toBe('no-store');

    const shown = await get(trusted, response.body._id).expect(200);
    const { _secret: secret, _configs: _withConfigs, ...rest } = response.body;
    expect(shown.body).toEqual(rest);
    expect(shown.headers.etag).toEqual(expect.any(String));
    const withConfigs = await get(trusted, response.body._id).query({ withConfigs: 'true' }).expect(200);
    expect(withConfigs.body._configs).toEqual({ 'workspaces.limit': '3' });

    const credentials = { id: response.body._id as string, secret: secret as string };
    await requestToken(app, { grant_type: 'client_credentials' }, credentials).expect(200);
    const signIn = { client_id: credentials.id, redirect_uri: 'https://app.test/callback' };
    const browserCode = codeFor(app, signIn, undefined, owner);
    // The helper uses a redirect_uri that is not registered, so the sign-in must fail.
    await expect(browserCode).rejects.toThrow();
  });

  it('can be mobile apps with a custom URI scheme', async () => {
    const response = await create(trusted, {
      _redirectUris: 'com.example.app://signed-in,http://127.0.0.1:9/callback',
    }).expect(201);
    const { _id: id, _secret: secret } = response.body;
    const code = await codeFor(app, { client_id: id }, undefined, owner);
    await redeem(app, code, {}, { id, secret }).expect(200);
  });

  it('may do everything in their own namespace, and their owners everything with the app', async () => {
    const { _id, _namespaces } = (await create(trusted).expect(201)).body;
    const ofApp = await app.grants.grantsOf({ _type: 'app', _id }, _namespaces[0]);
    expect(ofApp).toEqual([{ _irn: '*:*:*', _actions: ['*'] }]);
    const users = app.deps.mongo.db.collection('users');
    const ownerId = String((await users.findOne({ userName: owner.userName }))!._id);
    const ofOwner = await app.grants.grantsOf({ _type: 'user', _id: ownerId }, _namespaces[0]);
    expect(ofOwner).toEqual([{ _irn: `passportsvc:app:${_id}`, _actions: ['*'] }]);
  });

  it('are visible to themselves, their owner, apps of their organization, administrators and trusted clients', async () => {
    const { _id: id, _secret: secret } = (
      await create(trusted, { _redirectUris: 'http://127.0.0.1:9/callback' }).expect(201)
    ).body;
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
    await get(second, id).expect(404);
    await get(trusted, 'no-such-app').expect(404);
    await get(trusted, '%00').expect(404);
    const missing = await get(second, 'no-such-app').expect(404);
    expect(missing.body).toMatchObject({ status: 404, code: 'NOT_FOUND', requestId: expect.any(String) });
  });

  it('can be created by apps in their own organization and by administrators, not by other users', async () => {
    await create(second, { _orgId: app.dev.second.orgId, _appOwner: foreigner.userName }).expect(201);
    await create(second).expect(403);
    await create(await asUser(app)).expect(201);
    await create(await asUser(app, stranger)).expect(403);
    await app.api.post(APPS).send(body()).expect(401);
  });

  it('are not assigned to a user of another organization with the same address as the owner', async () => {
    const address = 'shared@platform.test';
    const mine = {
      userName: 'boss',
      emails: [{ value: address, primary: true }],
      password: 'the password of the boss',
    };
    const theirs = { userName: address, password: 'the password of somebody else' };
    await app.api.post(USERS).set({ authorization: trusted }).send(mine).expect(201);
    await app.api.post(USERS).set({ authorization: second }).send(theirs).expect(201);
    const { body: made } = await create(trusted, { _appOwner: address }).expect(201);
    await get(await asUser(app, mine), made._id).expect(200);
    await get(await asUser(app, theirs), made._id).expect(404);
  });

  it('are refused with an owner of another organization, exactly as with an unknown address', async () => {
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

  it('have unique short names', async () => {
    await create(trusted, { _name: 'Unique' }).expect(201);
    const taken = await create(trusted, { _name: 'Other', _shortName: 'Unique' }).expect(400);
    expect(taken.body.code).toBe('SHORT_NAME_TAKEN');
    const responses = await Promise.all(Array.from({ length: 4 }, () => create(trusted, { _name: 'Raced' })));
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 400, 400, 400]);
  });

  it.each([
    ['_name', { _name: undefined }],
    ['_name', { _name: '  ' }],
    ['_name', { _name: 'a\0b' }],
    ['_shortName', { _shortName: 'a\0b' }],
    ['_userType', { _userType: 'a\0b' }],
    ['_appOwner', { _appOwner: undefined }],
    ['_redirectUris', { _redirectUris: '' }],
    ['_redirectUris', { _redirectUris: ',' }],
    ['_redirectUris', { _redirectUris: 'https://app.test/#fragment' }],
    ['_redirectUris', { _redirectUris: 'javascript:alert(1)' }],
    ['_redirectUris', { _redirectUris: '/relative' }],
    ...BAD_REDIRECT_URIS.map((_redirectUris) => ['_redirectUris', { _redirectUris }] as const),
    ['_orgId', { _orgId: undefined }],
    ['_whitelistedApps', { _whitelistedApps: 'x' }],
    ['_configs', { _configs: { unknown: '1' } }],
    ['_configs', { _configs: { 'workspaces.limit': 'many' } }],
  ])('are rejected with an invalid %s', async (field, more) => {
    const response = await create(trusted, more).expect(400);
    expect(response.body).toMatchObject({ status: 400, code: 'BAD_REQUEST' });
    expect(response.body.errors[0].location).toContain(`body.${field}`);
  });

  it('may redirect to hosts over https, to the own machine and to schemes with a dot', async () => {
    const _redirectUris = [
      'https://app.test:8443/a?b=c,https://localhost/cb',
      'http://localhost,http://localhost:3000/cb,http://127.0.0.1:9,http://127.9.9.9/cb,http://[::1]:51004/cb',
      'com.example.app:/cb,com.example.app://host/a%20b,net.example-1:cb,net.example:1cb',
    ].join(' , ');
    expect((await create(trusted, { _redirectUris }).expect(201)).body._redirectUris).toBe(_redirectUris);
  });

  it('are created once per idempotency key, and the secret is not repeated', async () => {
    const wanted = body();
    const send = () => app.api.post(APPS).set({ authorization: trusted, 'idempotency-key': 'once' }).send(wanted);
    const first = await send().expect(201);
    const again = await send().expect(201);
    expect(again.body).toEqual({ ...first.body, _secret: undefined });
  });

  it('are rejected when the owner or the organization does not exist', async () => {
    expect((await create(trusted, { _appOwner: 'nobody@platform.test' }).expect(400)).body.code).toBe('UNKNOWN_OWNER');
    expect((await create(trusted, { _orgId: 'nowhere' }).expect(400)).body.code).toBe('UNKNOWN_ORGANIZATION');
  });

  it('are created without unknown and internal fields', async () => {
    const response = await create(trusted, { stray: 1, _trusted: true, _namespaces: ['stolen'], _id: 'mine' }).expect(
      201,
    );
    expect(response.body._namespaces).not.toContain('stolen');
    const credentials = { id: response.body._id as string, secret: response.body._secret as string };
    const token = await asApp(app, credentials);
    await app.api.get(`${APPS}/${app.trusted.id}`).set({ authorization: token }).expect(200);
    await create(token, { _orgId: app.dev.second.orgId }).expect(403);
  });
});
