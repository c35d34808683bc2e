import { beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@dtplatform/testing';
import { createBrowser, formOf } from './browser.js';
import { REDIRECT_URI, useApp } from './start-app.js';
import { asApp, authorizeUrl, claimsOf, codeFor, redeem, tokensFor } from './tokens.js';
import type { Form } from './tokens.js';

const app = useApp();
const BYE = new URL('/bye?a=1', REDIRECT_URI).href;

describe('sign-out', () => {
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

  beforeEach(async () => {
    browser = createBrowser();
    hint = (await tokensFor(app, app.admin, browser)).access.replace('Bearer ', '');
  });

  it('asks for confirmation and ends the session itself, not only the cookie, with the form of the page', async () => {
    expect(await (await browser.get(url())).text()).toContain('<h1>Sign out?</h1>');
    expect(await isSignedIn()).toBe(true);
    const copy = new Map(browser.cookies);
    const response = await confirm();
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('You are signed out.')]);
    expect(await (await browser.get(url())).text()).toContain('You are signed out.');
    for (const [name, cookie] of copy) browser.cookies.set(name, cookie);
    expect(await isSignedIn()).toBe(false);
  });

  it('shows the page again for a form without a token or with that of another session', async () => {
    const stranger = createBrowser();
    await codeFor(app, {}, stranger);
    const { hidden } = formOf(await (await stranger.get(url())).text())!;
    for (const [form, status] of [
      [{}, 200],
      [{ csrf_token: 'x'.repeat(43) }, 400],
      [hidden, 400],
    ] as [Form, number][]) {
      const response = await browser.post(url(), form);
      expect(response.status).toBe(status);
      expect(formOf(await response.text())!.hidden).toHaveProperty('csrf_token');
    }
    expect(await isSignedIn()).toBe(true);
  });

  it('asks again after a form of another site, for which browsers omit the cookie', async () => {
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
    ] as [string, () => Form][])('redirects to the app named by %s', async (_, naming) => {
      const request = { ...naming(), post_logout_redirect_uri: BYE, state: 'x&y' };
      const page = await browser.get(url(request));
      const { origin } = new URL(BYE);
      expect(page.headers.get('content-security-policy')).toContain(`form-action 'self' ${origin}`);
      expect(await page.text()).toContain(`<bdi>${origin}</bdi>`);
      const response = await confirm(request);
      expect([response.status, response.headers.get('location')]).toEqual([303, `${BYE}&state=x%26y`]);
      expect(await isSignedIn()).toBe(false);
    });

    it('redirects at once when nobody is signed in, if the app proves that it knows the user', async () => {
      const response = await createBrowser().get(url({ id_token_hint: hint, post_logout_redirect_uri: BYE }));
      expect([response.status, response.headers.get('location')]).toEqual([303, BYE]);
    });

    it('accepts a hint that has expired, and one whose sign-in has ended', async () => {
      const code = await codeFor(app, { client_id: app.shortLived.id }, browser);
      const { body } = await redeem(app, code, {}, app.shortLived).expect(200);
      await redeem(app, code, {}, app.shortLived).expect(403);
      const expiry = claimsOf(body.access_token).exp as number;
      await eventually(() => expect(Date.now() / 1000).toBeGreaterThan(expiry));
      const response = await confirm({ id_token_hint: body.access_token as string, post_logout_redirect_uri: BYE });
      expect([response.status, response.headers.get('location')]).toEqual([303, BYE]);
    });

    it('does not redirect without a confirmation or such a proof', async () => {
      const response = await createBrowser().get(url({ client_id: app.trusted.id, post_logout_redirect_uri: BYE }));
      expect([response.status, response.headers.get('location')]).toEqual([200, null]);
    });

    it.each([
      ['without an app', {}],
      ['with a state that is too long', { client_id: 'administration', state: 's'.repeat(2049) }],
      ['of an unknown app', { client_id: 'nobody' }],
      ['of an app with an invalid id', { client_id: '\u0001' }],
      ['on another host', { client_id: 'administration', post_logout_redirect_uri: 'https://evil.test/' }],
      ['on another port', { client_id: 'administration', post_logout_redirect_uri: 'http://127.0.0.1:10/' }],
      ['that is no URL', { client_id: 'administration', post_logout_redirect_uri: '//' }],
      ['with a script', { client_id: 'administration', post_logout_redirect_uri: 'javascript:alert(1)' }],
      ['with a hint that is not a token', { client_id: 'administration', id_token_hint: 'x' }],
    ] as [string, Form][])('ignores one %s', (_, request) =>
      expectNoRedirect({ post_logout_redirect_uri: BYE, ...request }),
    );

    it('ignores hints that are forged, of another app or of another user', async () => {
      const others = (await asApp(app)).replace('Bearer ', '');
      const requests: Form[] = [
        { id_token_hint: `${hint.slice(0, -4)}AAAA` },
        { client_id: app.second.id, id_token_hint: hint },
        { id_token_hint: others },
      ];
      for (const request of requests) {
        await expectNoRedirect({ post_logout_redirect_uri: BYE, ...request });
        await codeFor(app, {}, browser);
      }
    });

    it('ignores repeated parameters', async () => {
      const twice = `${url({ client_id: app.trusted.id, post_logout_redirect_uri: BYE }).href}&client_id=x`;
      expect(await (await browser.get(twice)).text()).not.toContain('You will be sent to');
    });
  });
});
