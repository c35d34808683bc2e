import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@dtplatform/testing';
import { createAppStore } from '../src/directory/apps/apps.store.js';
import { createVersions } from '../src/oauth/token/versions.store.js';
import { appClient, APPS } from './app-client.js';
import type { AppClient } from './app-client.js';
import { REDIRECT_URI, useApp } from './start-app.js';
import type { TestApp } from './start-app.js';
import { asApp, asUser, authorizeUrl, requestToken } from './tokens.js';

const app = useApp();
let client: AppClient;
let olga: string;
let admin: string;

const configsOf = (id: string) => `${APPS}/${id}/configs`;
const putConfigs = (id: string, body: object) => app.send('put', configsOf(id), olga, body);
const patchConfigs = (id: string, body: object) => app.send('patch', configsOf(id), olga, body);

beforeAll(async () => {
  client = await appClient(app);
  ({ olga } = client);
  admin = await asUser(app);
});

describe('changes of apps', () => {
  const required = { _name: 'Renamed', _authorizedOrigins: 'https://app.test', _redirectUris: REDIRECT_URI };
  const put = (authorization: string, id: string, body: object) =>
    app.send('put', `${APPS}/${id}`, authorization, body);
  const get = (authorization: string, id: string) => app.send('get', `${APPS}/${id}`, authorization);

  it('returns the changed app and ignores fields that are fixed', async () => {
    const { id, body: before } = await client.createApp({ _userType: 'viewer' });
    const change = {
      ...required,
      ...{ _userType: 'editor', _whitelistedApps: ['some-app'], _loginTheme: 'dark', _home: 'https://app.test/home' },
      _authorizedGrantTypes: 'authorization_code, implicit',
    };
    const fixed = { _shortName: 'x', _orgId: 'x', _namespaces: ['x'], _ownerId: 'x', stray: 1 };
    const sent = put(olga, id, { ...change, ...fixed }).set('if-match', '"0"');
    const { body: after, headers } = await sent.expect(200);
    const { _secret, _configs, ...unchanged } = before;
    const { _createdAt } = before._metadata as { _createdAt: number };
    const _metadata = { _createdAt, _updatedAt: expect.any(Number), _updatedById: client.owner.id };
    expect([after, headers.etag]).toEqual([{ ...unchanged, ...change, _metadata }, '"1"']);
    expect((await get(olga, id).expect(200)).body).toEqual(after);
    await put(olga, id, required).set('if-match', '"0"').expect(412);
  });

  it('keeps absent fields and clears empty ones', async () => {
    const { id } = await client.createApp({ _userType: 'viewer', _whitelistedApps: ['one'] });
    const sent = { ...required, _home: 'https://app.test/', _loginTheme: 'dark' };
    const first = (await put(olga, id, sent).expect(200)).body;
    expect((await put(olga, id, required).expect(200)).body).toEqual({ ...first, _metadata: expect.anything() });
    const cleared = (await put(olga, id, { ...required, _home: '', _authorizedOrigins: '' }).expect(200)).body;
    expect(cleared).toMatchObject({ _home: '', _authorizedOrigins: '', _loginTheme: 'dark' });
  });

  it('rejects a list without a redirect URI and changes nothing', async () => {
    const { id } = await client.createApp();
    const { body } = await put(olga, id, { ...required, _redirectUris: ',' }).expect(400);
    expect(body.errors[0].location).toBe('body._redirectUris');
    expect((await get(olga, id).expect(200)).headers.etag).toBe('"0"');
  });

  it('takes effect at once in every process', async () => {
    const { id, secret } = await client.createApp();
    const processes = [app, await app.startInstance()];
    const statusAt = async (api: TestApp['api'], redirectUri: string) => {
      const { pathname, search } = authorizeUrl(app, { client_id: id, redirect_uri: redirectUri });
      return (await api.get(pathname + search)).status;
    };
    const ask = (api: TestApp['api']) => requestToken({ api }, { grant_type: 'client_credentials' }, { id, secret });
    const statuses = (redirectUri: string) => Promise.all(processes.map(({ api }) => statusAt(api, redirectUri)));
    for (const [before, next] of [
      [REDIRECT_URI, 'https://app.test/1'],
      ['https://app.test/1', 'https://app.test/2'],
    ] as const) {
      // The first call of a process begins a version, the second caches.
      for (let n = 0; n < 3; n++) expect(await statuses(before)).toEqual([303, 303]);
      await put(olga, id, { ...required, _redirectUris: next }).expect(200);
      expect(await statuses(next)).toEqual([303, 303]);
      expect(await statuses(before)).toEqual([400, 400]);
    }
    for (let n = 0; n < 3; n++) for (const { api } of processes) await ask(api).expect(200);
    await app.send('delete', `${APPS}/${id}`, olga).expect(204);
    for (const { api } of processes) expect((await ask(api)).body.error).toBe('invalid_client');
    expect(await app.deps.redis.client.keys(`passport:version:app:${id}`)).toEqual([]);
  });

  describe('the secret of an app', () => {
    const replace = (id: string, body: object = {}, by = olga) => app.send('post', `${APPS}/${id}/secret`, by, body);
    const asks = async (id: string, secret: string) =>
      (await requestToken(app, { grant_type: 'client_credentials' }, { id, secret })).status;

    it('is replaced at once, or after a time', async () => {
      const { id, secret } = await client.createApp();
      const first = await replace(id, { _previousValidForSec: 3600 }).expect(200);
      expect(first.body).toMatchObject({ _id: id, _secret: expect.any(String) });
      expect(first.body._previousSecretExpiresAt).toBeGreaterThan(Date.now() + 3_500_000);
      expect(await Promise.all([secret, first.body._secret, 'other'].map((one) => asks(id, one)))).toEqual([
        200, 200, 403,
      ]);
      const second = await replace(id).expect(200);
      expect(second.body).not.toHaveProperty('_previousSecretExpiresAt');
      const all = [secret, first.body._secret, second.body._secret];
      expect(await Promise.all(all.map((one) => asks(id, one)))).toEqual([403, 403, 200]);
    });

    it('expires, and ends tokens on request', async () => {
      const { id, secret } = await client.createApp();
      const old = await asApp(app, { id, secret });
      await replace(id, { _previousValidForSec: 1 }).expect(200);
      await eventually(async () => expect(await asks(id, secret)).toBe(403));
      expect((await app.send('get', `${APPS}/${id}`, old)).status).toBe(200);
      await replace(id, { _endTokens: true }).expect(200);
      expect((await app.send('get', `${APPS}/${id}`, old)).status).toBe(401);
    });

    it('is not replaced for the service client, or longer than a week', async () => {
      const { id } = await client.createApp();
      await replace(app.env.SERVICE_CLIENT_ID!, {}, admin).expect(409);
      for (const used of ['console', app.env.SERVICE_CLIENT_ID!])
        await app.send('delete', `${APPS}/${used}`, admin).expect(409);
      const elsewhere = { _name: 'Console', _authorizedOrigins: '', _redirectUris: 'https://elsewhere.example/' };
      await app.send('put', `${APPS}/console`, admin, elsewhere).expect(409);
      const distrusted = { ...elsewhere, _trusted: false };
      await app.send('put', `${APPS}/${app.env.SERVICE_CLIENT_ID!}`, admin, distrusted).expect(409);
      for (const body of [{ _previousValidForSec: 700_000 }, { _previousValidForSec: 1, _endTokens: true }])
        await replace(id, body).expect(400);
      const key = { 'idempotency-key': 'once' };
      const [one, repeated] = [await replace(id).set(key), await replace(id).set(key).expect(200)];
      expect(one.body).toEqual({ ...repeated.body, _secret: expect.any(String) });
    });
  });

  describe('of a trusted app', () => {
    it('rejects its owner, its own tokens and holders of permissions', async () => {
      const made = await client.createApp();
      const { id, namespace } = made;
      const eve = await client.signIn();
      await app.grants.allow(eve.id, namespace, `passportsvc:app:${id}`, ['*']);
      const own = await asApp(app, made);
      await put(admin, id, { ...required, _trusted: true }).expect(200);
      const changes = (authorization: string) => [
        put(authorization, id, { ...required, _redirectUris: 'https://evil.example/cb' }),
        put(authorization, id, required),
        put(authorization, id, { ...required, _trusted: false }),
        app.send('delete', `${APPS}/${id}`, authorization),
        app.send('put', configsOf(id), authorization, { 'workspaces.limit': '1' }),
        app.send('patch', configsOf(id), authorization, { 'workspaces.limit': '1' }),
        app.send('delete', configsOf(id), authorization),
      ];
      for (const caller of [olga, eve.authorization, own]) {
        for (const change of changes(caller)) expect((await change.expect(403)).body.code).toBe('TRUSTED_APP');
      }
      expect((await get(olga, id).expect(200)).body._redirectUris).toBe(REDIRECT_URI);
      for (const caller of [client.trusted, admin]) await put(caller, id, required).expect(200);
      await app.send('delete', `${APPS}/${id}`, admin).expect(204);
    });

    it('rejects an app that becomes trusted between the check and the write', async () => {
      const { id } = await client.createApp();
      const store = createAppStore(app.mongo, createVersions(app.deps.redis));
      const write = { byId: 'olga', precondition: undefined, onlyUntrusted: true };
      await put(admin, id, { ...required, _trusted: true }).expect(200);
      expect(await store.update(id, { _redirectUris: 'https://evil.example/cb' }, write)).toBeUndefined();
      expect(await store.changeConfigs(id, () => ({}), write)).toBeUndefined();
      expect(await store.remove(id, write, () => Promise.resolve())).toBeUndefined();
    });
  });

  describe('of _trusted', () => {
    it('are limited to administrators, and reject the tokens that the app received as a trusted one', async () => {
      const made = await client.createApp();
      for (const caller of [olga, await asApp(app, made), client.trusted]) {
        for (const _trusted of [true, false]) {
          const { body } = await put(caller, made.id, { ...required, _trusted }).expect(403);
          expect(body.code).toBe('ONLY_ADMINISTRATORS');
        }
      }
      const { body } = await put(admin, made.id, { ...required, _trusted: true }).expect(200);
      expect(body).not.toHaveProperty('_trusted');
      const token = await asApp(app, made);
      await app.send('get', `${APPS}/origins`, token).expect(200);
      await put(admin, made.id, { ...required, _trusted: false }).expect(200);
      await get(token, made.id).expect(401);
    });
  });
});

