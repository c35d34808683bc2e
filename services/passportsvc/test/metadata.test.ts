import { describe, expect, it } from '@jest/globals';
import { Metadata } from '../src/oauth/oauth-parameters.http.js';
import { createBrowser } from './browser.js';
import { useApp } from './start-app.js';
import { authorizeUrl, codeFor, OAUTH_V1, requestToken } from './tokens.js';

const app = useApp();

/** examples.test.ts compares the documents; tests/e2e/oauth.test.ts runs the flows with openid-client. */
describe('the authorization server metadata', () => {
  const WELL_KNOWN = `${OAUTH_V1}/.well-known`;

  it('has the same issuer and URLs for every Host header', async () => {
    const headers = { host: 'evil.test', 'x-forwarded-host': 'evil.test', 'x-forwarded-proto': 'https' };
    const { body } = await app.api.get(`${WELL_KNOWN}/openid-configuration`).set(headers).expect(200);
    expect(JSON.stringify(body)).not.toContain('evil.test');
    expect(body.token_endpoint).toBe(`${app.url}${OAUTH_V1}/token`);
  });

  it('names what works', async () => {
    const { body } = await app.api.get(`${WELL_KNOWN}/oauth-authorization-server`).expect(200);
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
