import { describe, expect, it } from '@jest/globals';
import { eventually } from '@dtplatform/testing';
import { createBrowser } from './browser.js';
import { newUser } from './page-client.js';
import { REDIRECT_URI, useApp } from './start-app.js';
import {
  authorizeUrl,
  claimsOf,
  codeFor,
  OAUTH_V1,
  OAUTH_V2,
  readSelf,
  redeem,
  refreshWith,
  requestToken,
  s256,
  tokensFor,
} from './tokens.js';

const VERIFIER = 'a-verifier-of-a-single-page-application-0123456789';
const WRONG_SECRET = 'wrong-secret-0123456789';

const app = useApp();
/** Signed in, so that obtaining a code needs no password check. */
const browser = createBrowser();
const code = (more = {}) => codeFor(app, more, browser);
const pkceCode = (verifier = VERIFIER) => code({ code_challenge: s256(verifier), code_challenge_method: 'S256' });
const publicClient = () => ({ client_id: app.trusted.id });
const statusOf = async (token: string) => (await readSelf(app, `Bearer ${token}`)).status;

describe('authorization code', () => {
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

  it('works on the paths of version 2 and needs no client_id beside a Basic header', async () => {
    const more = { state: 'x y&z', nonce: 'n', audience: 'x', stray: '1' };
    const back = await browser.signIn(authorizeUrl(app, more, OAUTH_V2), app.admin, REDIRECT_URI);
    expect(back.searchParams.get('state')).toBe('x y&z');
    await redeem(app, back.searchParams.get('code')!, {}, app.trusted, OAUTH_V2).expect(200);
    // The state is returned only if it was sent.
    expect((await browser.signIn(authorizeUrl(app), app.admin, REDIRECT_URI)).searchParams.has('state')).toBe(false);
  });

  it('belongs to the user of its browser under concurrent sign-ins', async () => {
    const people = await Promise.all([1, 2, 3, 4].map(() => newUser(app)));
    const browsers = people.map(() => createBrowser());
    const codes = () => Promise.all(people.map((user, n) => codeFor(app, {}, browsers[n], user)));
    await codes();
    const redeemed = (await codes()).map((given) => redeem(app, given, {}, app.trusted).expect(200));
    const subjects = (await Promise.all(redeemed)).map(({ body }) => claimsOf(body.access_token).sub);
    expect(subjects).toEqual(people.map(({ id }) => id));
  });

  it('is rejected without the secret, for another redirect_uri or another app, and remains valid', async () => {
    const given = await code();
    const rejected = await redeem(app, given, publicClient(), undefined, OAUTH_V2).expect(401);
    const error_description = 'The client must send its secret, or the code_verifier of the code.';
    expect(rejected.body).toMatchObject({ error: 'invalid_client', error_description });
    const invented = await redeem(app, given, { ...publicClient(), code_verifier: VERIFIER }).expect(403);
    expect(invented.body.error).toBe('invalid_grant');
    await redeem(app, given, {}, { ...app.trusted, secret: WRONG_SECRET }).expect(403);
    await redeem(app, given, { redirect_uri: `${REDIRECT_URI}/` }, app.trusted).expect(403);
    await redeem(app, given, {}, app.second).expect(403);
    await redeem(app, given, {}, app.trusted).expect(200);
  });

  it('revokes the tokens of the first redemption when it is redeemed again', async () => {
    const given = await code();
    const { body } = await redeem(app, given, {}, app.trusted).expect(200);
    expect(await statusOf(body.access_token)).toBe(200);
    const again = await redeem(app, given, {}, app.trusted, OAUTH_V2).expect(400);
    expect(again.body.error).toBe('invalid_grant');
    expect(await statusOf(body.access_token)).toBe(401);
    await refreshWith(app, body.refresh_token).expect(403);
  });

  it('is redeemed by one of several concurrent requests', async () => {
    const given = await code();
    const responses = await Promise.all(Array.from({ length: 8 }, () => redeem(app, given, {}, app.trusted)));
    const accepted = responses.filter(({ status }) => status === 200);
    expect(accepted).toHaveLength(1);
    await refreshWith(app, accepted[0]!.body.refresh_token).expect(403);
  });

  describe('with PKCE', () => {
    it('is exchanged for tokens with the verifier, without a secret or with the right one', async () => {
      const response = await redeem(app, await pkceCode(), { ...publicClient(), code_verifier: VERIFIER }).expect(200);
      expect(response.body.refresh_token).toEqual(expect.any(String));
      await redeem(app, await pkceCode(), { code_verifier: VERIFIER }, app.trusted).expect(200);
      const wrong = { ...app.trusted, secret: WRONG_SECRET };
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

    it.each([
      [15, 403, 'invalid_request'],
      [16, 200, undefined],
      [128, 200, undefined],
      [129, 403, 'invalid_request'],
    ])('responds to a verifier of %d characters with %d', async (length, status, error) => {
      const verifier = 'v'.repeat(length);
      const redeemed = redeem(app, await pkceCode(verifier), { ...publicClient(), code_verifier: verifier });
      expect((await redeemed.expect(status)).body.error).toBe(error);
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
  });

  it('is not issued for the implicit grant, which apps must list and which grants no administrator role', async () => {
    const apps = app.deps.mongo.db.collection<{ _id: string }>('apps');
    const { id } = app.shortLived;
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
    const claims = { app_id: id, scope: ['read', 'write'], authorities: ['ROLE_USER'] };
    expect(claimsOf(answer.access_token!)).toMatchObject(claims);
    const rejected = requestToken(app, { grant_type: 'client_credentials' }, app.shortLived, OAUTH_V2);
    expect((await rejected.expect(400)).body.error).toBe('unauthorized_client');
  });
});

describe('refresh token', () => {
  const tokensOf = async (redeemed: ReturnType<typeof redeem>) =>
    (await redeemed.expect(200)).body as { access_token: string; refresh_token: string };
  const bySecret = async () => tokensOf(redeem(app, await code(), {}, app.trusted));
  const byPkce = async () => tokensOf(redeem(app, await pkceCode(), { ...publicClient(), code_verifier: VERIFIER }));
  const withSecret = (token: string) => refreshWith(app, token);
  const asPublic = (token: string, version = OAUTH_V1) =>
    requestToken(app, { grant_type: 'refresh_token', refresh_token: token, ...publicClient() }, undefined, version);

  it('is replaced with each use, and revokes all tokens of this sign-in alone when it is reused', async () => {
    const [first, other] = [await bySecret(), await bySecret()];
    const { body } = await withSecret(first.refresh_token).expect(200);
    expect(body).toMatchObject({ token_type: 'bearer', scope: 'read write', app_id: app.trusted.id });
    expect(claimsOf(body.access_token).grant_id).toBe(claimsOf(first.access_token).grant_id);
    const third = await withSecret(body.refresh_token).expect(200);
    expect(await statusOf(third.body.access_token)).toBe(200);

    const reused = await refreshWith(app, first.refresh_token, app.trusted, OAUTH_V2).expect(400);
    expect(reused.body.error).toBe('invalid_grant');
    await withSecret(third.body.refresh_token).expect(403);
    for (const token of [first.access_token, third.body.access_token]) expect(await statusOf(token)).toBe(401);
    expect(await statusOf(other.access_token)).toBe(200);
    await withSecret(other.refresh_token).expect(200);
  });

  it('is accepted from one of several concurrent requests, and the reuse revokes all tokens', async () => {
    for (const attempt of [bySecret, byPkce]) {
      const { refresh_token, access_token } = await attempt();
      const send = attempt === bySecret ? withSecret : asPublic;
      const responses = await Promise.all(Array.from({ length: 8 }, () => send(refresh_token)));
      expect(responses.filter(({ status }) => status === 403)).toHaveLength(7);
      const { body } = responses.find(({ status }) => status === 200)!;
      expect([await statusOf(access_token), await statusOf(body.access_token)]).toEqual([401, 401]);
      await send(body.refresh_token).expect(403);
    }
  });

  it('needs the secret if the code did, and survives a missing or wrong secret and another app', async () => {
    const { refresh_token } = await bySecret();
    expect((await asPublic(refresh_token, OAUTH_V2).expect(401)).body.error).toBe('invalid_client');
    for (const by of [{ ...app.trusted, secret: WRONG_SECRET }, app.second])
      await refreshWith(app, refresh_token, by).expect(403);
    await withSecret(refresh_token).expect(200);
  });

  it('needs the client_id under PKCE', async () => {
    const first = await byPkce();
    const anonymous = await requestToken(app, { grant_type: 'refresh_token', refresh_token: first.refresh_token });
    expect(anonymous.body.error).toBe('invalid_client');
    const second = await asPublic(first.refresh_token).expect(200);
    await withSecret(second.body.refresh_token).expect(200);
  });

  it('may be sent as form, query or multipart, with GET on version 1, and under its aliases', async () => {
    let { refresh_token: token } = await bySecret();
    const [v1, v2] = [`${OAUTH_V1}/token`, `${OAUTH_V2}/token`];
    const forms = [
      (t: string) => app.api.post(v1).query({ grant_type: 'refresh_token', refresh_token: t }),
      (t: string) => app.api.get(v1).query({ grant_type: 'refresh_token', refresh_token: t }),
      (t: string) => app.api.post(v1).query({ grant_type: 'refresh_code', refresh_token: t }),
      (t: string) => app.api.post(v1).type('form').send({ grant_type: 'refresh_code', refresh_code: t }),
      (t: string) => app.api.post(v1).field('grant_type', 'refresh_token').field('refresh_token', t),
      (t: string) => app.api.get(v1).query({ grant_type: 'refresh_code', refresh_code: t }),
      (t: string) => app.api.post(v2).query({ grant_type: 'refresh_token', refresh_code: t }),
    ];
    const { id, secret } = app.trusted;
    for (const send of forms) token = (await send(token).auth(id, secret).expect(200)).body.refresh_token as string;
    const query = { grant_type: 'refresh_token', refresh_token: token };
    await app.api.get(v2).query(query).auth(id, secret).expect(405);
  });

  it('is rejected when forged, without revoking anything', async () => {
    const { refresh_token, access_token } = await bySecret();
    const [id, , proof] = refresh_token.split('.');
    const forged = [
      'x',
      `${id}.1.x`,
      `${id}.2.${proof}`,
      `${id}.0.${proof}`,
      `${refresh_token}x`,
      '\0',
      'é'.repeat(50),
    ];
    for (const token of forged) await withSecret(token).expect(403);
    expect(await statusOf(access_token)).toBe(200);
    await withSecret(refresh_token).expect(200);
  });

  it('is rejected once its user is deactivated', async () => {
    const user = await newUser(app);
    const { refresh } = await tokensFor(app, user);
    const users = app.deps.mongo.db.collection<{ _id: string }>('users');
    await users.updateOne({ _id: user.id }, { $set: { active: false } });
    await refreshWith(await app.startInstance(), refresh, app.trusted).expect(403);
  });
});