describe('configurations of apps', () => {
  const get = (id: string) => app.send('get', configsOf(id), olga);

  it('are replaced, patched and cleared on the expected revision of their app', async () => {
    const { id } = await client.createApp();
    expect((await get(id).expect(200)).body).toEqual({});
    const replaced = await putConfigs(id, { 'workspaces.limit': '3' }).set('if-match', '"0"').expect(200);
    expect([replaced.body, replaced.headers.etag]).toEqual([{ 'workspaces.limit': '3' }, '"1"']);
    await patchConfigs(id, {}).set('if-match', '"0"').expect(412);
    const both = { 'workspaces.limit': '3', 'usergroups.limit': '5' };
    expect((await patchConfigs(id, { 'usergroups.limit': 5 }).expect(200)).body).toEqual(both);
    for (const write of [putConfigs, patchConfigs]) {
      const { body } = await write(id, { 'workspaces.limit': 1.5 }).expect(400);
      expect(body.errors[0].location).toBe('body.workspaces.limit');
    }
    const shown = await app.send('get', `${APPS}/${id}?withConfigs=true`, olga);
    expect([shown.body._configs, shown.headers.etag]).toEqual([both, '"2"']);
    expect((await putConfigs(id, { 'usergroups.limit': '0' }).expect(200)).body).toEqual({ 'usergroups.limit': '0' });
    for (let n = 0; n < 2; n++) await app.send('delete', configsOf(id), olga).expect(204);
    expect((await get(id).expect(200)).body).toEqual({});
  });

  it('keep concurrent changes of different keys', async () => {
    const { id } = await client.createApp();
    const changes = [{ 'usergroups.limit': '1' }, { 'workspaces.limit': '2' }];
    await Promise.all(changes.map((change) => patchConfigs(id, change).expect(200)));
    expect((await get(id).expect(200)).body).toEqual({ 'usergroups.limit': '1', 'workspaces.limit': '2' });
  });
});

