import { describe, expect, it } from '@jest/globals';
import { createBrowser } from './browser.js';
import { useApp } from './start-app.js';
import { claimsOf, codeFor, OAUTH_V1, OAUTH_V2, redeem, requestToken, s256 } from './tokens.js';

const VERIFIER = '0123456789abcdef';

describe('refresh token', () => {
  const app = useApp();
  const browser = createBrowser();

  async function bySecret() {
    const response = await redeem(app, await codeFor(app, {}, browser), {}, app.trusted).expect(200);
    return response.body as { access_token: string; refresh_token: string };
  }
  async function byPkce() {
    const challenge = { code_challenge: s256(VERIFIER), code_challenge_method: 'S256' };
    const code = await codeFor(app, challenge, browser);
    const response = await redeem(app, code, { client_id: app.trusted.id, code_verifier: VERIFIER }).expect(200);
    return response.body as { access_token: string; refresh_token: string };
  }
  const refreshForm = (refresh_token: string) => ({ grant_type: 'refresh_token', refresh_token });
  const withSecret = (token: string, version = OAUTH_V1) => requestToken(app, refreshForm(token), app.trusted, version);
  const asPublic = (token: string, version = OAUTH_V1) =>
    requestToken(app, { ...refreshForm(token), client_id: app.trusted.id }, undefined, version);
  const selfStatus = async (token: string) => {
    const authorization = `Bearer ${token}`;
    return (await app.send('get', `/passportsvc/api/v1/apps/${app.trusted.id}`, authorization)).status;
  };

  it('is replaced with each use', async () => {
    const first = await bySecret();
    const second = await withSecret(first.refresh_token).expect(200);
    expect(second.body.refresh_token).not.toBe(first.refresh_token);
    expect(claimsOf(second.body.access_token).grant_id).toBe(claimsOf(first.access_token).grant_id);
    expect(second.body).toMatchObject({ token_type: 'bearer', scope: 'read write', app_id: app.trusted.id });
    await withSecret(second.body.refresh_token).expect(200);
  });

  it('revokes all tokens of the sign-in when it is reused', async () => {
    const first = await bySecret();
    const second = await withSecret(first.refresh_token).expect(200);
    expect(await selfStatus(second.body.access_token)).toBe(200);

    const reused = await withSecret(first.refresh_token, OAUTH_V2).expect(400);
    expect(reused.body.error).toBe('invalid_grant');
    await withSecret(second.body.refresh_token).expect(403);
    expect(await selfStatus(first.access_token)).toBe(401);
    expect(await selfStatus(second.body.access_token)).toBe(401);
  });

  it('leaves other sign-ins of the browser valid when one is revoked', async () => {
    const [one, other] = [await bySecret(), await bySecret()];
    await withSecret(one.refresh_token).expect(200);
    await withSecret(one.refresh_token).expect(403);
    expect(await selfStatus(other.access_token)).toBe(200);
    await withSecret(other.refresh_token).expect(200);
  });

  it('is accepted from one of several concurrent requests, and the reuse revokes all tokens', async () => {
    for (const attempt of [bySecret, byPkce]) {
      const { refresh_token, access_token } = await attempt();
      const send = attempt === bySecret ? withSecret : asPublic;
      const responses = await Promise.all(Array.from({ length: 8 }, () => send(refresh_token)));
      const accepted = responses.filter(({ status }) => status === 200);
      expect(accepted).toHaveLength(1);
      expect(responses.filter(({ status }) => status === 403)).toHaveLength(7);
      const { body } = accepted[0]!;
      expect([await selfStatus(access_token), await selfStatus(body.access_token)]).toEqual([401, 401]);
      await send(body.refresh_token).expect(403);
    }
  });

  it('needs the secret if the code did, and survives a missing or wrong secret', async () => {
    const { refresh_token } = await bySecret();
    expect((await asPublic(refresh_token, OAUTH_V2).expect(401)).body.error).toBe('invalid_client');
    const wrong = { ...app.trusted, secret: 'wrong-secret-0123456789' };
    await requestToken(app, refreshForm(refresh_token), wrong).expect(403);
    await withSecret(refresh_token).expect(200);
  });

  it('needs the client_id under PKCE', async () => {
    const first = await byPkce();
    expect((await requestToken(app, refreshForm(first.refresh_token))).body.error).toBe('invalid_client');
    const second = await asPublic(first.refresh_token).expect(200);
    await withSecret(second.body.refresh_token).expect(200);
  });

  it('is rejected for another app and remains valid', async () => {
    const { refresh_token } = await bySecret();
    const second = { id: app.dev.second.appId, secret: app.dev.second.appSecret };
    await requestToken(app, refreshForm(refresh_token), second).expect(403);
    await withSecret(refresh_token).expect(200);
  });

  it('may be sent as form, query or multipart, with GET on version 1, and under its aliases', async () => {
    let { refresh_token: token } = await bySecret();
    const forms = [
      (t: string) => app.api.post(`${OAUTH_V1}/token`).query(refreshForm(t)),
      (t: string) => app.api.get(`${OAUTH_V1}/token`).query(refreshForm(t)),
      (t: string) => app.api.post(`${OAUTH_V1}/token`).query({ grant_type: 'refresh_code', refresh_token: t }),
      (t: string) =>
        app.api.post(`${OAUTH_V1}/token`).type('form').send({ grant_type: 'refresh_code', refresh_code: t }),
      (t: string) => app.api.post(`${OAUTH_V1}/token`).field('grant_type', 'refresh_token').field('refresh_token', t),
      (t: string) => app.api.get(`${OAUTH_V1}/token`).query({ grant_type: 'refresh_code', refresh_code: t }),
      (t: string) => app.api.post(`${OAUTH_V2}/token`).query({ grant_type: 'refresh_token', refresh_code: t }),
    ];
    for (const send of forms) {
      const response = await send(token).auth(app.trusted.id, app.trusted.secret).expect(200);
      token = response.body.refresh_token as string;
    }
    await app.api
      .get(`${OAUTH_V2}/token`)
      .query(refreshForm(token))
      .auth(app.trusted.id, app.trusted.secret)
      .expect(405);
  });

  it('is rejected when forged, without revoking anything', async () => {
    const { refresh_token, access_token } = await bySecret();
    const [id, , proof] = refresh_token.split('.');
    for (const token of [
      'x',
      `${id}.1.x`,
      `${id}.2.${proof}`,
      `${id}.0.${proof}`,
      `${refresh_token}x`,
      '\0',
      'é'.repeat(50),
    ]) {
      await withSecret(token).expect(403);
    }
    expect(await selfStatus(access_token)).toBe(200);
    await withSecret(refresh_token).expect(200);
  });

  it('is rejected once its user is deactivated', async () => {
    const { refresh_token } = await bySecret();
    const users = app.deps.mongo.db.collection('users');
    await users.updateMany({}, { $set: { active: false } });
    const replica = await app.startInstance();
    try {
      await requestToken(replica, refreshForm(refresh_token), app.trusted).expect(403);
    } finally {
      await users.updateMany({}, { $set: { active: true } });
    }
  });
});
