import { describe, expect, it } from '@jest/globals';
import { useApp } from './start-app.js';
import type { TestApp } from './start-app.js';
import { claimsOf, headerOf, OAUTH_V1, OAUTH_V2, requestToken } from './tokens.js';

const GRANT = { grant_type: 'client_credentials' };

describe('client credentials', () => {
  const app = useApp();

  it('issues a token that names the trusted app', async () => {
    const { headers, body } = await requestToken(app, GRANT, app.trusted).expect(200);
    expect(headers).toMatchObject({ 'cache-control': 'no-store', pragma: 'no-cache' });
    const { access_token: token, ...rest } = body;
    const claims = claimsOf(token);
    const names = { user_name: 'administration', app_id: 'administration' };
    expect(rest).toEqual({ token_type: 'bearer', expires_in: 3600, scope: 'read write', ...names, jti: claims.jti });
    expect(headerOf(token)).toEqual({ alg: 'ES256', typ: 'at+jwt', kid: expect.any(String) });
    expect(claims).toMatchObject({
      ...{ iss: `${app.url}${OAUTH_V1}`, aud: app.url, exp: (claims.iat as number) + 3600 },
      ...{ ...names, sub: 'administration', client_id: 'administration', name: 'Administration' },
      ...{ scope: ['read', 'write'], authorities: ['ROLE_APP', 'ROLE_TRUSTED_CLIENT'] },
    });
    expect(claims).not.toHaveProperty('grant_id');
  });

  it('counts lookups of apps', async () => {
    const instance = await app.startInstance();
    const lookups = async () => {
      const text = await instance.deps.registry.metrics();
      const counts = [...text.matchAll(/^cache_lookups_total\{cache="apps",outcome="(?:hit|miss)"\} (\d+)$/gm)];
      return counts.map(([, count]) => Number(count)).reduce((sum, count) => sum + count);
    };
    expect(await lookups()).toBe(0);
    await requestToken(instance, GRANT, app.trusted).expect(200);
    expect(await lookups()).toBeGreaterThan(0);
  });

  it('issues tokens for the configured audience, and accepts no other', async () => {
    const other = await app.startInstance({ OAUTH_AUDIENCE: 'https://other.test' });
    const tokenOf = async (instance: Pick<TestApp, 'api'>) =>
      (await requestToken(instance, GRANT, app.trusted).expect(200)).body.access_token as string;
    const statusOf = async ({ api }: Pick<TestApp, 'api'>, token: string) =>
      (await api.get(`/passportsvc/api/v1/apps/${app.trusted.id}`).set({ authorization: `Bearer ${token}` })).status;
    const [own, foreign] = [await tokenOf(app), await tokenOf(other)];
    expect(claimsOf(foreign).aud).toBe('https://other.test');
    expect([await statusOf(app, own), await statusOf(other, foreign)]).toEqual([200, 200]);
    expect([await statusOf(app, foreign), await statusOf(other, own)]).toEqual([401, 401]);
  });

  it('issues a token with the app role and lifetime to an untrusted app', async () => {
    const { second, shortLived } = app.dev;
    const ordinary = await requestToken(app, GRANT, { id: second.appId, secret: second.appSecret }).expect(200);
    expect(claimsOf(ordinary.body.access_token).authorities).toEqual(['ROLE_APP']);
    const brief = await requestToken(app, GRANT, { id: shortLived.appId, secret: shortLived.appSecret }).expect(200);
    expect(brief.body.expires_in).toBe(2);
  });

  it('accepts parameters as form, query or multipart, and the secret in the header or as a parameter', async () => {
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
  ])('parses the media type %p of parameters', async (type, start, status) => {
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

  it('is rejected with 403 on v1, with the status of RFC 6749 on v2, alike for unknown apps', async () => {
    const wrong = { id: app.trusted.id, secret: 'wrong-secret-0123456789' };
    const v1 = await requestToken(app, GRANT, wrong).expect(403);
    const v2 = await requestToken(app, GRANT, wrong, OAUTH_V2).expect(401);
    for (const { headers } of [v1, v2]) expect(headers['www-authenticate']).toMatch(/^Basic realm=/);
    expect(v1.body).toEqual({ error: 'invalid_client', error_description: expect.any(String) });
    expect([v2.body, v2.headers['cache-control']]).toEqual([v1.body, 'no-store']);
    const unknown = await requestToken(app, GRANT, { id: 'nobody', secret: 'wrong' }, OAUTH_V2).expect(401);
    expect(unknown.body).toEqual(v2.body);
  });

  it('rejects a request without the secret', async () => {
    const v2 = await requestToken(app, { ...GRANT, client_id: app.trusted.id }, undefined, OAUTH_V2).expect(401);
    expect(v2.body.error).toBe('invalid_client');
  });

  it("allows browsers on the app's own origins", async () => {
    const send = (origin: string) => requestToken(app, GRANT, app.trusted).set({ origin }).expect(200);
    const own = await send('http://127.0.0.1:9');
    expect(own.headers['access-control-allow-origin']).toBe('http://127.0.0.1:9');
    for (const origin of ['https://evil.test', 'null']) {
      expect((await send(origin)).headers).not.toHaveProperty('access-control-allow-origin');
    }
  });
});
