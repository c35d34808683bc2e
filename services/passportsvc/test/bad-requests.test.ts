import { beforeAll, describe, expect, it } from '@jest/globals';
import { useApp } from './start-app.js';
import { OAUTH_V1, OAUTH_V2 } from './tokens.js';

const FORM = 'application/x-www-form-urlencoded';
const GRANT = 'grant_type=client_credentials';
const base64 = (text: string) => Buffer.from(text).toString('base64');

const app = useApp();

describe('malformed token requests', () => {
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
    ['without parameters', '', 400, 'invalid_request'],
    ['without grant_type', 'scope=read', 400, 'invalid_request'],
    ['with an unknown grant type', 'grant_type=password&username=a&password=b', 400, 'unsupported_grant_type'],
    ['with a NUL in the grant type', 'grant_type=client_credentials%00', 400, 'invalid_request'],
    ['with a repeated grant_type', `${GRANT}&${GRANT}`, 400, 'invalid_request'],
    ['with a repeated scope', `${GRANT}&scope=read&scope=write`, 400, 'invalid_request'],
    ['with a client_id that differs from the header', `${GRANT}&client_id=other`, 400, 'invalid_request'],
    ['with two secrets', `${GRANT}&client_secret=another`, 400, 'invalid_request'],
    ['with an invalid escape', 'grant_type=%zz%', 400, 'invalid_request'],
    ['without a code', 'grant_type=authorization_code&redirect_uri=x', 400, 'invalid_request'],
    ['with a code of NULs', 'grant_type=authorization_code&redirect_uri=x&code=%00%00', 400, 'invalid_request'],
    ['without a refresh token', 'grant_type=refresh_token', 400, 'invalid_request'],
    ['with a grant_type that is too long', `grant_type=${'x'.repeat(129)}`, 400, 'invalid_request'],
    ['with names of prototype properties', `__proto__=1&constructor=2&${GRANT}x`, 400, 'unsupported_grant_type'],
  ])('are rejected %s', async (_, body, status, error) => {
    const v2 = await send(body, { authorization: good });
    expect([v2.status, v2.body.error]).toEqual([status, error]);
    const v1 = await send(body, { authorization: good }, OAUTH_V1);
    expect([v1.status, v1.body]).toEqual([403, v2.body]);
    expect(v1.headers['cache-control']).toBe('no-store');
    if (error === 'unsupported_grant_type') {
      expect(v2.body.error_description).toMatch(/authorization_code, refresh_token, client_credentials/);
    }
  });

  it.each([
    ['without a scheme', base64('a:b')],
    ['with another scheme', 'Bearer abc'],
    ['that is not base64', 'Basic §§§'.replace(/§/g, '!')],
    ['without a colon', `Basic ${base64('administration')}`],
    ['without an id', `Basic ${base64(':secret')}`],
    ['with a NUL', `Basic ${base64('administration\0:secret')}`],
    ['with bytes that are not UTF-8', `Basic ${Buffer.from([0xff, 0x3a, 0xfe]).toString('base64')}`],
    ['with an invalid escape', `Basic ${base64('%zz:%zz')}`],
    ['that is empty', 'Basic '],
  ])('are rejected with an Authorization header %s', async (_, authorization) => {
    const response = await send(GRANT, { authorization });
    expect([response.status, response.body.error]).toEqual([401, 'invalid_client']);
    expect((await send(GRANT, { authorization }, OAUTH_V1)).status).toBe(403);
  });

  it.each([
    [FORM, 'grant_type=client_credentials&client_id=caf%E9'],
    [FORM, Buffer.from('grant_type=client_credentials&client_id=café', 'latin1').toString('latin1')],
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
    ['application/json', JSON.stringify({ grant_type: 'client_credentials' }), {}, 400],
    ['multipart/form-data; boundary=x', '--x\r\nbroken', {}, 400],
    [FORM, GRANT, { 'content-encoding': 'gzip' }, 415],
    [FORM, `${GRANT}&scope=${'x'.repeat(64 * 1024)}`, {}, 413],
  ])('are rejected with a body of %s (%#)', async (type, body, headers, status) => {
    const response = await send(body, { authorization: good, 'content-type': type, ...headers });
    expect([response.status, response.body.error]).toEqual([status, expect.any(String)]);
  });

  it.each(
    (
      'client_secret code code_verifier redirect_uri refresh_token refresh_code scope subject subject_type ' +
      'subject_token subject_token_type requested_token_type actor_token client_id'
    ).split(' '),
  )('name the parameter %s when it is too long', async (name) => {
    const headers: Record<string, string> = name === 'client_id' ? {} : { authorization: good };
    const { body } = await send(`${GRANT}&${name}=${'x'.repeat(9000)}`, headers).expect(400);
    const error_description = expect.stringMatching(new RegExp(`^${name} must not be longer than \\d+ characters.$`));
    expect(body).toEqual({ error: 'invalid_request', error_description });
  });

  it('are rejected with another method', async () => {
    const response = await app.api.put(`${OAUTH_V1}/token`).send('x');
    expect(response.status).toBe(405);
    expect(response.headers.allow).toContain('POST');
    const get = await app.api.get(`${OAUTH_V1}/token`).query({ grant_type: 'client_credentials' });
    expect(get.status).toBe(405);
  });
});

describe('other malformed requests', () => {
  it.each([
    ...[
      'oauth/%zz',
      'oauth/nothing',
      'oauth/authorize',
      'oauth/authorize/xyz',
      'oauth/signin/xyz',
      'oauth/consent/xyz',
    ],
    ...['oauth/authorize?client_id=a&client_id=b&response_type=code', 'logout?state=%zz'],
    'logout?id_token_hint=a.b.c&post_logout_redirect_uri=%00',
    ...['stray=caf%E9', 'stray=a%00b', '%FF=1', 'stray=%'].flatMap((q) => [`oauth/authorize?${q}`, `account?${q}`]),
  ])('respond with 4xx to GET %s', async (path) => {
    const { status } = await app.api.get(`/passportsvc/api/v1/${path}`);
    expect([400, 404]).toContain(status);
  });

  it.each([
    ['oauth/signin/xyz', 'form', { username: 'a' }, 400],
    ['oauth/consent/xyz', 'form', { decision: 'allow' }, 400],
    ['logout', 'json', { csrf_token: 'x' }, 400],
    ['logout', 'form', 'x'.repeat(70_000), 413],
  ])('respond with 4xx to POST %s (%#)', (path, type, body, status) =>
    app.api.post(`/passportsvc/api/v1/${path}`).type(type).send(body).expect(status),
  );
});
