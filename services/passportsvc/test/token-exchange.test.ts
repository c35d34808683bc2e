import { beforeAll, describe, expect, it } from '@jest/globals';
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
  let second: { id: string; secret: string };
  let userId: string;
  let user: Awaited<ReturnType<typeof newUser>>;

  const exchange = (form: Form, credentials = app.trusted, version = OAUTH_V2) =>
    requestToken(app, { grant_type: GRANT, ...form }, credentials, version);
  const ofToken = (authorization: string) => ({
    subject_token: authorization.slice('Bearer '.length),
    subject_token_type: ACCESS_TOKEN,
  });
  const createUser = async () => (await newUser(app)).id;
  const errorOf = async (form: Form, status = 400, credentials = app.trusted) =>
    (await exchange(form, credentials).expect(status)).body.error as string;
  const statusOf = async (token: string, id = second.id) =>
    (await app.send('get', `/passportsvc/api/v1/apps/${id}`, `Bearer ${token}`)).status;

  beforeAll(async () => {
    second = { id: app.dev.second.appId, secret: app.dev.second.appSecret };
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

  it.each<Form>([{}, { subject_type: 'app' }])(
    'gives the permissions of an app in its organization, with %j',
    async (type) => {
      const { body } = await exchange({ subject: second.id, ...type }).expect(200);
      expect(claimsOf(body.access_token)).toMatchObject({
        ...{ sub: second.id, client_id: app.trusted.id, app_id: second.id },
        ...{ act: { sub: app.trusted.id }, authorities: ['ROLE_APP'] },
      });
      expect(await statusOf(body.access_token)).toBe(200);
      expect(await statusOf(body.access_token, app.trusted.id)).toBe(404);
      const authorization = `Bearer ${body.access_token as string}`;
      await app.send('get', `/passportsvc/api/v1/scim/Users/${userId}`, authorization).expect(404);
    },
  );

  it('reflects a renamed, deactivated or deleted user at once in every process', async () => {
    const id = await createUser();
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

  it('ties the token for a user to the authorization of the subject token', async () => {
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

  it('rejects untrusted apps, and requests without the secret', async () => {
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

  it('rejects a subject that does not exist or is inactive', async () => {
    const [left, removed] = [await createUser(), await createUser()];
    const users = app.mongo.db.collection<{ _id: string }>('users');
    await users.updateOne({ _id: left }, { $set: { active: false } });
    await users.deleteOne({ _id: removed });
    const subjects: Form[] = [
      ...[left, 'nobody', '\u0001'].map((subject) => ({ subject })),
      ...[removed, second.id].map((subject) => ({ subject, subject_type: 'user' })),
      ...['no-such-app', userId].map((subject) => ({ subject, subject_type: 'app' })),
    ];
    for (const form of subjects) {
      expect(await errorOf(form)).toBe('invalid_grant');
    }
  });

  it('rejects invalid tokens and ambiguous parameters', async () => {
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
    const marked = await createUser();
    const [ofUser, ofApp] = [await token(marked), await token(second.id)];
    expect([await statusOf(ofUser), await statusOf(ofApp)]).toEqual([404, 200]);
    await rejectTokens(redis, 'subject', marked, 60);
    await rejectTokens(redis, 'app', second.id, 60);
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
    const newProfile = async () => {
      const wanted = [{ _name: 'Importer', _namespaces: ['tower'] }];
      const authorization = await asApp(app);
      const response = await app.send('post', PROFILES, authorization, wanted).expect(201);
      return response.body._list[0]._id as string;
    };
    const named = (subject: string) => ({ subject, subject_type: 'permprofile' });
    const tokenOf = async (id: string) => (await exchange(named(id)).expect(200)).body.access_token as string;
    const call = (method: 'get' | 'post', path: string, token: string) =>
      app.send(method, `/passportsvc/api/v1${path}`, `Bearer ${token}`);

    it('gives a five-minute token with the permissions of the profile', async () => {
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

    it('rejects the token where users, administrators or apps are required', async () => {
      const id = await newProfile();
      const token = await tokenOf(id);
      for (const path of ['/users/me', '/users/me/consents', '/invites', '/scim/Users', '/organizations'])
        await call('get', path, token).expect(403);
      await call('get', `/users/${id}`, token).expect(404);
      for (const path of ['/workspaces', '/usergroups']) await call('post', path, token).send([{}]).expect(403);
      await call('post', '/apps', token).send({}).expect(403);
    });

    it('rejects unknown profiles, other subject types and untrusted apps', async () => {
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

    it('ends the token with the profile', async () => {
      const id = await newProfile();
      const token = await tokenOf(id);
      const authorization = await asApp(app);
      await app.send('delete', `${PROFILES}/${id}`, authorization).expect(204);
      await call('get', '/workspaces', token).expect(401);
      expect(await errorOf(named(id))).toBe('invalid_grant');
      expect(await errorOf(ofToken(`Bearer ${token}`))).toBe('invalid_request');
    });
  });
});
