import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@dtplatform/testing';
import { createBrowser, formOf } from './browser.js';
import { REDIRECT_URI, startApp } from './start-app.js';
import type { TestApp } from './start-app.js';
import { asApp, authorizeUrl, claimsOf, codeFor, OAUTH_V1, redeem } from './tokens.js';
import type { Form } from './tokens.js';

const BYE = new URL('/bye?a=1', REDIRECT_URI).href;

describe('sign-out', () => {
  let app: TestApp;
  let browser: ReturnType<typeof createBrowser>;
  /** A token that the app received for the browser's user. */
  let hint: string;

  const url = (more: Form = {}) => {
    const target = new URL(`${app.url}/passportsvc/api/v1/logout`);
    for (const [name, value] of Object.entries(more)) target.searchParams.set(name, value);
    return target;
  };
  const isSignedIn = async () => {
    const location = (await browser.get(authorizeUrl(app))).headers.get('location')!;
    return location.startsWith(REDIRECT_URI);
  };
  /** Opens the confirmation and submits it. */
  async function confirm(more: Form = {}) {
    const { action, hidden } = formOf(await (await browser.get(url(more))).text())!;
    return browser.post(new URL(action, app.url), hidden);
  }

  beforeAll(async () => {
    app = await startApp();
  });
  beforeEach(async () => {
    browser = createBrowser();
    const { body } = await redeem(app, await codeFor(app, {}, browser), {}, app.trusted).expect(200);
    hint = body.access_token as string;
  });
  afterAll(() => app.stop());

  it('is confirmed on a page without scripts that cannot be framed, and changes nothing before', async () => {
    const page = await browser.get(url());
    expect(page.status).toBe(200);
    expect(page.headers.get('x-frame-options')).toBe('DENY');
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    const html = await page.text();
    expect(html).toContain('<h1>Sign out?</h1>');
    expect(html).not.toContain('<script');
    expect(await isSignedIn()).toBe(true);
  });

  it('happens with the form of the page', async () => {
    const response = await confirm();
    expect(response.status).toBe(200);
    expect(await response.text()).toContain('You are signed out.');
    expect(await isSignedIn()).toBe(false);
    expect(await (await browser.get(url())).text()).toContain('You are signed out.');
  });

  it('ends the session itself, not only the browser’s cookie', async () => {
    const copy = new Map(browser.cookies);
    await confirm();
    for (const [name, cookie] of copy) browser.cookies.set(name, cookie);
    expect(await isSignedIn()).toBe(false);
  });

  it.each([
    ['without a token', 200, {}],
    ['with a wrong token', 400, { csrf_token: 'x'.repeat(43) }],
  ] as [string, number, Form][])(
    'does not happen with a POST %s, which shows the page again',
    async (_, status, form) => {
      const response = await browser.post(url(), form);
      expect(response.status).toBe(status);
      expect(formOf(await response.text())!.hidden).toHaveProperty('csrf_token');
      expect(await isSignedIn()).toBe(true);
    },
  );

  it('does not happen with the token of another session', async () => {
    const stranger = createBrowser();
    await codeFor(app, {}, stranger);
    const { hidden } = formOf(await (await stranger.get(url())).text())!;
    expect((await browser.post(url(), hidden)).status).toBe(400);
    expect(await isSignedIn()).toBe(true);
  });

  it('asks again when the form comes from another site, for which browsers leave out the cookie', async () => {
    const response = await createBrowser().post(url(), { client_id: app.trusted.id, post_logout_redirect_uri: BYE });
    expect(response.status).toBe(303);
    const page = await browser.get(new URL(response.headers.get('location')!, app.url));
    expect(formOf(await page.text())!.hidden).toMatchObject({ post_logout_redirect_uri: BYE });
  });

  describe('with a post_logout_redirect_uri', () => {
    const expectNoRedirect = async (more: Form) => {
      const html = await (await browser.get(url(more))).text();
      expect(html).not.toContain('You will be sent to');
      const response = await confirm(more);
      expect([response.status, response.headers.get('location')]).toEqual([200, null]);
      expect(await isSignedIn()).toBe(false);
    };

    it.each([
      ['id_token_hint', () => ({ id_token_hint: hint })],
      ['client_id', () => ({ client_id: app.trusted.id })],
      ['both', () => ({ client_id: app.trusted.id, id_token_hint: hint })],
    ] as [string, () => Form][])('leads back to the app that is named by %s', async (_, naming) => {
      const request = { ...naming(), post_logout_redirect_uri: BYE, state: 'x&y' };
      const page = await browser.get(url(request));
      const { origin } = new URL(BYE);
      expect(page.headers.get('content-security-policy')).toContain(`form-action 'self' ${origin}`);
      expect(await page.text()).toContain(`<bdi>${origin}</bdi>`);
      const response = await confirm(request);
      expect([response.status, response.headers.get('location')]).toEqual([303, `${BYE}&state=x%26y`]);
      expect(await isSignedIn()).toBe(false);
    });

    it('leads back at once when nobody is signed in, if the app proves that it knows the user', async () => {
      const response = await createBrowser().get(url({ id_token_hint: hint, post_logout_redirect_uri: BYE }));
      expect([response.status, response.headers.get('location')]).toEqual([303, BYE]);
    });

    it('takes a hint that has expired, and one whose sign-in has ended', async () => {
      const { shortLived } = app.dev;
      const credentials = { id: shortLived.appId, secret: shortLived.appSecret };
      const code = await codeFor(app, { client_id: shortLived.appId }, browser);
      const { body } = await redeem(app, code, {}, credentials).expect(200);
      await redeem(app, code, {}, credentials).expect(403);
      const expiry = claimsOf(body.access_token).exp as number;
      await eventually(() => expect(Date.now() / 1000).toBeGreaterThan(expiry));
      const response = await confirm({ id_token_hint: body.access_token as string, post_logout_redirect_uri: BYE });
      expect([response.status, response.headers.get('location')]).toEqual([303, BYE]);
    });

    it('leads nowhere without a confirmation or such a proof', async () => {
      const response = await createBrowser().get(url({ client_id: app.trusted.id, post_logout_redirect_uri: BYE }));
      expect([response.status, response.headers.get('location')]).toEqual([200, null]);
    });

    it.each([
      ['without an app', () => ({})],
      ['with a state that is too long', () => ({ client_id: app.trusted.id, state: 's'.repeat(2049) })],
      ['of an unknown app', () => ({ client_id: 'nobody' })],
      ['of an app with an invalid id', () => ({ client_id: '\u0001' })],
      ['with another origin', () => ({ client_id: app.trusted.id, post_logout_redirect_uri: 'https://evil.test/' })],
      ['with another port', () => ({ client_id: app.trusted.id, post_logout_redirect_uri: 'http://127.0.0.1:10/' })],
      ['with a script', () => ({ client_id: app.trusted.id, post_logout_redirect_uri: 'javascript:alert(1)' })],
      ['with something else', () => ({ client_id: app.trusted.id, post_logout_redirect_uri: '//' })],
      ['with a hint that is no token', () => ({ client_id: app.trusted.id, id_token_hint: 'x' })],
      ['with a forged hint', () => ({ id_token_hint: `${hint.slice(0, -4)}AAAA` })],
      ['with a hint of another app', () => ({ client_id: app.dev.second.appId, id_token_hint: hint })],
    ] as [string, () => Form][])('ignores one %s', (_, request) =>
      expectNoRedirect({ post_logout_redirect_uri: BYE, ...request() }),
    );

    it('ignores the hint of another user', async () => {
      const others = (await asApp(app)).replace('Bearer ', '');
      await expectNoRedirect({ post_logout_redirect_uri: BYE, id_token_hint: others });
    });

    it('ignores parameters that are repeated', async () => {
      const twice = `${url({ client_id: app.trusted.id, post_logout_redirect_uri: BYE }).href}&client_id=x`;
      expect(await (await browser.get(twice)).text()).not.toContain('You will be sent to');
    });
  });

  it('is announced in the metadata', async () => {
    const { body } = await app.api.get(`${OAUTH_V1}/.well-known/openid-configuration`).expect(200);
    expect(body.end_session_endpoint).toBe(url().href);
  });
});
