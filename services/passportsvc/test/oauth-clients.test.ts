import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import type { z } from 'zod';
import * as oauth from 'oauth4webapi';
import * as client from 'openid-client';
import { Jwks, Metadata } from '../src/oauth/oauth-parameters.http.js';
import { createBrowser } from './browser.js';
import { REDIRECT_URI, startApp } from './start-app.js';
import type { TestApp } from './start-app.js';
import { authorizeUrl, OAUTH_V1, OAUTH_V2 } from './tokens.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

/** openid-client stands for clients that are not part of this project. */
describe('the authorization server as openid-client sees it', () => {
  let issuer: URL;
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- the test issuer uses plain http
  const insecure = { execute: [client.allowInsecureRequests] };
  const discover = (secret?: string) =>
    client.discovery(
      issuer,
      app.trusted.id,
      undefined,
      secret ? client.ClientSecretBasic(secret) : client.None(),
      insecure,
    );

  beforeAll(() => {
    issuer = new URL(`${app.url}${OAUTH_V1}`);
  });

  it('is discovered by OpenID Connect Discovery and by RFC 8414', async () => {
    const openid = (await discover()).serverMetadata();
    expect(openid).toMatchObject({
      issuer: issuer.href,
      authorization_endpoint: `${issuer.href}/authorize`,
      token_endpoint: `${issuer.href}/token`,
      jwks_uri: `${issuer.href}/jwks`,
    });
    const options = { ...insecure, algorithm: 'oauth2' } as const;
    const oauth = await client.discovery(issuer, app.trusted.id, undefined, client.None(), options);
    expect(oauth.serverMetadata().issuer).toBe(issuer.href);
    const below = await app.api.get(`${OAUTH_V1}/.well-known/oauth-authorization-server`).expect(200);
    expect(below.body).toEqual(expect.objectContaining({ issuer: issuer.href }));
  });

  it('has what the reference describes', async () => {
    const responses: [string, z.ZodType][] = [
      ['.well-known/oauth-authorization-server', Metadata],
      ['.well-known/openid-configuration', Metadata],
      ['jwks', Jwks],
    ];
    for (const [path, schema] of responses) {
      const { body } = await app.api.get(`${OAUTH_V1}/${path}`).expect(200);
      expect(schema.safeParse(body)).toEqual({ success: true, data: body });
    }
  });

  it('has the same issuer and URLs for every Host header', async () => {
    const metadata = await app.api
      .get(`${OAUTH_V1}/.well-known/openid-configuration`)
      .set({ host: 'evil.test', 'x-forwarded-host': 'evil.test', 'x-forwarded-proto': 'https' })
      .expect(200);
    expect(JSON.stringify(metadata.body)).not.toContain('evil.test');
    expect(metadata.body.token_endpoint).toBe(`${issuer.href}/token`);
  });

  it('publishes the keys that verify its tokens, without private parts', async () => {
    const tokens = await client.clientCredentialsGrant(await discover(app.trusted.secret), { scope: 'scim' });
    const keys = createRemoteJWKSet(new URL(`${issuer.href}/jwks`));
    const { payload } = await jwtVerify(tokens.access_token, keys, { issuer: issuer.href, typ: 'at+jwt' });
    expect(payload.sub).toBe(app.trusted.id);
    const jwks = await app.api.get(`${OAUTH_V1}/jwks`).expect(200);
    for (const key of jwks.body.keys) expect(Object.keys(key)).not.toContain('d');
  });

  it('signs a user in with PKCE and refreshes the tokens', async () => {
    const config = await discover();
    const verifier = client.randomPKCECodeVerifier();
    const state = client.randomState();
    const url = client.buildAuthorizationUrl(config, {
      redirect_uri: REDIRECT_URI,
      scope: 'read write',
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
    });
    const back = await createBrowser().signIn(url, app.admin, REDIRECT_URI);
    const tokens = await client.authorizationCodeGrant(config, back, {
      pkceCodeVerifier: verifier,
      expectedState: state,
    });
    const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token!);
    expect(refreshed.refresh_token).not.toBe(tokens.refresh_token);
    await expect(client.refreshTokenGrant(config, tokens.refresh_token!)).rejects.toMatchObject({
      error: 'invalid_grant',
    });
  });

  it('signs a user in with the secret', async () => {
    const config = await discover(app.trusted.secret);
    const url = client.buildAuthorizationUrl(config, { redirect_uri: REDIRECT_URI, scope: 'read write' });
    const back = await createBrowser().signIn(url, app.admin, REDIRECT_URI);
    const tokens = await client.authorizationCodeGrant(config, back);
    expect(tokens).toMatchObject({ token_type: 'bearer', scope: 'read write' });
  });
});

