import { describe, expect, it } from '@jest/globals';
import { createBrowser } from './browser.js';
import { REDIRECT_URI, useApp } from './start-app.js';
import { authorizeUrl, OAUTH_V1, OAUTH_V2, redeem, s256 } from './tokens.js';

const SECOND_URI = 'https://app.example.test/signed-in?tenant=a&x=%20';
const MOBILE_URI = 'com.example.app:/signed-in';

describe('an authorization request', () => {
  const app = useApp({ BOOTSTRAP_REDIRECT_URI: [REDIRECT_URI, SECOND_URI, MOBILE_URI].join(',') });
  const browser = createBrowser();
  const answerTo = (url: URL) => createBrowser().get(url);
  function without(name: string, more: Record<string, string> = {}): URL {
    const url = authorizeUrl(app, more);
    url.searchParams.delete(name);
    return url;
  }

  it.each([REDIRECT_URI, SECOND_URI, MOBILE_URI])('redirects to the registered redirect_uri %s', async (uri) => {
    const url = authorizeUrl(app, { redirect_uri: uri, state: 's' });
    const back = await browser.signIn(url, app.admin, uri.split('?')[0]!);
    expect(back.searchParams.get('state')).toBe('s');
    if (uri === SECOND_URI) expect(back.searchParams.get('tenant')).toBe('a');
    await redeem(app, back.searchParams.get('code')!, { redirect_uri: uri }, app.trusted).expect(200);
  });

  it.each([
    ['its beginning', REDIRECT_URI.slice(0, -1)],
    ['a query in addition', `${REDIRECT_URI}?x=1`],
    ['another case', REDIRECT_URI.replace('callback', 'Callback')],
    ['another port', REDIRECT_URI.replace(':9/', ':10/')],
    ['an escaped letter', REDIRECT_URI.replace('callback', '%63allback')],
    ['a parent folder', REDIRECT_URI.replace('callback', 'x/../callback')],
    ['the whole list', [REDIRECT_URI, SECOND_URI].join(',')],
    ['another query', SECOND_URI.replace('tenant=a', 'tenant=b')],
  ])('shows a page when redirect_uri is a registered one with %s', async (_, uri) => {
    const response = await answerTo(authorizeUrl(app, { redirect_uri: uri }));
    expect([response.status, response.headers.get('location')]).toEqual([400, null]);
    expect(await response.text()).toContain('redirect_uri is not one of the application’s redirect URIs');
  });

  it.each([
    ['client_id is unknown', () => authorizeUrl(app, { client_id: 'nobody' })],
    ['missing required parameter &#39;client_id&#39;', () => without('client_id')],
    ['missing required parameter &#39;redirect_uri&#39;', () => without('redirect_uri')],
    ['client_id', () => new URL(`${authorizeUrl(app).href}&client_id=administration`)],
    ['redirect_uri', () => new URL(`${authorizeUrl(app).href}&redirect_uri=https://evil.test`)],
    ['redirect_uri', () => authorizeUrl(app, { redirect_uri: 'https://evil.test/', response_type: 'nonsense' })],
    ['redirect_uri', () => authorizeUrl(app, { redirect_uri: 'https://evil.test/', response_mode: 'form_post' })],
  ] as [string, () => URL][])('shows a page and never redirects: %s (%#)', async (reason, url) => {
    for (const version of [OAUTH_V1, OAUTH_V2]) {
      const at = url();
      at.pathname = `${version}/authorize`;
      const { status, headers } = await answerTo(at);
      expect([status, headers.get('location')]).toEqual([400, null]);
    }
    const response = await answerTo(url());
    // The headers of every page, as sign-in.test.ts checks them.
    expect(response.headers.get('x-frame-options')).toBe('DENY');
    const html = await response.text();
    expect(html).toContain(reason);
    expect(html).not.toContain('evil.test');
  });

  it.each([
    ['invalid_scope', () => without('scope')],
    ['invalid_scope', () => authorizeUrl(app, { scope: '' })],
    ['invalid_scope', () => authorizeUrl(app, { scope: 'read everything' })],
    ['invalid_request', () => without('response_type')],
    ['invalid_request', () => authorizeUrl(app, { code_challenge: s256('x') })],
    ['invalid_request', () => authorizeUrl(app, { code_challenge: s256('x'), code_challenge_method: 'plain' })],
    ['invalid_request', () => authorizeUrl(app, { code_challenge_method: 'S256' })],
    ['invalid_request', () => authorizeUrl(app, { code_challenge: 'short', code_challenge_method: 'S256' })],
    ['invalid_request', () => authorizeUrl(app, { code_challenge: 'x'.repeat(129), code_challenge_method: 'S256' })],
    ['invalid_request', () => authorizeUrl(app, { prompt: 'nonsense' })],
    ['invalid_request', () => new URL(`${authorizeUrl(app).href}&scope=read`)],
    ['login_required', () => authorizeUrl(app, { prompt: 'none' })],
    ['unauthorized_client', () => authorizeUrl(app, { response_type: 'token' })],
    ['unsupported_response_mode', () => authorizeUrl(app, { response_mode: 'nonsense' })],
    ['unsupported_response_mode', () => authorizeUrl(app, { response_type: 'token', response_mode: 'form_post' })],
    ['unsupported_response_type', () => authorizeUrl(app, { response_type: 'id_token' })],
    ['unsupported_response_type', () => authorizeUrl(app, { response_type: 'code token' })],
  ] as [string, () => URL][])('reports %s to the app: %#', async (error, url) => {
    const target = new URL((await answerTo(url())).headers.get('location')!);
    expect(target.href.startsWith(REDIRECT_URI)).toBe(true);
    const isImplicit = url().searchParams.get('response_type') === 'token';
    const answer = isImplicit ? new URLSearchParams(target.hash.slice(1)) : target.searchParams;
    const iss = `${app.url}${OAUTH_V1}`;
    expect(Object.fromEntries(answer)).toMatchObject({ error, error_description: expect.any(String), iss });
  });

  it.each([
    ['state', 2049],
    ['login_hint', 257],
  ])('reports that %s is too long', async (name, length) => {
    const { headers } = await answerTo(authorizeUrl(app, { [name]: 'x'.repeat(length) }));
    const { searchParams } = new URL(headers.get('location')!);
    expect(searchParams.get('error')).toBe('invalid_request');
    expect(searchParams.get('error_description')).toMatch(new RegExp(`^${name} must not be longer than \\d+`));
  });

  it('carries the issuer in the response (RFC 9207), which is never cached', async () => {
    for (const mode of ['query', 'fragment']) {
      const response = await browser.get(authorizeUrl(app, { response_mode: mode, state: 's' }));
      expect(response.headers.get('cache-control')).toContain('no-store');
      const target = new URL(response.headers.get('location')!);
      const answer = mode === 'query' ? target.searchParams : new URLSearchParams(target.hash.slice(1));
      const iss = `${app.url}${OAUTH_V1}`;
      expect(Object.fromEntries(answer)).toEqual({ code: expect.any(String), state: 's', iss });
    }
  });
});
