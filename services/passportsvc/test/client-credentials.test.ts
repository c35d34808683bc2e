import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp } from './start-app.js';
import type { TestApp } from './start-app.js';
import { claimsOf, headerOf, OAUTH_V1, OAUTH_V2, requestToken } from './tokens.js';

const GRANT = { grant_type: 'client_credentials' };

describe('client credentials', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp();
  });
  afterAll(() => app.stop());

  it('issues a token that names the trusted app', async () => {
    const response = await requestToken(app, GRANT, app.trusted).expect(200);
    expect(response.headers).toMatchObject({ 'cache-control': 'no-store', pragma: 'no-cache' });
    const { access_token: token, ...rest } = response.body;
    const claims = claimsOf(token);
    expect(rest).toEqual({
      token_type: 'bearer',
      expires_in: 3600,
      scope: 'read write',
      user_name: 'administration',
      app_id: 'administration',
      jti: claims.jti,
    });
    expect(headerOf(token)).toEqual({ alg: 'ES256', typ: 'at+jwt', kid: expect.any(String) });
    expect(claims).toMatchObject({
      iss: `${app.url}${OAUTH_V1}`,
      aud: app.url,
      sub: 'administration',
      client_id: 'administration',
      app_id: 'administration',
      user_name: 'administration',
      name: 'Administration',
      scope: ['read', 'write'],
      authorities: ['ROLE_APP', 'ROLE_TRUSTED_CLIENT'],
    });
    expect(claims.exp).toBe((claims.iat as number) + 3600);
    expect(claims).not.toHaveProperty('grant_id');
  });

  it('counts the lookups of apps', async () => {
    const instance = await app.startInstance();
    const lookups = async () => {
      const text = await instance.deps.registry.metrics();
      const counts = [...text.matchAll(/^cache_lookups_total\{cache="apps",outcome="(?:hit|miss)"\} (\d+)$/gm)];
      return counts.map(([, count]) => Number(count)).reduce((sum, count) => sum + count);
    };
    expect(await lookups()).toBe(0);
    await requestToken(instance, GRANT, app.trusted).expect(200);
    expect(await lookups()).toBeGreaterThan(0);
    await instance.stop();
  });

  it('issues tokens for the configured audience, and accepts no others', async () => {
    const other = await app.startInstance({ OAUTH_AUDIENCE: 'https://other.test' });
    const tokenOf = async (instance: Pick<TestApp, 'api'>) =>
      (await requestToken(instance, GRANT, app.trusted).expect(200)).body.access_token as string;
    const statusOf = async ({ api }: Pick<TestApp, 'api'>, token: string) =>
      (await api.get(`/passportsvc/api/v1/apps/${app.trusted.id}`).set({ authorization: `Bearer ${token}` })).status;
    try {
      const [own, foreign] = [await tokenOf(app), await tokenOf(other)];
      expect(claimsOf(foreign).aud).toBe('https://other.test');
      expect([await statusOf(app, own), await statusOf(other, foreign)]).toEqual([200, 200]);
      expect([await statusOf(app, foreign), await statusOf(other, own)]).toEqual([401, 401]);
    } finally {
      await other.stop();
    }
  });

  it('issues a token with the app role and lifetime to an untrusted app', async () => {
    const { second, shortLived } = app.dev;
    const ordinary = await requestToken(app, GRANT, { id: second.appId, secret: second.appSecret }).expect(200);
    expect(claimsOf(ordinary.body.access_token).authorities).toEqual(['ROLE_APP']);
    const brief = await requestToken(app, GRANT, { id: shortLived.appId, secret: shortLived.appSecret }).expect(200);
    expect(brief.body.expires_in).toBe(2);
  });

  it('accepts parameters as form, query or multipart, and the secret in a header or among them', async () => {
    const { id, secret } = app.trusted;
    const token = `${OAUTH_V1}/token`;
    await app.api.post(token).auth(id, secret).query(GRANT).expect(200);
    await app.api.post(token).auth(id, secret).field('grant_type', 'client_credentials').expect(200);
    await requestToken(app, { ...GRANT, client_id: id, client_secret: secret }).expect(200);
    await requestToken(app, { ...GRANT, client_id: id }, app.trusted).expect(200);
    await app.api.post(`${token}/`).auth(id, secret).type('form').send(GRANT).expect(200);
  });

  it.each([
    ['Application/X-WWW-Form-Urlencoded; Charset=UTF-8', 'grant_type=client_credentials', 200],
    ['application/x-www-form-urlencoded-2', 'grant_type=client_credentials', 403],
    ['Multipart/Form-Data; Boundary="=b(1)"', '--=b(1)', 200],
    ['multipart/form-data;boundary=\t=b(1)', '--=b(1)', 200],
    ['multipart/form-data-2; boundary=b', '--b', 403],
  ])('reads the type %p of parameters as a media type', async (type, start, status) => {
    const field = '\r\nContent-Disposition: form-data; name="grant_type"\r\n\r\nclient_credentials\r\n';
    const body = start.startsWith('--') ? `${start}${field}${start}--\r\n` : start;
    const { id, secret } = app.trusted;
    await app.api.post(`${OAUTH_V1}/token`).auth(id, secret).set('content-type', type).send(body).expect(status);
  });

  it('accepts secrets with any characters, form-encoded or not', async () => {
    const secret = 'a+b/c=d%41 e:f&g-0123';
    await app.migrate({ SERVICE_CLIENT_ID: 'special', SERVICE_CLIENT_SECRET: secret });
    await requestToken(app, GRANT, { id: 'special', secret }).expect(200);
    const encoded = encodeURIComponent(secret).replaceAll('%20', '+');
    await requestToken(app, GRANT, { id: 'special', secret: encoded }).expect(200);
    await requestToken(app, GRANT, { id: 'special', secret: `${secret}x` }).expect(403);
  });

  it.each(['read write', 'scim', 'read', 'write scim', ''])(
    'accepts the scope "%s" and grants read write',
    async (scope) => {
      const response = await requestToken(app, { ...GRANT, scope }, app.trusted).expect(200);
      expect(response.body.scope).toBe('read write');
    },
  );

  it('rejects other scopes', async () => {
    const response = await requestToken(app, { ...GRANT, scope: 'read admin' }, app.trusted).expect(403);
    expect(response.body.error).toBe('invalid_scope');
  });

  it('is refused with 403 on v1 and with the status of RFC 6749 on v2', async () => {
    const wrong = { id: app.trusted.id, secret: 'wrong-secret-0123456789' };
    const v1 = await requestToken(app, GRANT, wrong).expect(403);
    expect(v1.body).toEqual({ error: 'invalid_client', error_description: expect.any(String) });
    expect(v1.headers['www-authenticate']).toMatch(/^Basic realm=/);
    const v2 = await requestToken(app, GRANT, wrong, OAUTH_V2).expect(401);
    expect(v2.body.error).toBe('invalid_client');
    expect(v2.headers['www-authenticate']).toMatch(/^Basic realm=/);
    expect(v2.headers['cache-control']).toBe('no-store');

    const unknown = await requestToken(app, GRANT, { id: 'nobody', secret: 'wrong' }, OAUTH_V2).expect(401);
    expect(unknown.body).toEqual(v2.body);
  });

  it('rejects an app without its secret', async () => {
    const v2 = await requestToken(app, { ...GRANT, client_id: app.trusted.id }, undefined, OAUTH_V2).expect(401);
    expect(v2.body.error).toBe('invalid_client');
  });

  it('allows the app’s own origins', async () => {
    const send = (origin: string) => requestToken(app, GRANT, app.trusted).set({ origin }).expect(200);
    const own = await send('http://127.0.0.1:9');
    expect(own.headers['access-control-allow-origin']).toBe('http://127.0.0.1:9');
    for (const origin of ['https://evil.test', 'null']) {
      expect((await send(origin)).headers).not.toHaveProperty('access-control-allow-origin');
    }
  });

  it('signs with RS256 when configured and keeps the previous keys', async () => {
    const rsa = await startApp({ TOKEN_ALG: 'RS256' });
    try {
      const response = await requestToken(rsa, GRANT, rsa.trusted).expect(200);
      expect(headerOf(response.body.access_token).alg).toBe('RS256');
      const authorization = `Bearer ${response.body.access_token as string}`;
      await rsa.api.get(`/passportsvc/api/v1/apps/${rsa.trusted.id}`).set({ authorization }).expect(200);
      const keys = await rsa.api.get(`${OAUTH_V1}/jwks`).expect(200);
      expect(keys.body.keys).toEqual([expect.objectContaining({ kty: 'RSA', alg: 'RS256', use: 'sig' })]);
    } finally {
      await rsa.stop();
    }
  });
});
