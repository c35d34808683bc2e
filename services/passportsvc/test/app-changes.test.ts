import { beforeAll, describe, expect, it } from '@jest/globals';
import { createAppStore } from '../src/directory/apps/apps.store.js';
import { createVersions } from '../src/oauth/token/versions.store.js';
import { appClient, APPS } from './app-client.js';
import type { AppClient, TestUser } from './app-client.js';
import { REDIRECT_URI, useApp } from './start-app.js';
import type { TestApp } from './start-app.js';
import { asApp, asUser, authorizeUrl, requestToken } from './tokens.js';

describe('changes of apps', () => {
  const app = useApp();
  let client: AppClient;
  let owner: TestUser;
  let olga: string;
  let admin: string;

  const required = { _name: 'Renamed', _authorizedOrigins: 'https://app.test', _redirectUris: REDIRECT_URI };
  const put = (authorization: string, id: string, body: object) =>
    app.send('put', `${APPS}/${id}`, authorization, body);
  const get = (authorization: string, id: string) => app.send('get', `${APPS}/${id}`, authorization);

  beforeAll(async () => {
    client = await appClient(app);
    owner = await client.createUser('olga');
    olga = await client.signIn(owner);
    admin = await asUser(app);
  });

  it('returns the changed app and ignores fields that are fixed', async () => {
    const { id, body: before } = await client.createApp(owner, { _userType: 'viewer' });
    const change = {
      ...required,
      ...{ _userType: 'editor', _whitelistedApps: ['some-app'], _loginTheme: 'dark', _home: 'https://app.test/home' },
      _authorizedGrantTypes: 'authorization_code, implicit',
    };
    const fixed = { _shortName: 'x', _orgId: 'x', _namespaces: ['x'], _ownerId: 'x', stray: 1 };
    const { body: after, headers } = await put(olga, id, { ...change, ...fixed }).expect(200);
    const { _secret, _configs, ...unchanged } = before;
    const { _createdAt } = before._metadata as { _createdAt: number };
    const _metadata = { _createdAt, _updatedAt: expect.any(Number), _updatedById: client.subjectOf(olga) };
    expect([after, headers.etag]).toEqual([{ ...unchanged, ...change, _metadata }, '"1"']);
    expect((await get(olga, id).expect(200)).body).toEqual(after);
  });

  it('keeps absent fields and clears empty ones', async () => {
    const { id } = await client.createApp(owner, { _userType: 'viewer', _whitelistedApps: ['one'] });
    const sent = { ...required, _home: 'https://app.test/', _loginTheme: 'dark' };
    const first = (await put(olga, id, sent).expect(200)).body;
    expect((await put(olga, id, required).expect(200)).body).toEqual({ ...first, _metadata: expect.anything() });
    const cleared = (await put(olga, id, { ...required, _home: '', _authorizedOrigins: '' }).expect(200)).body;
    expect(cleared).toMatchObject({ _home: '', _authorizedOrigins: '', _loginTheme: 'dark' });
  });

  it.each([
    ['_authorizedOrigins', { _authorizedOrigins: '*' }],
    ['_redirectUris', { _redirectUris: 'javascript:alert(1)' }],
    ['_redirectUris', { _redirectUris: ',' }],
    ['_trusted', { _trusted: 'true' }],
  ])('rejects an invalid %s and changes nothing', async (field, change) => {
    const { id } = await client.createApp(owner);
    const { body } = await put(olga, id, { ...required, ...change }).expect(400);
    expect(body.errors[0].location).toMatch(new RegExp(`^body\\.${field}`));
    expect((await get(olga, id).expect(200)).headers.etag).toBe('"0"');
  });

  it('accepts one of several concurrent changes of a revision', async () => {
    const { id } = await client.createApp(owner);
    const puts = Array.from({ length: 4 }, () => put(olga, id, required).set('if-match', '"0"'));
    expect((await Promise.all(puts)).map(({ status }) => status).toSorted()).toEqual([200, 412, 412, 412]);
  });

  it('applies changed grant types to the token endpoint', async () => {
    const { id, secret } = await client.createApp(owner);
    const asked = () => requestToken(app, { grant_type: 'client_credentials' }, { id, secret });
    await asked().expect(200);
    await put(olga, id, { ...required, _authorizedGrantTypes: 'authorization_code' }).expect(200);
    expect((await asked().expect(403)).body.error).toBe('unauthorized_client');
    await put(olga, id, { ...required, _authorizedGrantTypes: 'client_credentials' }).expect(200);
    await asked().expect(200);
  });

  it('takes effect at once in every process', async () => {
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
      // The first call of a process begins a version, the second caches.
      for (let n = 0; n < 3; n++) expect(await statuses((api) => statusAt(api, before))).toEqual([303, 303]);
      await put(olga, id, { ...required, _redirectUris: next }).expect(200);
      expect(await statuses((api) => statusAt(api, next))).toEqual([303, 303]);
      expect(await statuses((api) => statusAt(api, before))).toEqual([400, 400]);
    }
    for (let n = 0; n < 3; n++) for (const { api } of processes) await ask(api).expect(200);
    await app.send('delete', `${APPS}/${id}`, olga).expect(204);
    for (const { api } of processes) expect((await ask(api)).body.error).toBe('invalid_client');
    expect(await app.deps.redis.client.keys(`passport:version:app:${id}`)).toEqual([]);
  });

  describe('of a trusted app', () => {
    it('rejects its owner, its own tokens and holders of permissions', async () => {
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
        app.send('delete', `${APPS}/${id}`, authorization),
        app.send('put', `${APPS}/${id}/configs`, authorization, { 'workspaces.limit': '1' }),
        app.send('patch', `${APPS}/${id}/configs`, authorization, { 'workspaces.limit': '1' }),
        app.send('delete', `${APPS}/${id}/configs`, authorization),
      ];
      for (const caller of [olga, eve, own]) {
        for (const change of changes(caller)) expect((await change.expect(403)).body.code).toBe('TRUSTED_APP');
      }
      expect((await get(olga, id).expect(200)).body._redirectUris).toBe(REDIRECT_URI);
      await put(client.trusted, id, required).expect(200);
      await put(admin, id, required).expect(200);
      await app.send('delete', `${APPS}/${id}`, admin).expect(204);
    });

    it('rejects an app that becomes trusted between the check and the write', async () => {
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
    it('are limited to administrators', async () => {
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

    it('reject the tokens that the app received as a trusted one', async () => {
      const { id, secret } = await client.createApp(owner);
      const asTrusted = async (trusted: boolean) => {
        const token = await asApp(app, { id, secret });
        await app.send('get', `${APPS}/origins`, token).expect(trusted ? 200 : 403);
        return token;
      };
      await put(admin, id, { ...required, _trusted: true }).expect(200);
      const token = await asTrusted(true);
      await put(admin, id, { ...required, _trusted: false }).expect(200);
      await get(token, id).expect(401);
    });
  });
});
