import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@dtplatform/testing';
import { createBrowser } from './browser.js';
import { REDIRECT_URI, startApp } from './start-app.js';
import type { TestApp } from './start-app.js';
import { asApp, authorizeUrl, claimsOf, codeFor, OAUTH_V1, OAUTH_V2, redeem, requestToken, s256 } from './tokens.js';
import { createUserClient } from './user-client.js';

const VERIFIER = 'a-verifier-of-a-single-page-application-0123456789';

describe('authorization code', () => {
  let app: TestApp;
  /** Already signed in, so that obtaining a code needs no password check. */
  const browser = createBrowser();
  const code = (more = {}) => codeFor(app, more, browser);
  const pkceCode = (verifier = VERIFIER) => code({ code_challenge: s256(verifier), code_challenge_method: 'S256' });
  const publicClient = () => ({ client_id: app.trusted.id });

  beforeAll(async () => {
    app = await startApp();
  });
  afterAll(() => app.stop());

  it('is exchanged for tokens with the secret', async () => {
    const response = await redeem(app, await code(), publicClient(), app.trusted).expect(200);
    const claims = claimsOf(response.body.access_token);
    expect(response.body).toMatchObject({
      token_type: 'bearer',
      expires_in: 3600,
      scope: 'read write',
      refresh_token: expect.any(String),
      user_name: claims.sub,
      app_id: app.trusted.id,
      jti: claims.jti,
    });
    expect(claims).toMatchObject({
      name: 'Administrator',
      user_name: claims.sub,
      authorities: ['ROLE_USER', 'ROLE_ADMIN'],
      client_id: app.trusted.id,
      grant_id: expect.any(String),
    });
  });

  it('needs no client_id in addition to a Basic header; state is returned only if it was sent', async () => {
    const back = await browser.signIn(authorizeUrl(app, { state: 'x y&z' }), app.admin, REDIRECT_URI);
    expect(back.searchParams.get('state')).toBe('x y&z');
    await redeem(app, back.searchParams.get('code')!, {}, app.trusted).expect(200);
    const without = await browser.signIn(authorizeUrl(app), app.admin, REDIRECT_URI);
    expect(without.searchParams.has('state')).toBe(false);
  });

  it('is for the user of its browser, whoever signs in at the same time', async () => {
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

  it('is refused without the secret and remains valid', async () => {
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

  it('is refused for another redirect_uri or another app and remains valid', async () => {
    const given = await code();
    const second = { id: app.dev.second.appId, secret: app.dev.second.appSecret };
    await redeem(app, given, { redirect_uri: `${REDIRECT_URI}/` }, app.trusted).expect(403);
    await redeem(app, given, {}, second).expect(403);
    await redeem(app, given, {}, app.trusted).expect(200);
  });

  it('is redeemed once; a second attempt revokes the tokens of the first', async () => {
    const given = await code();
    const first = await redeem(app, given, {}, app.trusted).expect(200);
    const authorization = `Bearer ${first.body.access_token as string}`;
    const self = `/passportsvc/api/v1/apps/${app.trusted.id}`;
    await app.api.get(self).set({ authorization }).expect(200);
    const again = await redeem(app, given, {}, app.trusted, OAUTH_V2).expect(400);
    expect(again.body.error).toBe('invalid_grant');
    await app.api.get(self).set({ authorization }).expect(401);
    const refresh = { grant_type: 'refresh_token', refresh_token: first.body.refresh_token as string };
    await requestToken(app, refresh, app.trusted).expect(403);
  });

  it('is redeemed by only one of several concurrent requests', async () => {
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

    it('is refused with a wrong or missing verifier, even with the secret, and remains valid', async () => {
      const given = await pkceCode();
      await redeem(app, given, { ...publicClient(), code_verifier: `${VERIFIER}x` }).expect(403);
      await redeem(app, given, publicClient()).expect(403);
      await redeem(app, given, {}, app.trusted).expect(403);
      await redeem(app, given, { ...publicClient(), code_verifier: VERIFIER }).expect(200);
    });

    it.each([
      ['16 characters', '0123456789abcdef'],
      ['64 characters', 'v'.repeat(64)],
      ['128 characters', 'w'.repeat(128)],
    ])('accepts a verifier of %s', async (_, verifier) => {
      await redeem(app, await pkceCode(verifier), { ...publicClient(), code_verifier: verifier }).expect(200);
    });

    it('says that the verifier is missing to a client without a secret', async () => {
      const { body } = await redeem(app, await pkceCode(), publicClient()).expect(403);
      expect(body).toMatchObject({
        error: 'invalid_request',
        error_description: expect.stringContaining('code_verifier is missing'),
      });
    });

    it('rejects verifiers that are too short or too long', async () => {
      const short = await redeem(app, await pkceCode('x'.repeat(15)), {
        ...publicClient(),
        code_verifier: 'x'.repeat(15),
      });
      expect(short.body.error).toBe('invalid_request');
      await redeem(app, await code(), { ...publicClient(), code_verifier: 'x'.repeat(129) }).expect(403);
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

    it('takes an empty secret in the header for a public client', async () => {
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

  describe('with an invalid authorization request', () => {
    const firstAnswer = (more: Record<string, string>) => createBrowser().get(authorizeUrl(app, more));

    it.each([
      ['an unknown app', { client_id: 'nobody' }],
      ['an invalid app id', { client_id: 'a\0b:c' }],
      ['another redirect_uri', { redirect_uri: 'https://evil.test/callback' }],
      ['a longer redirect_uri', { redirect_uri: `${REDIRECT_URI}/more` }],
      ['an unsafe redirect_uri', { redirect_uri: 'javascript:alert(1)' }],
    ])('shows an error page for %s and never redirects', async (_, more) => {
      const response = await firstAnswer(more);
      expect(response.status).toBe(400);
      expect(response.headers.get('content-type')).toMatch(/^text\/html/);
      expect(response.headers.get('location')).toBeNull();
      expect(await response.text()).not.toContain('evil.test');
    });

    it.each([
      ['unsupported_response_type', { response_type: 'id_token' }],
      ['unsupported_response_type', { response_type: 'code token' }],
      ['invalid_scope', { scope: 'read everything' }],
      ['unauthorized_client', { response_type: 'token' }],
      ['unsupported_response_mode', { response_type: 'token', response_mode: 'form_post' }],
      ['login_required', { prompt: 'none' }],
    ] as [string, Record<string, string>][])('reports %s to the app', async (error, more) => {
      const response = await firstAnswer(more);
      const location = new URL(response.headers.get('location')!);
      const answer =
        more.response_type === 'token' ? new URLSearchParams(location.hash.slice(1)) : location.searchParams;
      expect(location.href.startsWith(REDIRECT_URI)).toBe(true);
      expect(answer.get('error')).toBe(error);
    });

    it('ignores unknown parameters', async () => {
      const back = await browser.signIn(
        authorizeUrl(app, { nonce: 'n', audience: 'x', stray: '1' }),
        app.admin,
        REDIRECT_URI,
      );
      expect(back.searchParams.get('code')).toEqual(expect.any(String));
    });
  });

  it('works on the paths of v2', async () => {
    const back = await browser.signIn(authorizeUrl(app, {}, OAUTH_V2), app.admin, REDIRECT_URI);
    await redeem(app, back.searchParams.get('code')!, {}, app.trusted, OAUTH_V2).expect(200);
  });

  it('is not issued for the implicit grant, which apps must list to use', async () => {
    const apps = app.deps.mongo.db.collection<{ _id: string }>('apps');
    const { shortLived } = app.dev;
    await apps.updateOne({ _id: shortLived.appId }, { $set: { _authorizedGrantTypes: 'implicit' } });
    const url = authorizeUrl(app, { client_id: shortLived.appId, response_type: 'token', state: 's' });
    const answer = await eventually(async () => {
      const back = await browser.signIn(url, app.admin, REDIRECT_URI);
      const fragment = new URLSearchParams(back.hash.slice(1));
      expect(fragment.get('error')).toBeNull();
      expect(back.search).toBe('');
      return fragment;
    });
    expect(Object.fromEntries(answer)).toMatchObject({
      token_type: 'bearer',
      expires_in: '2',
      state: 's',
      scope: 'read write',
    });
    expect(answer.has('code')).toBe(false);
    expect(answer.has('refresh_token')).toBe(false);
    expect(answer.get('iss')).toBe(`${app.url}${OAUTH_V1}`);
    expect(claimsOf(answer.get('access_token')!)).toMatchObject({ app_id: shortLived.appId, scope: ['read', 'write'] });
    const credentials = { id: shortLived.appId, secret: shortLived.appSecret };
    const rejected = await requestToken(app, { grant_type: 'client_credentials' }, credentials, OAUTH_V2).expect(400);
    expect(rejected.body.error).toBe('unauthorized_client');
  });
});
