import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import * as client from 'openid-client';
import type { z } from 'zod';
import { Jwks, Metadata } from '../src/api/oauth/oauth.schemas.js';
import { createBrowser } from './browser.js';
import { REDIRECT_URI, startApp } from './start-app.js';
import type { TestApp } from './start-app.js';
import { OAUTH_V1 } from './tokens.js';

/** openid-client stands for clients that are not part of this project. */
describe('the authorization server as openid-client sees it', () => {
  let app: TestApp;
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

  beforeAll(async () => {
    app = await startApp();
    issuer = new URL(`${app.url}${OAUTH_V1}`);
  });
  afterAll(() => app.stop());

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
    const replies: [string, z.ZodType][] = [
      ['.well-known/oauth-authorization-server', Metadata],
      ['.well-known/openid-configuration', Metadata],
      ['jwks', Jwks],
    ];
    for (const [path, schema] of replies) {
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
