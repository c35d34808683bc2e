import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { rejectTokens } from '@dtplatform/permissions';
import { startApp } from './start-app.js';
import type { TestApp } from './start-app.js';
import { asApp, asUser, claimsOf, codeFor, OAUTH_V1, OAUTH_V2, redeem, requestToken } from './tokens.js';
import type { Form } from './tokens.js';

const GRANT = 'urn:ietf:params:oauth:grant-type:token-exchange';
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';
const FIVE_MINUTES_SEC = 300;

describe('token exchange', () => {
  let app: TestApp;
  let second: { id: string; secret: string };
  let userId: string;
  const user = { userName: 'sub@platform.test', password: 'the password of a subject' };

  const exchange = (form: Form, credentials = app.trusted, version = OAUTH_V2) =>
    requestToken(app, { grant_type: GRANT, ...form }, credentials, version);
  const ofToken = (authorization: string) => ({
    subject_token: authorization.slice('Bearer '.length),
    subject_token_type: ACCESS_TOKEN,
  });
  const createUser = async (userName: string) => {
    const body = { userName, password: user.password };
    const response = await app.api
      .post('/passportsvc/api/v1/scim/Users')
      .set({ authorization: await asApp(app) })
      .send(body);
    return response.body.id as string;
  };
  const errorOf = async (form: Form, status = 400, credentials = app.trusted) =>
    (await exchange(form, credentials).expect(status)).body.error as string;
  const statusOf = async (token: string, id = second.id) =>
    (await app.api.get(`/passportsvc/api/v1/apps/${id}`).set({ authorization: `Bearer ${token}` })).status;

  beforeAll(async () => {
    app = await startApp();
    second = { id: app.dev.second.appId, secret: app.dev.second.appSecret };
    userId = await createUser(user.userName);
  });
  afterAll(() => app.stop());

  it('gives a trusted app a token of five minutes with the rights of a user that it names', async () => {
    const response = await exchange({ subject: userId }).expect(200);
    const { access_token: token, ...rest } = response.body;
    const claims = claimsOf(token);
    expect(rest).toEqual({
      issued_token_type: ACCESS_TOKEN,
      token_type: 'bearer',
      expires_in: FIVE_MINUTES_SEC,
      scope: 'read write',
      user_name: userId,
      app_id: app.trusted.id,
      jti: claims.jti,
    });
    expect(response.headers['cache-control']).toBe('no-store');
    expect(claims).toMatchObject({
      sub: userId,
      user_name: userId,
      client_id: app.trusted.id,
      app_id: app.trusted.id,
      act: { sub: app.trusted.id },
      authorities: ['ROLE_USER'],
    });
    expect(claims.exp).toBe((claims.iat as number) + FIVE_MINUTES_SEC);
    expect(claims).not.toHaveProperty('grant_id');
  });

  it('gives the rights of an app, in that app’s organization', async () => {
    const { body } = await exchange({ subject: second.id, subject_type: 'app' }).expect(200);
    expect(claimsOf(body.access_token)).toMatchObject({
      sub: second.id,
      client_id: app.trusted.id,
      app_id: second.id,
      act: { sub: app.trusted.id },
      authorities: ['ROLE_APP'],
    });
    expect(await statusOf(body.access_token)).toBe(200);
    expect(await statusOf(body.access_token, app.trusted.id)).toBe(404);
    const authorization = `Bearer ${body.access_token as string}`;
    await app.api.get(`/passportsvc/api/v1/scim/Users/${userId}`).set({ authorization }).expect(404);
  });

  it('finds out by itself whether a subject is a user or an app', async () => {
    for (const [subject, role] of [
      [userId, 'ROLE_USER'],
      [second.id, 'ROLE_APP'],
    ] as const) {
      const { body } = await exchange({ subject }).expect(200);
      expect(claimsOf(body.access_token)).toMatchObject({ sub: subject, authorities: [role] });
    }
  });

  it('knows at once, in every process, that a user was renamed, deactivated or deleted', async () => {
    const id = await createUser('changing@platform.test');
    const replica = await app.startInstance();
    const authorization = await asApp(app);
    const of = (api: TestApp['api']) =>
      requestToken({ api }, { grant_type: GRANT, subject: id }, app.trusted, OAUTH_V2);
    const known = async () => {
      for (let n = 0; n < 3; n++) for (const { api } of [app, replica]) await of(api).expect(200);
    };
    const url = `/passportsvc/api/v1/scim/Users/${id}`;
    const patch = (value: object) =>
      app.api
        .patch(url)
        .set({ authorization })
        .send({ Operations: [{ op: 'replace', value }] })
        .expect(200);
    await known();
    await patch({ displayName: 'Renamed' });
    for (const { api } of [app, replica]) {
      expect(claimsOf((await of(api).expect(200)).body.access_token)).toMatchObject({ name: 'Renamed' });
    }
    await known();
    await patch({ active: false });
    for (const { api } of [app, replica]) await of(api).expect(400);
    await patch({ active: true });
    await known();
    await app.api.delete(url).set({ authorization }).expect(204);
    for (const { api } of [app, replica]) await of(api).expect(400);
    await replica.stop();
  });

  it('never passes on the roles of administrators and trusted clients', async () => {
    const admin = await asUser(app);
    expect(claimsOf(admin).authorities).toContain('ROLE_ADMIN');
    for (const form of [ofToken(admin), { subject: claimsOf(admin).sub as string }]) {
      const { body } = await exchange(form).expect(200);
      expect(claimsOf(body.access_token).authorities).toEqual(['ROLE_USER']);
    }
    for (const form of [ofToken(await asApp(app)), { subject: app.trusted.id }]) {
      const { body } = await exchange(form).expect(200);
      expect(claimsOf(body.access_token).authorities).toEqual(['ROLE_APP']);
      expect(await statusOf(body.access_token)).toBe(404);
    }
  });

  it('of a user’s token ends with the authorization of that token', async () => {
    const code = await codeFor(app, {}, undefined, user);
    const tokens = (await redeem(app, code, {}, app.trusted).expect(200)).body;
    const { body } = await exchange(ofToken(`Bearer ${tokens.access_token as string}`)).expect(200);
    const claims = claimsOf(body.access_token);
    expect(claims.sub).toBe(userId);
    expect(claims.grant_id).toBe(claimsOf(tokens.access_token).grant_id);
    expect(await statusOf(body.access_token)).toBe(404);
    await redeem(app, code, {}, app.trusted).expect(403);
    expect(await statusOf(body.access_token)).toBe(401);
    expect(await errorOf(ofToken(`Bearer ${tokens.access_token as string}`))).toBe('invalid_request');
  });

  it('takes the token of an exchange as well', async () => {
    const first = (await exchange({ subject: userId }).expect(200)).body.access_token as string;
    const { body } = await exchange(ofToken(`Bearer ${first}`)).expect(200);
    expect(claimsOf(body.access_token)).toMatchObject({ sub: userId, act: { sub: app.trusted.id } });
  });

  it('is refused to apps that are not trusted, and without the secret', async () => {
    expect(await errorOf({ subject: userId }, 400, second)).toBe('unauthorized_client');
    expect((await exchange({ subject: userId }, second, OAUTH_V1).expect(403)).body.error).toBe('unauthorized_client');
    const anonymous = await requestToken(app, { grant_type: GRANT, subject: userId, client_id: app.trusted.id });
    expect([anonymous.status, anonymous.body.error]).toEqual([403, 'unauthorized_client']);
    expect(await errorOf({ subject: userId }, 401, { ...app.trusted, secret: 'wrong-secret-0123456789' })).toBe(
      'invalid_client',
    );
    const query = { grant_type: GRANT, subject: userId };
    await app.api.get(`${OAUTH_V1}/token`).auth(app.trusted.id, app.trusted.secret).query(query).expect(405);
  });

  it('is an invalid_grant for a subject that does not exist or is no longer active', async () => {
    const left = await createUser('left@platform.test');
    const removed = await createUser('removed@platform.test');
    const users = app.mongo.db.collection<{ _id: string }>('users');
    await users.updateOne({ _id: left }, { $set: { active: false } });
    await users.deleteOne({ _id: removed });
    const rejected: Form[] = [
      { subject: left },
      { subject: removed, subject_type: 'user' },
      { subject: 'nobody' },
      { subject: 'no-such-app', subject_type: 'app' },
      { subject: userId, subject_type: 'app' },
      { subject: second.id, subject_type: 'user' },
      { subject: '\u0001' },
    ];
    for (const form of rejected) {
      expect(await errorOf(form)).toBe('invalid_grant');
    }
  });

  it('is an invalid_request for a token that is not valid, and for unclear parameters', async () => {
    const token = await asUser(app, user);
    const shortLived = { id: app.dev.shortLived.appId, secret: app.dev.shortLived.appSecret };
    const forged = `${token.slice(0, -4)}AAAA`;
    const unclear: Form[] = [
      ofToken(forged),
      ofToken('Bearer x'),
      { subject_token: token.slice('Bearer '.length) },
      { ...ofToken(token), subject_token_type: 'urn:ietf:params:oauth:token-type:refresh_token' },
      { ...ofToken(token), subject: userId },
      { ...ofToken(token), actor_token: token },
      { subject: userId, subject_type: 'usergroup' },
      { subject: userId, requested_token_type: 'urn:ietf:params:oauth:token-type:refresh_token' },
      { subject: 'é'.repeat(5_000) },
      {},
    ];
    for (const form of unclear) {
      expect(await errorOf(form)).toBe('invalid_request');
    }
    await exchange({ subject: userId, requested_token_type: ACCESS_TOKEN }).expect(200);
    await exchange({ ...ofToken(token), subject_token_type: 'urn:ietf:params:oauth:token-type:jwt' }).expect(200);
    expect(await errorOf({ subject: userId, scope: 'admin' })).toBe('invalid_scope');
    expect(await errorOf({ subject: userId }, 400, shortLived)).toBe('unauthorized_client');
  });

  it('gives a token that ends with its subject and with the client that acts', async () => {
    const { client: redis } = app.deps.redis;
    const token = async (subject: string) => (await exchange({ subject }).expect(200)).body.access_token as string;
    const marked = await createUser('marked@platform.test');
    const ofUser = await token(marked);
    expect(await statusOf(ofUser)).toBe(404);
    await rejectTokens(redis, 'subject', marked, 60);
    expect(await statusOf(ofUser)).toBe(401);

    const ofApp = await token(second.id);
    expect(await statusOf(ofApp)).toBe(200);
    await rejectTokens(redis, 'app', second.id, 60);
    expect(await statusOf(ofApp)).toBe(401);

    await app.migrate({ SERVICE_CLIENT_ID: 'actor', SERVICE_CLIENT_SECRET: 'the-secret-of-the-actor' });
    const actor = { id: 'actor', secret: 'the-secret-of-the-actor' };
    const code = await codeFor(app, {}, undefined, user);
    const subject = (await redeem(app, code, {}, app.trusted).expect(200)).body.access_token as string;
    const acting = (await exchange(ofToken(`Bearer ${subject}`), actor).expect(200)).body.access_token as string;
    expect(claimsOf(acting)).toMatchObject({ client_id: 'actor', app_id: app.trusted.id, act: { sub: 'actor' } });
    expect(await statusOf(acting)).toBe(404);
    await rejectTokens(redis, 'app', 'actor', 60);
    expect(await statusOf(acting)).toBe(401);
    expect(await statusOf(subject)).toBe(404);
  });

  describe('for a permission profile', () => {
    const PROFILES = '/passportsvc/api/v1/permissionprofiles';
    const newProfile = async () => {
      const wanted = [{ _name: 'Importer', _namespaces: ['tower'] }];
      const authorization = await asApp(app);
      const response = await app.api.post(PROFILES).set({ authorization }).send(wanted).expect(201);
      return response.body._list[0]._id as string;
    };
    const named = (subject: string) => ({ subject, subject_type: 'permprofile' });
    const tokenOf = async (id: string) => (await exchange(named(id)).expect(200)).body.access_token as string;
    const call = (method: 'get' | 'post', path: string, token: string) =>
      app.api[method](`/passportsvc/api/v1${path}`).set({ authorization: `Bearer ${token}` });

    it('gives a token of five minutes with the rights of the profile', async () => {
      const id = await newProfile();
      const { body } = await exchange(named(id)).expect(200);
      expect(body).toMatchObject({ user_name: id, app_id: id, expires_in: FIVE_MINUTES_SEC });
      expect(claimsOf(body.access_token)).toMatchObject({
        sub: id,
        name: 'Importer',
        client_id: app.trusted.id,
        app_id: id,
        act: { sub: app.trusted.id },
        authorities: ['ROLE_PERMPROFILE'],
      });
      await call('get', `/permissionprofiles/${id}`, body.access_token).expect(404);
      await app.grants.allow({ _type: 'permprofile', _id: id }, 'tower', 'passportsvc:*:*', ['READ']);
      await call('get', `/permissionprofiles/${id}`, body.access_token).expect(200);

      const again = await exchange(ofToken(`Bearer ${body.access_token as string}`)).expect(200);
      expect(claimsOf(again.body.access_token)).toMatchObject({ sub: id, authorities: ['ROLE_PERMPROFILE'] });
    });

    it('gives one that is no user’s, administrator’s or application’s', async () => {
      const id = await newProfile();
      const token = await tokenOf(id);
      for (const path of [
        '/users/me',
        '/accounts/me',
        '/users/me/consents',
        '/invites',
        '/scim/Users',
        '/organizations',
      ])
        await call('get', path, token).expect(403);
      await call('get', `/users/${id}`, token).expect(404);
      await call('get', `/scim/Users/${id}`, token).expect(403);
      for (const path of ['/workspaces', '/usergroups'])
        await call('post', path, token)
          .send([{ _name: 'x' }])
          .expect(403);
      await call('post', '/apps', token).send({}).expect(403);
    });

    it('is an invalid_grant for one that does not exist, or is not named as one, and refused to other apps', async () => {
      const id = await newProfile();
      const rejected: Form[] = [
        named('0123456789abcdef01234567'),
        named('\u0001'),
        named(userId),
        named(second.id),
        { subject: id },
        { subject: id, subject_type: 'user' },
        { subject: id, subject_type: 'app' },
      ];
      for (const form of rejected) expect(await errorOf(form)).toBe('invalid_grant');
      expect(await errorOf(named(id), 400, second)).toBe('unauthorized_client');
    });

    it('gives one that ends with the profile', async () => {
      const id = await newProfile();
      const token = await tokenOf(id);
      const authorization = await asApp(app);
      await app.api.delete(`${PROFILES}/${id}`).set({ authorization }).expect(204);
      await call('get', '/workspaces', token).expect(401);
      expect(await errorOf(named(id))).toBe('invalid_grant');
      expect(await errorOf(ofToken(`Bearer ${token}`))).toBe('invalid_request');
    });
  });

  it('is listed in the metadata', async () => {
    const { body } = await app.api.get(`${OAUTH_V1}/.well-known/openid-configuration`).expect(200);
    expect(body.grant_types_supported).toContain(GRANT);
  });
});
