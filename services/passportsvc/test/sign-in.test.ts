import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@dtplatform/testing';
import { createBrowser, formOf } from './browser.js';
import { newUser } from './page-client.js';
import { REDIRECT_URI, useApp } from './start-app.js';
import { asApp, authorizeUrl, claimsOf, codeFor, readSelf, redeem, tokensFor } from './tokens.js';
import type { Form } from './tokens.js';

const app = useApp();
const PROBLEM = 'The user name or the password is wrong.';
const BYE = new URL('/bye?a=1', REDIRECT_URI).href;

describe('sign-in page', () => {
  const right = () => ({ username: app.admin.userName, password: app.admin.password });
  /** Opens the page in a new browser. */
  async function openPage(more: Record<string, string> = {}) {
    const browser = createBrowser();
    const first = await browser.get(authorizeUrl(app, more));
    const url = new URL(first.headers.get('location')!);
    return { browser, url, page: await browser.get(url) };
  }

  it('has a form for name and password, no scripts, and cannot be framed', async () => {
    const { page, url } = await openPage();
    expect([page.status, page.headers.get('cache-control')]).toEqual([200, 'no-store']);
    const html = await page.text();
    expect(html).toContain(`<form method="post" action="${url.pathname}">`);
    expect(html).toMatch(/<label for="username">.*<input\s+id="username"\s+name="username"/s);
    expect(html).toMatch(/<label for="password">.*<input\s+id="password"\s+name="password"\s+type="password"/s);
    expect(html).toContain('<title>Sign in to Administration</title>');
    expect(html).toContain('<html lang="en">');
    expect(html).not.toContain('<script');
    const style = /<style>([^<]*)<\/style>/.exec(html)![1]!;
    const source = createHash('sha256').update(style).digest('base64');
    const policy = page.headers.get('content-security-policy')!.split('; ');
    const formAction = `form-action 'self' ${new URL(REDIRECT_URI).origin}`;
    const expected = ["default-src 'none'", `style-src 'sha256-${source}'`, formAction, "frame-ancestors 'none'"];
    expect(policy).toEqual(expect.arrayContaining(expected));
    expect(page.headers.get('x-frame-options')).toBe('DENY');
    expect(page.headers.get('referrer-policy')).toBe('no-referrer');
  });

  it('sets cookies that work over plain HTTP and are hidden from scripts', async () => {
    const response = await createBrowser().get(authorizeUrl(app));
    for (const cookie of response.headers.getSetCookie()) {
      for (const flag of [/; httponly/i, /; samesite=lax/i]) expect(cookie).toMatch(flag);
      expect(cookie).not.toMatch(/; secure/i);
    }
  });

  it("uses the app's theme, or the default theme for an unknown one", async () => {
    const plain = await (await openPage()).page.text();
    const apps = app.deps.mongo.db.collection<{ _id: string }>('apps');
    const withTheme = async (_loginTheme: string) => {
      await apps.updateOne({ _id: app.trusted.id }, { $set: { _loginTheme } });
      return (await openPage()).page.text();
    };
    expect(await withTheme('terracotta')).not.toBe(plain);
    const unknown = await withTheme('__proto__');
    const styleOf = (html: string) => /<style>([^<]*)<\/style>/.exec(html)?.[1];
    expect(styleOf(unknown)).toBe(styleOf(plain));
    await apps.updateOne({ _id: app.trusted.id }, { $unset: { _loginTheme: '' } });
  });

  it('shows the same message for a wrong password and an unknown user, and accepts another attempt', async () => {
    const { browser, url } = await openPage();
    for (const username of [app.admin.userName, '<b>nobody</b>']) {
      const wrong = await browser.post(url, { username, password: 'wrong' });
      const html = await wrong.text();
      expect([wrong.status, html]).toEqual([401, expect.stringContaining(PROBLEM)]);
      expect(html).not.toContain('<b>nobody');
    }
    expect((await browser.post(url, {})).status).toBe(401);
    expect((await browser.post(url, right())).status).toBe(303);
  });

  it('rejects a form of another browser and a second submission', async () => {
    const { url } = await openPage();
    const stranger = await createBrowser().post(url, right());
    expect(stranger.status).toBe(400);
    expect(await stranger.text()).toContain('href="/passportsvc/api/v1/account"');
    const { browser, url: own } = await openPage();
    const returnTo = (await browser.post(own, right())).headers.get('location')!;
    expect((await browser.get(returnTo)).status).toBe(303);
    expect((await browser.post(own, right())).status).toBe(400);
    expect((await browser.get(returnTo)).status).toBe(400);
  });

  it('is skipped in a signed-in browser until it signs out', async () => {
    const browser = createBrowser();
    await codeFor(app, {}, browser);
    const again = await browser.get(authorizeUrl(app));
    expect(again.headers.get('location')).toMatch(/^http:\/\/127\.0\.0\.1:9\/callback\?code=/);
    const signOut = `${app.url}/passportsvc/api/v1/logout`;
    const { hidden } = formOf(await (await browser.get(signOut)).text())!;
    expect((await browser.post(signOut, hidden)).status).toBe(200);
    const after = await browser.get(authorizeUrl(app));
    expect(after.headers.get('location')).toContain('/oauth/signin/');
  });

  it('switches users when another user signs in with the same browser', async () => {
    const user = await newUser(app);
    const browser = createBrowser();
    const nameAfter = async (more = {}, as = app.admin) => {
      const { body } = await redeem(app, await codeFor(app, more, browser, as), {}, app.trusted).expect(200);
      return claimsOf(body.access_token).name;
    };
    expect(await nameAfter()).toBe('Administrator');
    expect(await nameAfter({ prompt: 'login' }, user)).toBe(user.userName);
    expect(await nameAfter()).toBe(user.userName);
  });

  it('switches users when another user has signed in on another tab', async () => {
    const { browser, url } = await openPage();
    await codeFor(app, {}, browser, await newUser(app));
    const sent = await browser.post(url, right());
    const back = await browser.get(sent.headers.get('location')!);
    const code = new URL(back.headers.get('location')!).searchParams.get('code')!;
    const tokens = await redeem(app, code, {}, app.trusted).expect(200);
    expect(claimsOf(tokens.body.access_token).name).toBe('Administrator');
  });

  it('protects the form_post response from framing', async () => {
    const browser = createBrowser();
    await codeFor(app, {}, browser);
    for (const scope of ['read write', 'unknown']) {
      const page = await browser.get(authorizeUrl(app, { response_mode: 'form_post', scope }));
      expect(await page.text()).toContain('<noscript>');
      expect(Object.fromEntries(page.headers)).toMatchObject({
        ...{ 'x-frame-options': 'DENY', 'referrer-policy': 'no-referrer' },
        'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
      });
    }
  });

  it("appears again when the browser's user was deactivated", async () => {
    const browser = createBrowser();
    await codeFor(app, {}, browser);
    const replica = await app.startInstance();
    const users = app.deps.mongo.db.collection('users');
    await users.updateMany({}, { $set: { active: false } });
    try {
      const response = await browser.get(authorizeUrl({ ...app, url: replica.url }));
      expect(response.headers.get('location')).toContain('/oauth/signin/');
      expect((await browser.post(response.headers.get('location')!, right())).status).toBe(401);
    } finally {
      await users.updateMany({}, { $set: { active: true } });
    }
  });

  it('works across replicas', async () => {
    const replica = await app.startInstance();
    const browser = createBrowser();
    const here = (url: string) => url.replace(app.url, replica.url);
    const first = await browser.get(authorizeUrl({ ...app, url: replica.url }));
    const page = new URL(first.headers.get('location')!);
    expect(page.origin).toBe(app.url);
    expect((await browser.get(here(page.href))).status).toBe(200);
    const sent = await browser.post(page, right());
    const back = await browser.get(here(sent.headers.get('location')!));
    const code = new URL(back.headers.get('location')!).searchParams.get('code')!;
    const { body } = await redeem(app, code, {}, app.trusted).expect(200);
    await readSelf({ ...app, api: replica.api }, `Bearer ${body.access_token as string}`).expect(200);
  });
});

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
