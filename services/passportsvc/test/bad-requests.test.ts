import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp } from './start-app.js';
import type { TestApp } from './start-app.js';
import { OAUTH_V1, OAUTH_V2 } from './tokens.js';

const FORM = 'application/x-www-form-urlencoded';
const GRANT = 'grant_type=client_credentials';
const base64 = (text: string) => Buffer.from(text).toString('base64');

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

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
  ])('are rejected with text that is not UTF-8 in a form (%s)', async (type, body) => {
    const request = app.api.post(`${OAUTH_V2}/token`).set({ 'content-type': type });
    const response = await request.serialize(() => Buffer.from(body, 'latin1') as never).send({});
    expect([response.status, response.body.error]).toEqual([400, 'invalid_request']);
  });

  it('are rejected without credentials', async () => {
    expect((await send(GRANT, {})).status).toBe(401);
  });

  it('are rejected when the body is not a set of parameters', async () => {
    const json = await send(JSON.stringify({ grant_type: 'client_credentials' }), {
      authorization: good,
      'content-type': 'application/json',
    });
    expect([json.status, json.body.error]).toEqual([400, 'invalid_request']);
    const broken = await send('--x\r\nbroken', {
      authorization: good,
      'content-type': 'multipart/form-data; boundary=x',
    });
    expect([broken.status, broken.body.error]).toEqual([400, 'invalid_request']);
    const gzip = await send(GRANT, { authorization: good, 'content-encoding': 'gzip' });
    expect(gzip.status).toBe(415);
    expect(gzip.body.error).toEqual(expect.any(String));
  });

  it.each([
    'client_secret',
    'code',
    'code_verifier',
    'redirect_uri',
    'refresh_token',
    'refresh_code',
    'scope',
    'subject',
    'subject_type',
    'subject_token',
    'subject_token_type',
    'requested_token_type',
    'actor_token',
  ])('are rejected with a name when %s is too long', async (name) => {
    const { body } = await send(`${GRANT}&${name}=${'x'.repeat(9000)}`, { authorization: good }).expect(400);
    expect(body).toEqual({
      error: 'invalid_request',
      error_description: expect.stringMatching(new RegExp(`^${name} must not be longer than \\d+ characters.$`)),
    });
  });

  it('are rejected with a name when client_id is too long', async () => {
    const { body } = await send(`${GRANT}&client_id=${'x'.repeat(65)}`, {}).expect(400);
    expect(body.error_description).toBe('client_id must not be longer than 64 characters.');
  });

  it('are rejected when they are too large', async () => {
    const body = `${GRANT}&scope=${'x'.repeat(64 * 1024)}`;
    const response = await send(body, { authorization: good });
    expect(response.status).toBe(413);
    expect(response.body.error).toBe('payload_too_large');
  });

  it('are rejected with another method', async () => {
    const response = await app.api.put(`${OAUTH_V1}/token`).send('x');
    expect(response.status).toBe(405);
    expect(response.headers.allow).toContain('POST');
    const get = await app.api.get(`${OAUTH_V1}/token`).query({ grant_type: 'client_credentials' });
    expect(get.status).toBe(405);
  });

  it('are logged without their secrets', async () => {
    const lines: string[] = [];
    const { log } = app.deps;
    const spy = { ...log, info: (line: unknown) => lines.push(JSON.stringify(line)) };
    const quiet = await app.startInstance();
    try {
      Object.assign(quiet.deps.log, { info: spy.info, error: spy.info });
      await quiet.api
        .get(`${OAUTH_V1}/token?grant_type=refresh_token&refresh_token=hush-hush`)
        .set({ authorization: good });
      await quiet.api.post(`${OAUTH_V1}/token?client_secret=hush-hush&client_id=x&grant_type=y`);
    } finally {
      await quiet.stop();
    }
    expect(lines.length).toBeGreaterThanOrEqual(2);
    expect(lines.join('\n')).not.toContain('hush-hush');
  });

  it('do no harm when the connection breaks', async () => {
    const { hostname, port } = new URL(app.url);
    const head = `POST ${OAUTH_V1}/token HTTP/1.1\r\nhost: x\r\ncontent-type: ${FORM}\r\ncontent-length: 100\r\n\r\ngrant`;
    await new Promise<void>((resolve, reject) => {
      const socket = connect(Number(port), hostname, () => socket.end(head));
      socket
        .on('close', () => resolve())
        .on('error', reject)
        .resume();
    });
    await send(GRANT, { authorization: good }).expect(200);
  });
});

describe('other malformed requests', () => {
  it('are answered with a 4xx status', async () => {
    const paths = [
      '/passportsvc/api/v1/oauth/%zz',
      '/passportsvc/api/v1/oauth/nothing',
      '/passportsvc/api/v2/oauth/jwks',
    ];
    for (const path of paths) {
      const response = await app.api.get(path);
      expect(response.status).toBeGreaterThanOrEqual(400);
      expect(response.status).toBeLessThan(500);
    }
    const double = await app.api.get(`${OAUTH_V1}/authorize?client_id=a&client_id=b&response_type=code`);
    expect(double.status).toBe(400);
    expect((await app.api.get(`${OAUTH_V1}/authorize`)).status).toBe(400);
    for (const query of ['stray=caf%E9', 'stray=a%00b', '%FF=1', 'stray=%']) {
      for (const path of ['oauth/authorize', 'account'])
        expect((await app.api.get(`/passportsvc/api/v1/${path}?${query}`)).status).toBe(400);
    }
    expect((await app.api.get(`${OAUTH_V1}/authorize/xyz`)).status).toBe(400);
    expect((await app.api.get(`${OAUTH_V1}/signin/xyz`)).status).toBe(400);
    expect((await app.api.post(`${OAUTH_V1}/signin/xyz`).type('form').send({ username: 'a' })).status).toBe(400);
    expect((await app.api.get(`${OAUTH_V1}/consent/xyz`)).status).toBe(400);
    expect((await app.api.post(`${OAUTH_V1}/consent/xyz`).type('form').send({ decision: 'allow' })).status).toBe(400);
    const logout = '/passportsvc/api/v1/logout';
    expect((await app.api.post(logout).send({ csrf_token: 'x' })).status).toBe(400);
    expect((await app.api.post(logout).type('form').send('x'.repeat(70_000))).status).toBe(413);
    const signOut = (query: string) => app.api.get(`${logout}?id_token_hint=a.b.c&${query}`);
    expect((await signOut('post_logout_redirect_uri=x&state=y')).status).toBe(200);
    expect((await signOut('post_logout_redirect_uri=%00')).status).toBe(400);
    expect((await signOut('state=%zz')).status).toBe(400);
  });
});
