import { describe, expect, it } from '@jest/globals';
import { eventually } from '@dtplatform/testing';
import { createBrowser } from './browser.js';
import { REDIRECT_URI, useApp } from './start-app.js';
import { asApp, authorizeUrl, claimsOf, codeFor, OAUTH_V1, OAUTH_V2, redeem, requestToken, s256 } from './tokens.js';
import { createUserClient } from './user-client.js';

const VERIFIER = 'a-verifier-of-a-single-page-application-0123456789';

describe('authorization code', () => {
  const app = useApp();
  /** Signed in, so that obtaining a code needs no password check. */
  const browser = createBrowser();
  const code = (more = {}) => codeFor(app, more, browser);
  const pkceCode = (verifier = VERIFIER) => code({ code_challenge: s256(verifier), code_challenge_method: 'S256' });
  const publicClient = () => ({ client_id: app.trusted.id });

  it('is exchanged for tokens with the secret', async () => {
    const { body } = await redeem(app, await code(), publicClient(), app.trusted).expect(200);
    const claims = claimsOf(body.access_token);
    const user = { user_name: claims.sub };
    expect(body).toMatchObject({
      ...{ ...user, token_type: 'bearer', expires_in: 3600, scope: 'read write', refresh_token: expect.any(String) },
      ...{ app_id: app.trusted.id, jti: claims.jti },
    });
    const authorities = ['ROLE_USER', 'ROLE_ADMIN'];
    const client = { client_id: app.trusted.id, grant_id: expect.any(String) };
    expect(claims).toMatchObject({ ...user, ...client, name: 'Administrator', authorities });
  });

  it('needs no client_id beside a Basic header; state is returned only if it was sent', async () => {
    const state = async (more = {}) =>
      (await browser.signIn(authorizeUrl(app, more), app.admin, REDIRECT_URI)).searchParams;
    const back = await state({ state: 'x y&z', nonce: 'n', audience: 'x', stray: '1' });
    expect(back.get('state')).toBe('x y&z');
    await redeem(app, back.get('code')!, {}, app.trusted).expect(200);
    expect((await state()).has('state')).toBe(false);
  });

  it('belongs to the user of its browser under concurrent sign-ins', async () => {
    const users = createUserClient(app, await asApp(app));
    const people = [1, 2, 3, 4].map((n) => ({ userName: `at-once-${n}@x.test`, password: 'correct-horse-battery' }));
    const created = await Promise.all(people.map((user) => users.create(user)));
    const browsers = people.map(() => createBrowser());
    const codes = () => Promise.all(people.map((user, n) => codeFor(app, {}, browsers[n], user)));
    await codes();
    const responses = await Promise.all(
      (await codes()).map((given) => redeem(app, given, {}, app.trusted).expect(200)),
    );
    expect(responses.map(({ body }) => claimsOf(body.access_token).sub)).toEqual(created.map(({ id }) => id));
  });

  it('is rejected without the secret and remains valid', async () => {
    const given = await code();
    const rejected = await redeem(app, given, publicClient(), undefined, OAUTH_V2).expect(401);
    expect(rejected.body).toMatchObject({
      error: 'invalid_client',
      error_description: 'The client must send its secret, or the code_verifier of the code.',
    });
    const invented = await redeem(app, given, { ...publicClient(), code_verifier: VERIFIER }).expect(403);
    expect(invented.body.error).toBe('invalid_grant');
    await redeem(app, given, {}, { ...app.trusted, secret: 'wrong-secret-0123456789' }).expect(403);
    await redeem(app, given, {}, app.trusted).expect(200);
  });

  it('is rejected for another redirect_uri or another app and remains valid', async () => {
    const given = await code();
    const second = { id: app.dev.second.appId, secret: app.dev.second.appSecret };
    await redeem(app, given, { redirect_uri: `${REDIRECT_URI}/` }, app.trusted).expect(403);
    await redeem(app, given, {}, second).expect(403);
    await redeem(app, given, {}, app.trusted).expect(200);
  });

  it('revokes the tokens of the first redemption when it is redeemed again', async () => {
    const given = await code();
    const first = await redeem(app, given, {}, app.trusted).expect(200);
    const authorization = `Bearer ${first.body.access_token as string}`;
    const self = `/passportsvc/api/v1/apps/${app.trusted.id}`;
    await app.send('get', self, authorization).expect(200);
    const again = await redeem(app, given, {}, app.trusted, OAUTH_V2).expect(400);
    expect(again.body.error).toBe('invalid_grant');
    await app.send('get', self, authorization).expect(401);
    const refresh = { grant_type: 'refresh_token', refresh_token: first.body.refresh_token as string };
    await requestToken(app, refresh, app.trusted).expect(403);
  });

  it('is redeemed by one of several concurrent requests', async () => {
    const given = await code();
    const responses = await Promise.all(Array.from({ length: 8 }, () => redeem(app, given, {}, app.trusted)));
    const accepted = responses.filter(({ status }) => status === 200);
    expect(accepted).toHaveLength(1);
    const refresh = { grant_type: 'refresh_token', refresh_token: accepted[0]!.body.refresh_token as string };
    await requestToken(app, refresh, app.trusted).expect(403);
  });

  describe('with PKCE', () => {
    it('is exchanged for tokens with the verifier, without a secret or with the right one', async () => {
      const response = await redeem(app, await pkceCode(), { ...publicClient(), code_verifier: VERIFIER }).expect(200);
      expect(response.body.refresh_token).toEqual(expect.any(String));
      await redeem(app, await pkceCode(), { code_verifier: VERIFIER }, app.trusted).expect(200);
      const wrong = { ...app.trusted, secret: 'wrong-secret-0123456789' };
      await redeem(app, await pkceCode(), { code_verifier: VERIFIER }, wrong).expect(403);
    });

    it('is rejected with a wrong or missing verifier, even with the secret, and remains valid', async () => {
      const given = await pkceCode();
      await redeem(app, given, { ...publicClient(), code_verifier: `${VERIFIER}x` }).expect(403);
      const { body } = await redeem(app, given, publicClient()).expect(403);
      const error_description = expect.stringContaining('code_verifier is missing');
      expect(body).toEqual({ error: 'invalid_request', error_description });
      await redeem(app, given, {}, app.trusted).expect(403);
      await redeem(app, given, { ...publicClient(), code_verifier: VERIFIER }).expect(200);
    });

    it.each([16, 64, 128])('accepts a verifier of %d characters', async (length) => {
      const verifier = 'v'.repeat(length);
      await redeem(app, await pkceCode(verifier), { ...publicClient(), code_verifier: verifier }).expect(200);
    });

    it.each([15, 129])('rejects a verifier of %d characters', async (length) => {
      const verifier = 'v'.repeat(length);
      const redeemed = redeem(app, await pkceCode(verifier), { ...publicClient(), code_verifier: verifier });
      expect((await redeemed.expect(403)).body.error).toBe('invalid_request');
    });

    it('accepts the challenge in base64url and base64, padded or not, escaped or not', async () => {
      // Its challenge contains both characters in which the two alphabets differ.
      const verifier = Array.from({ length: 1000 }, (_, n) => `verifier-number-${n}-0123456789`).find((candidate) =>
        /-.*_|_.*-/.test(s256(candidate)),
      )!;
      const base64url = s256(verifier);
      const base64 = Buffer.from(base64url, 'base64url').toString('base64');
      for (const challenge of [base64url, `${base64url}=`, base64, base64.replace('=', '')]) {
        const given = await code({ code_challenge: challenge, code_challenge_method: 'S256' });
        await redeem(app, given, { ...publicClient(), code_verifier: verifier }).expect(200);
      }
      const url = `${authorizeUrl(app, { code_challenge_method: 'S256' }).href}&code_challenge=${base64}`;
      const back = await browser.signIn(url, app.admin, REDIRECT_URI);
      await redeem(app, back.searchParams.get('code')!, { ...publicClient(), code_verifier: verifier }).expect(200);
    });

    it('treats an empty secret in the header as that of a public client', async () => {
      const anonymous = { id: app.trusted.id, secret: '' };
      await redeem(app, await pkceCode(), { code_verifier: VERIFIER }, anonymous).expect(200);
      await redeem(app, await code(), {}, anonymous).expect(403);
    });

    it('rejects the method plain', async () => {
      const url = authorizeUrl(app, { code_challenge: s256(VERIFIER), code_challenge_method: 'plain' });
      const back = await browser.signIn(url, app.admin, REDIRECT_URI);
      expect(back.searchParams.get('error')).toBe('invalid_request');
    });
  });

  it('works on the paths of version 2', async () => {
    const back = await browser.signIn(authorizeUrl(app, {}, OAUTH_V2), app.admin, REDIRECT_URI);
    await redeem(app, back.searchParams.get('code')!, {}, app.trusted, OAUTH_V2).expect(200);
  });

  it('is not issued for the implicit grant, which apps must list to use', async () => {
    const apps = app.deps.mongo.db.collection<{ _id: string }>('apps');
    const { appId: id, appSecret: secret } = app.dev.shortLived;
    await apps.updateOne({ _id: id }, { $set: { _authorizedGrantTypes: 'implicit' } });
    const url = authorizeUrl(app, { client_id: id, response_type: 'token', state: 's' });
    const answer = await eventually(async () => {
      const back = await browser.signIn(url, app.admin, REDIRECT_URI);
      expect([back.search, back.hash]).toEqual(['', expect.not.stringContaining('error=')]);
      return Object.fromEntries(new URLSearchParams(back.hash.slice(1)));
    });
    expect(answer).toMatchObject({ token_type: 'bearer', expires_in: '2', state: 's', scope: 'read write' });
    expect(answer.iss).toBe(`${app.url}${OAUTH_V1}`);
    for (const name of ['code', 'refresh_token']) expect(answer).not.toHaveProperty(name);
    expect(claimsOf(answer.access_token!)).toMatchObject({ app_id: id, scope: ['read', 'write'] });
    const rejected = requestToken(app, { grant_type: 'client_credentials' }, { id, secret }, OAUTH_V2);
    expect((await rejected.expect(400)).body.error).toBe('unauthorized_client');
  });
});
