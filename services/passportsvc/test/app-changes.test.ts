import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createAppStore } from '../src/directory/apps/apps.store.js';
import { createVersions } from '../src/oauth/token/versions.store.js';
import { appClient, APPS } from './app-client.js';
import type { AppClient, TestUser } from './app-client.js';
import { REDIRECT_URI, startApp } from './start-app.js';
import type { TestApp } from './start-app.js';
import { asApp, asUser, authorizeUrl, requestToken } from './tokens.js';

describe('changes of applications', () => {
  let app: TestApp;
  let client: AppClient;
  let owner: TestUser;
  let olga: string;
  let admin: string;

  const required = { _name: 'Renamed', _authorizedOrigins: 'https://app.test', _redirectUris: REDIRECT_URI };
  const put = (authorization: string, id: string, body: object) =>
    app.api.put(`${APPS}/${id}`).set({ authorization }).send(body);
  const get = (authorization: string, id: string) => app.api.get(`${APPS}/${id}`).set({ authorization });

  beforeAll(async () => {
    app = await startApp();
    client = await appClient(app);
    owner = await client.createUser('olga');
    olga = await client.signIn(owner);
    admin = await asUser(app);
  });
  afterAll(() => app.stop());

  it('answer with the application as it is then', async () => {
    const { id, body: before } = await client.createApp(owner, { _userType: 'viewer' });
    const change = {
      ...required,
      _userType: 'editor',
      _whitelistedApps: ['some-app'],
      _loginTheme: 'dark',
      _home: 'https://app.test/home',
      _authorizedGrantTypes: 'authorization_code, implicit',
      _shortName: 'ignored',
      _orgId: 'ignored',
      _namespaces: ['ignored'],
      _ownerId: 'ignored',
      stray: 1,
    };
    const { body: after, headers } = await put(olga, id, change).expect(200);
    const { _secret, _configs, ...unchanged } = before;
    expect(after).toEqual({
      ...unchanged,
      ...required,
      _userType: 'editor',
      _whitelistedApps: ['some-app'],
      _loginTheme: 'dark',
      _home: 'https://app.test/home',
      _authorizedGrantTypes: 'authorization_code, implicit',
      _metadata: {
        _createdAt: (before._metadata as { _createdAt: number })._createdAt,
        _updatedAt: expect.any(Number),
        _updatedById: client.subjectOf(olga),
      },
    });
    expect(headers.etag).toBe('"1"');
    expect((await get(olga, id).expect(200)).body).toEqual(after);
  });

  it('leave alone what is not sent', async () => {
    const { id } = await client.createApp(owner, { _userType: 'viewer', _whitelistedApps: ['one'] });
    const first = (await put(olga, id, { ...required, _home: 'https://app.test/', _loginTheme: 'dark' }).expect(200))
      .body;
    const second = (await put(olga, id, required).expect(200)).body;
    expect(second).toEqual({ ...first, _metadata: expect.anything() });
    const cleared = (await put(olga, id, { ...required, _home: '', _authorizedOrigins: '' }).expect(200)).body;
    expect(cleared).toMatchObject({ _home: '', _authorizedOrigins: '', _loginTheme: 'dark' });
  });

  it.each([
    ['_name', { _name: undefined }],
    ['_name', { _name: ' ' }],
    ['_name', { _name: 'x'.repeat(129) }],
    ['_name', { _name: 'a\0b' }],
    ['_authorizedOrigins', { _authorizedOrigins: undefined }],
    ['_authorizedOrigins', { _authorizedOrigins: 'https://app.test/path' }],
    ['_authorizedOrigins', { _authorizedOrigins: 'https://user@app.test' }],
    ['_authorizedOrigins', { _authorizedOrigins: 'https://*.test' }],
    ['_authorizedOrigins', { _authorizedOrigins: '*' }],
    ['_authorizedOrigins', { _authorizedOrigins: 'null' }],
    ['_authorizedOrigins', { _authorizedOrigins: 'javascript:alert(1)' }],
    ['_authorizedOrigins', { _authorizedOrigins: ['https://app.test'] }],
    ['_redirectUris', { _redirectUris: undefined }],
    ['_redirectUris', { _redirectUris: '' }],
    ['_redirectUris', { _redirectUris: 'javascript:alert(1)' }],
    ['_redirectUris', { _redirectUris: 'https://app.test/cb, https://user@app.test/cb' }],
    ['_authorizedOrigins', { _authorizedOrigins: 'https://app.test\0' }],
    ['_userType', { _userType: 'x'.repeat(129) }],
    ['_userType', { _userType: null }],
    ['_userType', { _userType: 'a\0b' }],
    ['_whitelistedApps', { _whitelistedApps: 'x' }],
    ['_loginTheme', { _loginTheme: '../dark' }],
    ['_home', { _home: 'javascript:alert(1)' }],
    ['_authorizedGrantTypes', { _authorizedGrantTypes: 'password' }],
    ['_authorizedGrantTypes', { _authorizedGrantTypes: '' }],
    ['_authorizedGrantTypes', { _authorizedGrantTypes: ['implicit'] }],
    ['_trusted', { _trusted: 'true' }],
  ])('refuse a bad %s: %j', async (field, change) => {
    const { id } = await client.createApp(owner);
    const { body } = await put(olga, id, { ...required, ...change }).expect(400);
    expect(body.errors[0].location).toMatch(new RegExp(`^body\\.${field}`));
    expect((await get(olga, id).expect(200)).headers.etag).toBe('"0"');
  });

  it('need EDIT, or to own the application', async () => {
    const { id, namespace, secret } = await client.createApp(owner);
    const irn = `passportsvc:app:${id}`;
    const ben = await client.signIn(await client.createUser('ben'));
    const benId = client.subjectOf(ben);
    await put(ben, id, required).expect(404);
    await app.grants.allow(benId, namespace, irn, ['READ']);
    await put(ben, id, required).expect(403);
    await app.grants.allow(benId, namespace, irn, ['DELETE']);
    await put(ben, id, required).expect(403);
    await app.grants.allow(benId, namespace, irn, ['EDIT']);
    await put(ben, id, required).expect(200);
    await put(admin, id, required).expect(200);
    await put(client.trusted, id, required).expect(200);
    await put(await asApp(app, { id, secret }), id, required).expect(200);
    const sibling = await client.createApp(owner);
    await put(await asApp(app, sibling), id, required).expect(403);
    await put(client.second, id, required).expect(404);
    await put(olga, 'no-such-app', required).expect(404);
    await app.api.put(`${APPS}/${id}`).send(required).expect(401);
  });

  it('are refused when somebody else was faster', async () => {
    const { id } = await client.createApp(owner);
    await put(olga, id, required).set('if-match', '"7"').expect(412);
    const responses = await Promise.all(
      Array.from({ length: 4 }, () => put(olga, id, required).set('if-match', '"0"')),
    );
    expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 412, 412, 412]);
  });

  it('decide which grants work', async () => {
    const { id, secret } = await client.createApp(owner);
    const asked = () => requestToken(app, { grant_type: 'client_credentials' }, { id, secret });
    await asked().expect(200);
    await put(olga, id, { ...required, _authorizedGrantTypes: 'authorization_code' }).expect(200);
    expect((await asked().expect(403)).body.error).toBe('unauthorized_client');
    await put(olga, id, { ...required, _authorizedGrantTypes: 'client_credentials' }).expect(200);
    await asked().expect(200);
  });

  it('hold at once, in every process', async () => {
    const { id, secret } = await client.createApp(owner);
    const replica = await app.startInstance();
    const processes = [app, replica];
    const statusAt = async (api: TestApp['api'], redirectUri: string) => {
      const { pathname, search } = authorizeUrl(app, { client_id: id, redirect_uri: redirectUri });
      return (await api.get(pathname + search)).status;
    };
    const ask = (api: TestApp['api']) => requestToken({ api }, { grant_type: 'client_credentials' }, { id, secret });
    const statuses = (call: (api: TestApp['api']) => Promise<number>) =>
      Promise.all(processes.map(({ api }) => call(api)));
    for (const [before, next] of [
      [REDIRECT_URI, 'https://app.test/1'],
      ['https://app.test/1', 'https://app.test/2'],
    ] as const) {
      // The first call of a process begins a version, the second one caches.
      for (let n = 0; n < 3; n++) expect(await statuses((api) => statusAt(api, before))).toEqual([303, 303]);
      await put(olga, id, { ...required, _redirectUris: next }).expect(200);
      expect(await statuses((api) => statusAt(api, next))).toEqual([303, 303]);
      expect(await statuses((api) => statusAt(api, before))).toEqual([400, 400]);
    }
    for (let n = 0; n < 3; n++) for (const { api } of processes) await ask(api).expect(200);
    await app.api.delete(`${APPS}/${id}`).set({ authorization: olga }).expect(204);
    for (const { api } of processes) expect((await ask(api)).body.error).toBe('invalid_client');
    expect(await app.deps.redis.client.keys(`passport:version:app:${id}`)).toEqual([]);
    await replica.stop();
  });

  describe('of a trusted application', () => {
    it('are for administrators and trusted clients, not for its owner, its own tokens or holders of permissions', async () => {
      const { id, namespace, secret } = await client.createApp(owner);
      const foreign = await client.createUser('eve');
      const eve = await client.signIn(foreign);
      await app.grants.allow(client.subjectOf(eve), namespace, `passportsvc:app:${id}`, ['*']);
      const own = await asApp(app, { id, secret });
      await put(admin, id, { ...required, _trusted: true }).expect(200);
      const evil = { ...required, _redirectUris: 'https://evil.example/cb' };
      const changes = (authorization: string) => [
        put(authorization, id, evil),
        put(authorization, id, required),
        put(authorization, id, { ...required, _trusted: false }),
        app.api.delete(`${APPS}/${id}`).set({ authorization }),
        app.api.put(`${APPS}/${id}/configs`).set({ authorization }).send({ 'workspaces.limit': '1' }),
        app.api.patch(`${APPS}/${id}/configs`).set({ authorization }).send({ 'workspaces.limit': '1' }),
        app.api.delete(`${APPS}/${id}/configs`).set({ authorization }),
      ];
      for (const caller of [olga, eve, own]) {
        for (const change of changes(caller)) expect((await change.expect(403)).body.code).toBe('TRUSTED_APP');
      }
      expect((await get(olga, id).expect(200)).body._redirectUris).toBe(REDIRECT_URI);
      await put(client.trusted, id, required).expect(200);
      await put(admin, id, required).expect(200);
      await app.api.delete(`${APPS}/${id}`).set({ authorization: admin }).expect(204);
    });

    it('are refused also when it becomes trusted between the check and the write', async () => {
      const { id } = await client.createApp(owner);
      const store = createAppStore(app.mongo, createVersions(app.deps.redis.client));
      const write = { byId: 'olga', precondition: undefined, onlyUntrusted: true };
      await put(admin, id, { ...required, _trusted: true }).expect(200);
      expect(await store.update(id, { _redirectUris: 'https://evil.example/cb' }, write)).toBeUndefined();
      expect(await store.changeConfigs(id, () => ({}), write)).toBeUndefined();
      expect(await store.remove(id, write, () => Promise.resolve())).toBeUndefined();
    });
  });

  describe('of _trusted', () => {
    it('are for administrators', async () => {
      const { id, secret } = await client.createApp(owner);
      const own = await asApp(app, { id, secret });
      for (const caller of [olga, own, client.trusted]) {
        for (const _trusted of [true, false]) {
          const { body } = await put(caller, id, { ...required, _trusted }).expect(403);
          expect(body.code).toBe('ONLY_ADMINISTRATORS');
        }
      }
      const { body } = await put(admin, id, { ...required, _trusted: true }).expect(200);
      expect(body).not.toHaveProperty('_trusted');
    });

    it('end the tokens that the application received as a trusted one', async () => {
      const { id, secret } = await client.createApp(owner);
      const asTrusted = async (trusted: boolean) => {
        const token = await asApp(app, { id, secret });
        await app.api
          .get(`${APPS}/origins`)
          .set({ authorization: token })
          .expect(trusted ? 200 : 403);
        return token;
      };
      await put(admin, id, { ...required, _trusted: true }).expect(200);
      const token = await asTrusted(true);
      await put(admin, id, { ...required, _trusted: false }).expect(200);
      await get(token, id).expect(401);
    });
  });
});