/** oauth4webapi validates every response strictly, `iss` of RFC 9207 included. */
describe('the authorization server as oauth4webapi sees it', () => {
  let server: oauth.AuthorizationServer;
  let client: oauth.Client;
  const browser = createBrowser();
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- the test issuer uses plain http
  const insecure = { [oauth.allowInsecureRequests]: true };

  // eslint-disable-next-line @typescript-eslint/no-deprecated -- a client with a secret needs no PKCE here
  const withoutPkce: typeof oauth.nopkce = oauth.nopkce;

  async function callback(more: Record<string, string> = {}): Promise<URLSearchParams> {
    const state = oauth.generateRandomState();
    const back = await browser.signIn(authorizeUrl(app, { state, ...more }), app.admin, REDIRECT_URI);
    return oauth.validateAuthResponse(server, client, back, state);
  }

  beforeAll(async () => {
    client = { client_id: app.trusted.id };
    const issuer = new URL(`${app.url}${OAUTH_V1}`);
    const reply = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure });
    server = await oauth.processDiscoveryResponse(issuer, reply);
  });

  it('takes a public client through PKCE and refreshing', async () => {
    const verifier = oauth.generateRandomCodeVerifier();
    const challenge = await oauth.calculatePKCECodeChallenge(verifier);
    const found = await callback({ code_challenge: challenge, code_challenge_method: 'S256' });
    const redeemed = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      oauth.None(),
      found,
      REDIRECT_URI,
      verifier,
      insecure,
    );
    const tokens = await oauth.processAuthorizationCodeResponse(server, client, redeemed);
    const refresh = () => oauth.refreshTokenGrantRequest(server, client, oauth.None(), tokens.refresh_token!, insecure);
    const next = await oauth.processRefreshTokenResponse(server, client, await refresh());
    expect(next.refresh_token).not.toBe(tokens.refresh_token);
    await expect(oauth.processRefreshTokenResponse(server, client, await refresh())).rejects.toMatchObject({
      error: 'invalid_grant',
    });
  });

  it.each([
    ['in the header', oauth.ClientSecretBasic],
    ['in the form', oauth.ClientSecretPost],
  ])(
    'takes a client with its secret %s through the code, and gives it a token of its own',
    async (_, authentication) => {
      const auth = authentication(app.trusted.secret);
      const redeemed = await oauth.authorizationCodeGrantRequest(
        server,
        client,
        auth,
        await callback(),
        REDIRECT_URI,
        withoutPkce,
        insecure,
      );
      const tokens = await oauth.processAuthorizationCodeResponse(server, client, redeemed);
      expect(tokens).toMatchObject({ token_type: 'bearer', scope: 'read write' });
      const own = await oauth.clientCredentialsGrantRequest(server, client, auth, { scope: 'scim' }, insecure);
      expect(await oauth.processClientCredentialsResponse(server, client, own)).toMatchObject({ token_type: 'bearer' });
    },
  );

  it('reports a wrong secret and a reused code as RFC 6749 has it, on version 2', async () => {
    const v2 = { ...server, token_endpoint: `${app.url}${OAUTH_V2}/token` };
    const wrong = oauth.ClientSecretBasic('wrong-secret-0123456789');
    const rejected = await oauth.clientCredentialsGrantRequest(v2, client, wrong, {}, insecure);
    await expect(oauth.processClientCredentialsResponse(v2, client, rejected)).rejects.toMatchObject({
      status: 401,
    });
    const found = await callback();
    const auth = oauth.ClientSecretBasic(app.trusted.secret);
    const redeem = () =>
      oauth.authorizationCodeGrantRequest(v2, client, auth, found, REDIRECT_URI, withoutPkce, insecure);
    await oauth.processAuthorizationCodeResponse(v2, client, await redeem());
    await expect(oauth.processAuthorizationCodeResponse(v2, client, await redeem())).rejects.toMatchObject({
      error: 'invalid_grant',
      status: 400,
    });
  });

  it('recognizes errors and answers of another server', async () => {
    const state = oauth.generateRandomState();
    const back = await browser.signIn(authorizeUrl(app, { state, scope: 'nonsense' }), app.admin, REDIRECT_URI);
    expect(() => oauth.validateAuthResponse(server, client, back, state)).toThrow(
      expect.objectContaining({ error: 'invalid_scope' }),
    );
    back.searchParams.set('iss', 'https://evil.test');
    expect(() => oauth.validateAuthResponse(server, client, back, state)).toThrow(/iss/);
  });

  it('has metadata that name exactly what works', async () => {
    const issuer = `${app.url}${OAUTH_V1}`;
    expect(server).toEqual({
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
      end_session_endpoint: `${app.url}/passportsvc/api/v1/logout`,
      scopes_supported: ['read', 'write', 'scim'],
      response_types_supported: ['code', 'token'],
      response_modes_supported: ['form_post', 'fragment', 'query'],
      grant_types_supported: [
        'authorization_code',
        'refresh_token',
        'client_credentials',
        'implicit',
        'urn:ietf:params:oauth:grant-type:token-exchange',
      ],
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
    });
    // What the platform does for each grant is tested in the file of that grant; here, that no other grant is known.
    for (const grant of ['password', 'urn:ietf:params:oauth:grant-type:device_code', 'implicit']) {
      const auth = oauth.ClientSecretBasic(app.trusted.secret);
      const reply = await oauth.genericTokenEndpointRequest(server, client, auth, grant, {}, insecure);
      expect(await reply.json()).toMatchObject({ error: 'unsupported_grant_type' });
    }
    for (const url of [server.jwks_uri!, server.end_session_endpoint!]) expect((await fetch(url)).status).toBe(200);
    for (const mode of server.response_modes_supported!) {
      const reply = await browser.get(authorizeUrl(app, { response_mode: mode }));
      expect(reply.status).toBe(mode === 'form_post' ? 200 : 303);
    }
  });
});
