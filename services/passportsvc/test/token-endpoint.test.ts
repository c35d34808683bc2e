import { beforeAll, describe, expect, it } from '@jest/globals';
import { useApp } from './start-app.js';
import type { TestApp } from './start-app.js';
import { claimsOf, headerOf, OAUTH_V1, OAUTH_V2, readSelf, requestToken } from './tokens.js';

const GRANT = { grant_type: 'client_credentials' };
const FORM = 'application/x-www-form-urlencoded';
const base64 = (text: string) => Buffer.from(text).toString('base64');

const app = useApp();

describe('client credentials', () => {
  it('issue a token that names the trusted app', async () => {
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

  it('issue tokens for the configured audience, and accept no other', async () => {
    const other = { ...(await app.startInstance({ OAUTH_AUDIENCE: 'https://other.test' })), trusted: app.trusted };
    const tokenOf = async (instance: Pick<TestApp, 'api'>) =>
      (await requestToken(instance, GRANT, app.trusted).expect(200)).body.access_token as string;
    const [own, foreign] = [await tokenOf(app), await tokenOf(other)];
    expect(claimsOf(foreign).aud).toBe('https://other.test');
    for (const [instance, token, status] of [
      [app, own, 200],
      [other, foreign, 200],
      [app, foreign, 401],
      [other, own, 401],
    ] as const)
      await readSelf(instance, `Bearer ${token}`).expect(status);
    const metrics = await other.deps.registry.metrics();
    expect(metrics).toMatch(/^cache_lookups_total\{cache="apps",outcome="(hit|miss)"\} [1-9]/m);
  });

  it('issue a token with the app role and lifetime to an untrusted app', async () => {
    const ordinary = await requestToken(app, GRANT, app.second).expect(200);
    expect(claimsOf(ordinary.body.access_token).authorities).toEqual(['ROLE_APP']);
    const brief = await requestToken(app, GRANT, app.shortLived).expect(200);
    expect(brief.body.expires_in).toBe(2);
  });

  it('accept the secret as a parameter, and a trailing slash', async () => {
    const { id, secret } = app.trusted;
    await requestToken(app, { ...GRANT, client_id: id, client_secret: secret }).expect(200);
    await requestToken(app, { ...GRANT, client_id: id }, app.trusted).expect(200);
    await app.api.post(`${OAUTH_V1}/token/`).auth(id, secret).type('form').send(GRANT).expect(200);
  });

  it.each([
    ['Application/X-WWW-Form-Urlencoded; Charset=UTF-8', 'grant_type=client_credentials', 200],
    ['application/x-www-form-urlencoded-2', 'grant_type=client_credentials', 403],
    ['Multipart/Form-Data; Boundary="=b(1)"', '--=b(1)', 200],
    ['multipart/form-data;boundary=\t=b(1)', '--=b(1)', 200],
    ['multipart/form-data-2; boundary=b', '--b', 403],
  ])('parse the media type %p of parameters', async (type, start, status) => {
    const field = '\r\nContent-Disposition: form-data; name="grant_type"\r\n\r\nclient_credentials\r\n';
    const body = start.startsWith('--') ? `${start}${field}${start}--\r\n` : start;
    const { id, secret } = app.trusted;
    await app.api.post(`${OAUTH_V1}/token`).auth(id, secret).set('content-type', type).send(body).expect(status);
  });

  it('accept secrets with any characters, form-encoded or not', async () => {
    const secret = 'a+b/c=d%41 e:f&g-0123';
    await app.migrate({ SERVICE_CLIENT_ID: 'special', SERVICE_CLIENT_SECRET: secret });
    await requestToken(app, GRANT, { id: 'special', secret }).expect(200);
    const encoded = encodeURIComponent(secret).replaceAll('%20', '+');
    await requestToken(app, GRANT, { id: 'special', secret: encoded }).expect(200);
    await requestToken(app, GRANT, { id: 'special', secret: `${secret}x` }).expect(403);
  });

  it('grant read write for every known scope', async () => {
    for (const scope of ['read write', 'scim', 'read', 'write scim', '']) {
      const response = await requestToken(app, { ...GRANT, scope }, app.trusted).expect(200);
      expect(response.body.scope).toBe('read write');
    }
    const response = await requestToken(app, { ...GRANT, scope: 'read admin' }, app.trusted).expect(403);
    expect(response.body.error).toBe('invalid_scope');
  });

  it('are rejected with 403 on v1, with the status of RFC 6749 on v2, alike for unknown apps', async () => {
    const wrong = { id: app.trusted.id, secret: 'wrong-secret-0123456789' };
    const v1 = await requestToken(app, GRANT, wrong).expect(403);
    const v2 = await requestToken(app, GRANT, wrong, OAUTH_V2).expect(401);
    for (const { headers } of [v1, v2]) expect(headers['www-authenticate']).toMatch(/^Basic realm=/);
    expect(v1.body).toEqual({ error: 'invalid_client', error_description: expect.any(String) });
    expect([v2.body, v2.headers['cache-control']]).toEqual([v1.body, 'no-store']);
    const unknown = await requestToken(app, GRANT, { id: 'nobody', secret: 'wrong' }, OAUTH_V2).expect(401);
    expect(unknown.body).toEqual(v2.body);
    const without = await requestToken(app, { ...GRANT, client_id: app.trusted.id }, undefined, OAUTH_V2).expect(401);
    expect(without.body.error).toBe('invalid_client');
  });

  it("allow browsers on the app's own origins", async () => {
    const send = (origin: string) => requestToken(app, GRANT, app.trusted).set({ origin }).expect(200);
    const own = await send('http://127.0.0.1:9');
    expect(own.headers['access-control-allow-origin']).toBe('http://127.0.0.1:9');
    for (const origin of ['https://evil.test', 'null'])
      expect((await send(origin)).headers).not.toHaveProperty('access-control-allow-origin');
  });
});

/** tests/e2e/malformed.test.ts and the corpus send further invalid input. */
describe('malformed token requests', () => {
  const CREDENTIALS = 'grant_type=client_credentials';
  let good: string;
  beforeAll(() => {
    good = `Basic ${base64(`${app.trusted.id}:${app.trusted.secret}`)}`;
  });

  const send = (body: string, headers: Record<string, string>, path = OAUTH_V2) =>
    app.api
      .post(`${path}/token`)
      .set({ 'content-type': FORM, ...headers })
      .send(body);

  it.each([
    ['without parameters', '', 'invalid_request'],
    ['with an unknown grant type', 'grant_type=password&username=a&password=b', 'unsupported_grant_type'],
    ['with a NUL in the grant type', 'grant_type=client_credentials%00', 'invalid_request'],
    ['with a repeated scope', `${CREDENTIALS}&scope=read&scope=write`, 'invalid_request'],
    ['with a client_id that differs from the header', `${CREDENTIALS}&client_id=other`, 'invalid_request'],
    ['with two secrets', `${CREDENTIALS}&client_secret=another`, 'invalid_request'],
    ['with an invalid escape', 'grant_type=%zz%', 'invalid_request'],
    ['without a code', 'grant_type=authorization_code&redirect_uri=x', 'invalid_request'],
    ['without a refresh token', 'grant_type=refresh_token', 'invalid_request'],
    ['with names of prototype properties', `__proto__=1&constructor=2&${CREDENTIALS}x`, 'unsupported_grant_type'],
  ])('are rejected %s', async (_, body, error) => {
    const v2 = await send(body, { authorization: good });
    expect([v2.status, v2.body.error]).toEqual([400, error]);
    const v1 = await send(body, { authorization: good }, OAUTH_V1);
    expect([v1.status, v1.body]).toEqual([403, v2.body]);
    expect(v1.headers['cache-control']).toBe('no-store');
    if (error === 'unsupported_grant_type')
      expect(v2.body.error_description).toMatch(/authorization_code, refresh_token, client_credentials/);
  });

  it.each([
    ['without a scheme', base64('a:b')],
    ['with another scheme', 'Bearer abc'],
    ['that is not base64', 'Basic !!!'],
    ['without a colon', `Basic ${base64('administration')}`],
    ['without an id', `Basic ${base64(':secret')}`],
    ['with a NUL', `Basic ${base64('administration\0:secret')}`],
    ['with bytes that are not UTF-8', `Basic ${Buffer.from([0xff, 0x3a, 0xfe]).toString('base64')}`],
    ['with an invalid escape', `Basic ${base64('%zz:%zz')}`],
  ])('are rejected with an Authorization header %s', async (_, authorization) => {
    const response = await send(CREDENTIALS, { authorization });
    expect([response.status, response.body.error]).toEqual([401, 'invalid_client']);
  });

  it.each([
    [FORM, 'grant_type=client_credentials&client_id=caf%E9'],
    [FORM, 'grant_type=client_credentials&client_id=caf\xe9'],
    [FORM, 'grant_type=client_credentials&client_id=a%00'],
    [
      'multipart/form-data; boundary=b',
      '--b\r\nContent-Disposition: form-data; name="client_id"\r\n\r\ncaf\xe9\r\n--b--\r\n',
    ],
  ])('are rejected with invalid UTF-8 in a form (%s)', async (type, body) => {
    const request = app.api.post(`${OAUTH_V2}/token`).set({ 'content-type': type });
    const response = await request.serialize(() => Buffer.from(body, 'latin1') as never).send({});
    expect([response.status, response.body.error]).toEqual([400, 'invalid_request']);
  });

  it.each([
    ['multipart/form-data; boundary=x', '--x\r\nbroken', {}, 400],
    [FORM, CREDENTIALS, { 'content-encoding': 'gzip' }, 415],
    [FORM, `${CREDENTIALS}&scope=${'x'.repeat(64 * 1024)}`, {}, 413],
  ])('are rejected with a body of %s (%#)', async (type, body, headers, status) => {
    const response = await send(body, { authorization: good, 'content-type': type, ...headers });
    expect([response.status, response.body.error]).toEqual([status, expect.any(String)]);
  });

  it('name the parameter that is too long', async () => {
    const names =
      'client_secret code code_verifier redirect_uri refresh_token refresh_code scope subject subject_type ' +
      'subject_token subject_token_type requested_token_type actor_token client_id';
    for (const name of names.split(' ')) {
      const headers: Record<string, string> = name === 'client_id' ? {} : { authorization: good };
      const { body } = await send(`${CREDENTIALS}&${name}=${'x'.repeat(9000)}`, headers).expect(400);
      const error_description = expect.stringMatching(new RegExp(`^${name} must not be longer than \\d+ characters.$`));
      expect(body).toEqual({ error: 'invalid_request', error_description });
    }
  });
});
