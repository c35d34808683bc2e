import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createBrowser } from './browser.js';
import { REDIRECT_URI, startApp } from './start-app.js';
import type { TestApp } from './start-app.js';
import { authorizeUrl, OAUTH_V1, OAUTH_V2, redeem, s256 } from './tokens.js';

const SECOND_URI = 'https://app.example.test/signed-in?tenant=a&x=%20';
const MOBILE_URI = 'com.example.app:/signed-in';

describe('an authorization request', () => {
  let app: TestApp;
  const browser = createBrowser();
  const answerTo = (url: URL) => createBrowser().get(url);
  function without(name: string, more: Record<string, string> = {}): URL {
    const url = authorizeUrl(app, more);
    url.searchParams.delete(name);
    return url;
  }

  beforeAll(async () => {
    app = await startApp({ BOOTSTRAP_REDIRECT_URI: [REDIRECT_URI, SECOND_URI, MOBILE_URI].join(',') });
  });
  afterAll(() => app.stop());

  it.each([REDIRECT_URI, SECOND_URI, MOBILE_URI])('leads back to each registered redirect_uri: %s', async (uri) => {
    const back = await browser.signIn(
      authorizeUrl(app, { redirect_uri: uri, state: 's' }),
      app.admin,
      uri.split('?')[0]!,
    );
    expect(back.searchParams.get('state')).toBe('s');
    if (uri === SECOND_URI) expect(back.searchParams.get('tenant')).toBe('a');
    const code = back.searchParams.get('code')!;
    const other = uri === REDIRECT_URI ? SECOND_URI : REDIRECT_URI;
    await redeem(app, code, { redirect_uri: other }, app.trusted).expect(403);
    await redeem(app, code, { redirect_uri: uri }, app.trusted).expect(200);
  });

  it.each([
    ['its beginning', REDIRECT_URI.slice(0, -1)],
    ['a query in addition', `${REDIRECT_URI}?x=1`],
    ['a fragment', `${REDIRECT_URI}#x`],
    ['another case', REDIRECT_URI.replace('callback', 'Callback')],
    ['another port', REDIRECT_URI.replace(':9/', ':10/')],
    ['another scheme', REDIRECT_URI.replace('http:', 'https:')],
    ['a user', REDIRECT_URI.replace('http://', 'http://user@')],
    ['an escaped letter', REDIRECT_URI.replace('callback', '%63allback')],
    ['a parent folder', REDIRECT_URI.replace('callback', 'x/../callback')],
    ['the whole list', [REDIRECT_URI, SECOND_URI].join(',')],
    ['another query', SECOND_URI.replace('tenant=a', 'tenant=b')],
  ])('is answered with a page when redirect_uri is a registered one with %s', async (_, uri) => {
    const response = await answerTo(authorizeUrl(app, { redirect_uri: uri }));
    expect([response.status, response.headers.get('location')]).toEqual([400, null]);
    expect(await response.text()).toContain('redirect_uri is not one of the application’s redirect URIs');
  });

  it.each([
    ['client_id is unknown', () => authorizeUrl(app, { client_id: 'nobody' })],
    ['client_id is unknown', () => authorizeUrl(app, { client_id: 'x'.repeat(4000) })],
    ['missing required parameter &#39;client_id&#39;', () => without('client_id')],
    ['missing required parameter &#39;redirect_uri&#39;', () => without('redirect_uri')],
    ['client_id', () => new URL(`${authorizeUrl(app).href}&client_id=administration`)],
    ['redirect_uri', () => new URL(`${authorizeUrl(app).href}&redirect_uri=https://evil.test`)],
    ['redirect_uri', () => authorizeUrl(app, { redirect_uri: 'https://evil.test/', response_type: 'nonsense' })],
    [
      'redirect_uri',
      () => authorizeUrl(app, { redirect_uri: 'https://evil.test/', response_mode: 'form_post', scope: 'x' }),
    ],
  ] as [string, () => URL][])('is answered with a page that says why: %s', async (reason, url) => {
    for (const version of [OAUTH_V1, OAUTH_V2]) {
      const at = url();
      at.pathname = `${version}/authorize`;
      const response = await answerTo(at);
      expect([response.status, response.headers.get('location')]).toEqual([400, null]);
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(response.headers.get('cache-control')).toContain('no-store');
      expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(response.headers.get('x-frame-options')).toBe('DENY');
      const html = await response.text();
      expect(html).toContain('<html lang="en">');
      expect(html).toContain('<h1>');
      expect(html).toContain(reason);
      expect(html).not.toContain('evil.test');
    }
  });

  it.each([
    ['invalid_scope', () => without('scope')],
    ['invalid_scope', () => authorizeUrl(app, { scope: '' })],
    ['invalid_scope', () => authorizeUrl(app, { scope: 'openid' })],
    ['invalid_request', () => without('response_type')],
    ['invalid_request', () => authorizeUrl(app, { code_challenge: s256('x') })],
    ['invalid_request', () => authorizeUrl(app, { code_challenge_method: 'S256' })],
    ['invalid_request', () => authorizeUrl(app, { code_challenge: 'short', code_challenge_method: 'S256' })],
    ['invalid_request', () => authorizeUrl(app, { code_challenge: 'x'.repeat(129), code_challenge_method: 'S256' })],
    ['invalid_request', () => authorizeUrl(app, { state: 's'.repeat(2049) })],
    ['invalid_request', () => authorizeUrl(app, { login_hint: 'h'.repeat(257) })],
    ['invalid_request', () => authorizeUrl(app, { prompt: 'nonsense' })],
    ['invalid_request', () => new URL(`${authorizeUrl(app).href}&scope=read`)],
    ['unsupported_response_mode', () => authorizeUrl(app, { response_mode: 'nonsense' })],
  ] as [string, () => URL][])('that the app got wrong is reported to it: %s', async (error, url) => {
    const target = new URL((await answerTo(url())).headers.get('location')!);
    expect(target.href.startsWith(`${REDIRECT_URI}?`)).toBe(true);
    expect(target.searchParams.get('error')).toBe(error);
    expect(target.searchParams.get('error_description')).toEqual(expect.any(String));
    expect(target.searchParams.get('iss')).toBe(`${app.url}${OAUTH_V1}`);
  });

  it('names the field that is too long', async () => {
    for (const [name, value] of Object.entries({ state: 's'.repeat(2049), login_hint: 'h'.repeat(257) })) {
      const target = new URL((await answerTo(authorizeUrl(app, { [name]: value }))).headers.get('location')!);
      expect(target.searchParams.get('error_description')).toMatch(new RegExp(`^${name} must not be longer than \\d+`));
    }
  });

  it.each(['read write', 'write read', 'read', 'scim', 'read write scim', ' read  write '])(
    'may ask for the scope "%s"',
    async (scope) => {
      const back = await browser.signIn(authorizeUrl(app, { scope }), app.admin, REDIRECT_URI);
      const { body } = await redeem(app, back.searchParams.get('code')!, {}, app.trusted).expect(200);
      expect(body.scope).toBe('read write');
    },
  );

  it('is answered with the issuer (RFC 9207) and is never cached', async () => {
    for (const mode of ['query', 'fragment']) {
      const response = await browser.get(authorizeUrl(app, { response_mode: mode, state: 's' }));
      expect(response.headers.get('cache-control')).toContain('no-store');
      const target = new URL(response.headers.get('location')!);
      const answer = mode === 'query' ? target.searchParams : new URLSearchParams(target.hash.slice(1));
      expect(Object.fromEntries(answer)).toEqual({
        code: expect.any(String),
        state: 's',
        iss: `${app.url}${OAUTH_V1}`,
      });
    }
  });
});
