import { describe, expect, it } from '@jest/globals';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { Jwks, Metadata } from '../src/oauth/oauth-parameters.http.js';
import { createBrowser } from './browser.js';
import { useApp } from './start-app.js';
import { authorizeUrl, codeFor, OAUTH_V1, requestToken } from './tokens.js';

const GRANT = { grant_type: 'client_credentials' };

const app = useApp();

/** tests/e2e/oauth.test.ts runs the flows with openid-client. */
describe('the authorization server metadata', () => {
  const WELL_KNOWN = `${OAUTH_V1}/.well-known`;

  it('has the same issuer and URLs for every Host header', async () => {
    const headers = { host: 'evil.test', 'x-forwarded-host': 'evil.test', 'x-forwarded-proto': 'https' };
    const { body } = await app.api.get(`${WELL_KNOWN}/openid-configuration`).set(headers).expect(200);
    expect(JSON.stringify(body)).not.toContain('evil.test');
    expect(body.token_endpoint).toBe(`${app.url}${OAUTH_V1}/token`);
  });

  it('leads to the public keys that verify tokens', async () => {
    const { body } = await requestToken(app, GRANT, app.trusted).expect(200);
    const issuer = `${app.url}${OAUTH_V1}`;
    const keys = createRemoteJWKSet(new URL(`${issuer}/jwks`));
    const { payload } = await jwtVerify(body.access_token, keys, { issuer, typ: 'at+jwt' });
    expect(payload.sub).toBe(app.trusted.id);
    const jwks = await app.api.get(`${OAUTH_V1}/jwks`).expect(200);
    expect(Jwks.safeParse(jwks.body).data).toEqual(jwks.body);
    for (const key of jwks.body.keys) expect(Object.keys(key)).not.toContain('d');
  });

  it('names exactly what works', async () => {
    const issuer = `${app.url}${OAUTH_V1}`;
    const { body } = await app.api.get(`${WELL_KNOWN}/oauth-authorization-server`).expect(200);
    const exchange = 'urn:ietf:params:oauth:grant-type:token-exchange';
    expect(body).toEqual({
      ...{ issuer, authorization_endpoint: `${issuer}/authorize`, token_endpoint: `${issuer}/token` },
      ...{ jwks_uri: `${issuer}/jwks`, end_session_endpoint: `${app.url}/passportsvc/api/v1/logout` },
      scopes_supported: ['read', 'write', 'scim'],
      response_types_supported: ['code', 'token'],
      response_modes_supported: ['form_post', 'fragment', 'query'],
      grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials', 'implicit', exchange],
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
    });
    expect(Metadata.safeParse(body).data).toEqual(body);
    for (const grant_type of ['password', 'urn:ietf:params:oauth:grant-type:device_code', 'implicit']) {
      const response = await requestToken(app, { grant_type }, app.trusted);
      expect(response.body.error).toBe('unsupported_grant_type');
    }
    for (const url of [body.jwks_uri, body.end_session_endpoint]) expect((await fetch(url)).status).toBe(200);
    const browser = createBrowser();
    await codeFor(app, {}, browser);
    for (const mode of body.response_modes_supported) {
      const { status } = await browser.get(authorizeUrl(app, { response_mode: mode }));
      expect(status).toBe(mode === 'form_post' ? 200 : 303);
    }
  });
});