describe('limits of workspaces', () => {
  const create = (authorization: string, count: number) => {
    const workspaces = Array.from({ length: count }, () => ({}));
    return app.send('post', '/passportsvc/api/v1/workspaces', authorization, workspaces);
  };

  it('apply as soon as they are set, and end as soon as they are cleared', async () => {
    const limited = await client.createApp();
    const authorization = await asApp(app, limited);
    await create(authorization, 3).expect(201);
    await putConfigs(limited.id, { 'workspaces.limit': '4' }).expect(200);
    const { body } = await create(authorization, 2).expect(400);
    expect(body).toMatchObject({ code: 'WORKSPACES_LIMIT', message: expect.stringContaining('workspaces.limit') });
    await create(authorization, 1).expect(201);
    await create(authorization, 1).expect(400);
    await create(authorization, 0).expect(201);
    await app.send('delete', configsOf(limited.id), olga).expect(204);
    await create(authorization, 1).expect(201);
  });

  it('limit the app itself and its users, and a rejected call leaves no permissions and no new revision', async () => {
    const limited = await client.createApp({ _configs: { 'workspaces.limit': '0' } });
    await create(await asApp(app, limited), 1).expect(400);
    await create(await asUser(app, client.owner, limited), 1).expect(400);
    await create(olga, 1).expect(201);
    expect(await app.grants.namespacesOf({ _type: 'app', _id: limited.id })).toEqual([limited.namespace]);
    expect((await app.send('get', `${APPS}/${limited.id}`, olga)).headers.etag).toBe('"0"');
  });

  it('hold under concurrent creation and while they change', async () => {
    const limited = await client.createApp({ _configs: { 'workspaces.limit': '5' } });
    const authorization = await asApp(app, limited);
    const responses = await Promise.all([
      ...Array.from({ length: 8 }, () => create(authorization, 1)),
      putConfigs(limited.id, { 'workspaces.limit': '3' }),
    ]);
    expect(responses.filter(({ status }) => status >= 500).map(({ body }) => body)).toEqual([]);
    const made = responses.filter(({ status }) => status === 201).length;
    expect(made).toBeGreaterThanOrEqual(3);
    expect(made).toBeLessThanOrEqual(5);
    await create(authorization, 1).expect(400);
  });
});
