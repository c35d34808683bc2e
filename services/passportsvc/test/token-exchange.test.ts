import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { rejectTokens } from '@dtplatform/permissions';
import { newUser } from './page-client.js';
import { useApp } from './start-app.js';
import { asApp, asUser, claimsOf, codeFor, OAUTH_V1, OAUTH_V2, redeem, requestToken } from './tokens.js';
import type { Form } from './tokens.js';

const GRANT = 'urn:ietf:params:oauth:grant-type:token-exchange';
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';
const FIVE_MINUTES_SEC = 300;

describe('token exchange', () => {
  const app = useApp();
  let userId: string;
  let user: Awaited<ReturnType<typeof newUser>>;

  const exchange = (form: Form, credentials = app.trusted, version = OAUTH_V2) =>
    requestToken(app, { grant_type: GRANT, ...form }, credentials, version);
  const ofToken = (authorization: string) => ({
    subject_token: authorization.slice('Bearer '.length),
    subject_token_type: ACCESS_TOKEN,
  });
  const tokenOf = async (form: Form) => (await exchange(form).expect(200)).body.access_token as string;
  const errorOf = async (form: Form, status = 400, credentials = app.trusted) =>
    (await exchange(form, credentials).expect(status)).body.error as string;
  const statusOf = async (token: string, id = app.second.id) =>
    (await app.send('get', `/passportsvc/api/v1/apps/${id}`, `Bearer ${token}`)).status;

  beforeAll(async () => {
    user = await newUser(app);
    userId = user.id;
  });

  it('gives a trusted app a five-minute token with the permissions of a user', async () => {
    const { body, headers } = await exchange({ subject: userId }).expect(200);
    const { access_token: token, ...rest } = body;
    const claims = claimsOf(token);
    expect(rest).toEqual({
      ...{ issued_token_type: ACCESS_TOKEN, token_type: 'bearer', expires_in: FIVE_MINUTES_SEC, scope: 'read write' },
      ...{ user_name: userId, app_id: app.trusted.id, jti: claims.jti },
    });
    expect(headers['cache-control']).toBe('no-store');
    expect(claims).toMatchObject({
      ...{ sub: userId, user_name: userId, client_id: app.trusted.id, app_id: app.trusted.id },
      ...{ act: { sub: app.trusted.id }, authorities: ['ROLE_USER'], exp: (claims.iat as number) + FIVE_MINUTES_SEC },
    });
    expect(claims).not.toHaveProperty('grant_id');
  });

  it('gives the permissions of an app in its organization', async () => {
    const { id: subject } = app.second;
    for (const type of [{}, { subject_type: 'app' }] as Form[]) {
      const token = await tokenOf({ subject, ...type });
      const claims = { sub: subject, client_id: app.trusted.id, app_id: subject };
      expect(claimsOf(token)).toMatchObject({ ...claims, act: { sub: app.trusted.id }, authorities: ['ROLE_APP'] });
      expect(await statusOf(token)).toBe(200);
      expect(await statusOf(token, app.trusted.id)).toBe(404);
      await app.send('get', `/passportsvc/api/v1/scim/Users/${userId}`, `Bearer ${token}`).expect(404);
    }
  });

  it('reflects a renamed, deactivated or deleted user at once in every process', async () => {
    const { id } = await newUser(app);
    const processes = [app, await app.startInstance()];
    const authorization = await asApp(app);
    const form = { grant_type: GRANT, subject: id };
    const responses = () => Promise.all(processes.map((process) => requestToken(process, form, app.trusted, OAUTH_V2)));
    const expectStatus = async (expected: number) => {
      for (const { status } of await responses()) expect(status).toBe(expected);
    };
    // The first call of a process begins a version, the second caches.
    const cache = async () => {
      for (let n = 0; n < 3; n++) await expectStatus(200);
    };
    const url = `/passportsvc/api/v1/scim/Users/${id}`;
    const patch = (value: object) =>
      app.send('patch', url, authorization, { Operations: [{ op: 'replace', value }] }).expect(200);
    await cache();
    await patch({ displayName: 'Renamed' });
    for (const { body } of await responses()) expect(claimsOf(body.access_token)).toMatchObject({ name: 'Renamed' });
    await cache();
    await patch({ active: false });
    await expectStatus(400);
    await patch({ active: true });
    await cache();
    await app.send('delete', url, authorization).expect(204);
    await expectStatus(400);
  });

  it('never passes on the roles of administrators and trusted clients', async () => {
    const admin = await asUser(app);
    expect(claimsOf(admin).authorities).toContain('ROLE_ADMIN');
    for (const form of [ofToken(admin), { subject: claimsOf(admin).sub as string }])
      expect(claimsOf(await tokenOf(form)).authorities).toEqual(['ROLE_USER']);
    for (const form of [ofToken(await asApp(app)), { subject: app.trusted.id }]) {
      const token = await tokenOf(form);
      expect(claimsOf(token).authorities).toEqual(['ROLE_APP']);
      expect(await statusOf(token)).toBe(404);
    }
  });

  it('ties the token for a user to the authorization of the subject token', async () => {
    const code = await codeFor(app, {}, undefined, user);
    const tokens = (await redeem(app, code, {}, app.trusted).expect(200)).body;
    const subject = ofToken(`Bearer ${tokens.access_token as string}`);
    const token = await tokenOf(subject);
    expect(claimsOf(token)).toMatchObject({ sub: userId, grant_id: claimsOf(tokens.access_token).grant_id });
    expect(await statusOf(token)).toBe(404);
    await redeem(app, code, {}, app.trusted).expect(403);
    expect(await statusOf(token)).toBe(401);
    expect(await errorOf(subject)).toBe('invalid_request');
  });

  it('rejects untrusted apps, and requests without the secret', async () => {
    for (const by of [app.second, app.shortLived])
      expect(await errorOf({ subject: userId }, 400, by)).toBe('unauthorized_client');
    const anonymous = await requestToken(app, { grant_type: GRANT, subject: userId, client_id: app.trusted.id });
    expect([anonymous.status, anonymous.body.error]).toEqual([403, 'unauthorized_client']);
    expect(await errorOf({ subject: userId }, 401, { ...app.trusted, secret: 'wrong-secret-0123456789' })).toBe(
      'invalid_client',
    );
    const query = { grant_type: GRANT, subject: userId };
    await app.api.get(`${OAUTH_V1}/token`).auth(app.trusted.id, app.trusted.secret).query(query).expect(405);
  });

  it('rejects a subject that does not exist or is inactive', async () => {
    const [{ id: left }, { id: removed }] = [await newUser(app), await newUser(app)];
    const users = app.mongo.db.collection<{ _id: string }>('users');
    await users.updateOne({ _id: left }, { $set: { active: false } });
    await users.deleteOne({ _id: removed });
    const subjects: Form[] = [
      ...[left, 'nobody', '\u0001'].map((subject) => ({ subject })),
      ...[removed, app.second.id].map((subject) => ({ subject, subject_type: 'user' })),
      ...['no-such-app', userId].map((subject) => ({ subject, subject_type: 'app' })),
    ];
    for (const form of subjects) expect(await errorOf(form)).toBe('invalid_grant');
  });

  it('rejects invalid tokens and ambiguous parameters', async () => {
    const token = await asUser(app, user);
    const unclear: Form[] = [
      ofToken(`${token.slice(0, -4)}AAAA`),
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
    for (const form of unclear) expect(await errorOf(form)).toBe('invalid_request');
    await exchange({ subject: userId, requested_token_type: ACCESS_TOKEN }).expect(200);
    await exchange({ ...ofToken(token), subject_token_type: 'urn:ietf:params:oauth:token-type:jwt' }).expect(200);
    expect(await errorOf({ subject: userId, scope: 'admin' })).toBe('invalid_scope');
  });

  it('gives a token that ends with its subject and with the client that acts', async () => {
    const { redis } = app.deps;
    const { id: marked } = await newUser(app);
    const [ofUser, ofApp] = [await tokenOf({ subject: marked }), await tokenOf({ subject: app.second.id })];
    expect([await statusOf(ofUser), await statusOf(ofApp)]).toEqual([404, 200]);
    await rejectTokens(redis, 'subject', marked, 60);
    await rejectTokens(redis, 'app', app.second.id, 60);
    expect([await statusOf(ofUser), await statusOf(ofApp)]).toEqual([401, 401]);

    const actor = { id: 'actor', secret: 'the-secret-of-the-actor' };
    await app.migrate({ SERVICE_CLIENT_ID: actor.id, SERVICE_CLIENT_SECRET: actor.secret });
    const subject = (await asUser(app, user)).slice('Bearer '.length);
    const acting = (await exchange(ofToken(`Bearer ${subject}`), actor).expect(200)).body.access_token as string;
    expect(claimsOf(acting)).toMatchObject({ client_id: 'actor', app_id: app.trusted.id, act: { sub: 'actor' } });
    expect(await statusOf(acting)).toBe(404);
    await rejectTokens(redis, 'app', 'actor', 60);
    expect([await statusOf(acting), await statusOf(subject)]).toEqual([401, 404]);
  });

  describe('for a permission profile', () => {
    const PROFILES = '/passportsvc/api/v1/permissionprofiles';
    let id: string;
    beforeEach(async () => {
      const wanted = [{ _name: 'Importer', _namespaces: ['tower'] }];
      const { body } = await app.send('post', PROFILES, await asApp(app), wanted).expect(201);
      id = body._list[0]._id as string;
    });
    const named = (subject: string) => ({ subject, subject_type: 'permprofile' });
    const call = (method: 'get' | 'post', path: string, token: string) =>
      app.send(method, `/passportsvc/api/v1${path}`, `Bearer ${token}`);

    it('gives a five-minute token with the permissions of the profile', async () => {
      const { body } = await exchange(named(id)).expect(200);
      expect(body).toMatchObject({ user_name: id, app_id: id, expires_in: FIVE_MINUTES_SEC });
      expect(claimsOf(body.access_token)).toMatchObject({
        ...{ sub: id, name: 'Importer', client_id: app.trusted.id, app_id: id },
        ...{ act: { sub: app.trusted.id }, authorities: ['ROLE_PERMPROFILE'] },
      });
      await call('get', `/permissionprofiles/${id}`, body.access_token).expect(404);
      await app.grants.allow({ _type: 'permprofile', _id: id }, 'tower', 'passportsvc:*:*', ['READ']);
      await call('get', `/permissionprofiles/${id}`, body.access_token).expect(200);

      const again = await tokenOf(ofToken(`Bearer ${body.access_token as string}`));
      expect(claimsOf(again)).toMatchObject({ sub: id, authorities: ['ROLE_PERMPROFILE'] });
    });

    it('rejects the token where users, administrators or apps are required', async () => {
      const token = await tokenOf(named(id));
      for (const path of ['/users/me', '/users/me/consents', '/invites', '/scim/Users', '/organizations'])
        await call('get', path, token).expect(403);
      await call('get', `/users/${id}`, token).expect(404);
      for (const path of ['/workspaces', '/usergroups']) await call('post', path, token).send([{}]).expect(403);
      await call('post', '/apps', token).send({}).expect(403);
    });

    it('rejects unknown profiles, other subject types and untrusted apps', async () => {
      const others: Form[] = ['0123456789abcdef01234567', '\u0001', userId, app.second.id].map(named);
      for (const type of [{}, { subject_type: 'user' }, { subject_type: 'app' }] as Form[])
        others.push({ subject: id, ...type });
      for (const form of others) expect(await errorOf(form)).toBe('invalid_grant');
      expect(await errorOf(named(id), 400, app.second)).toBe('unauthorized_client');
    });

    it('ends the token with the profile', async () => {
      const token = await tokenOf(named(id));
      await app.send('delete', `${PROFILES}/${id}`, await asApp(app)).expect(204);
      await call('get', '/workspaces', token).expect(401);
      expect(await errorOf(named(id))).toBe('invalid_grant');
      expect(await errorOf(ofToken(`Bearer ${token}`))).toBe('invalid_request');
    });
  });
});
