import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createBrowser, formOf } from './browser.js';
import { REDIRECT_URI, startApp } from './start-app.js';
import type { TestApp } from './start-app.js';
import { asApp, authorizeUrl, claimsOf, codeFor, redeem } from './tokens.js';

const PROBLEM = 'The user name or the password is wrong.';

describe('sign-in page', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp();
  });
  afterAll(() => app.stop());

  /** Opens the page in a fresh browser. */
  async function openPage(more: Record<string, string> = {}) {
    const browser = createBrowser();
    const first = await browser.get(authorizeUrl(app, more));
    const url = new URL(first.headers.get('location')!);
    return { browser, url, page: await browser.get(url) };
  }

  it('is a form for name and password, without scripts, that cannot be framed', async () => {
    const { page, url } = await openPage();
    expect(page.status).toBe(200);
    const html = await page.text();
    expect(html).toContain(`<form method="post" action="${url.pathname}">`);
    expect(html).toMatch(/<label for="username">.*<input\s+id="username"\s+name="username"/s);
    expect(html).toMatch(/<label for="password">.*<input\s+id="password"\s+name="password"\s+type="password"/s);
    expect(html).toContain('<title>Sign in to Administration</title>');
    const style = /<style>([^<]*)<\/style>/.exec(html)![1]!;
    const source = createHash('sha256').update(style).digest('base64');
    expect(page.headers.get('content-security-policy')).toContain(`style-src 'sha256-${source}';`);
    expect(html).not.toContain('<script');
    expect(page.headers.get('x-frame-options')).toBe('DENY');
    expect(page.headers.get('cache-control')).toBe('no-store');
    const policy = page.headers.get('content-security-policy')!;
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain(`form-action 'self' ${new URL(REDIRECT_URI).origin}`);
  });

  it('sets cookies that work over plain http and are hidden from scripts', async () => {
    const response = await createBrowser().get(authorizeUrl(app));
    for (const cookie of response.headers.getSetCookie()) {
      expect(cookie).toMatch(/; httponly/i);
      expect(cookie).toMatch(/; samesite=lax/i);
      expect(cookie).not.toMatch(/; secure/i);
    }
  });

  it('uses the app’s theme, or the default theme if the name is unknown', async () => {
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

  it('shows the same message for a wrong password, an unknown user and a deactivated user, and allows another attempt', async () => {
    const { browser, url } = await openPage();
    const wrong = await browser.post(url, { username: app.admin.userName, password: 'wrong' });
    const unknown = await browser.post(url, { username: '<b>nobody</b>', password: 'wrong' });
    expect([wrong.status, unknown.status]).toEqual([401, 401]);
    expect(await wrong.text()).toContain(PROBLEM);
    const html = await unknown.text();
    expect(html).toContain(PROBLEM);
    expect(html).not.toContain('<b>nobody');
    const empty = await browser.post(url, {});
    expect(empty.status).toBe(401);
    const right = await browser.post(url, { username: app.admin.userName, password: app.admin.password });
    expect(right.status).toBe(303);
  });

  it('accepts the user name in any case', async () => {
    const user = { ...app.admin, userName: app.admin.userName.toUpperCase() };
    await expect(codeFor(app, {}, createBrowser(), user)).resolves.toEqual(expect.any(String));
  });

  it('rejects a form from another browser and a form that was submitted too late', async () => {
    const { url } = await openPage();
    const stranger = await createBrowser().post(url, { username: app.admin.userName, password: app.admin.password });
    expect(stranger.status).toBe(400);
    expect(await stranger.text()).toContain('href="/passportsvc/api/v1/account"');
    const { browser, url: own } = await openPage();
    const sent = { username: app.admin.userName, password: app.admin.password };
    const returnTo = (await browser.post(own, sent)).headers.get('location')!;
    expect((await browser.get(returnTo)).status).toBe(303);
    expect((await browser.post(own, sent)).status).toBe(400);
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
    const user = { userName: 'second@platform.test', password: 'a password of somebody else' };
    await app.api
      .post('/passportsvc/api/v1/scim/Users')
      .set({ authorization: await asApp(app) })
      .send({ userName: user.userName, password: user.password })
      .expect(201);
    const browser = createBrowser();
    const first = await redeem(app, await codeFor(app, {}, browser), {}, app.trusted).expect(200);
    const second = await redeem(app, await codeFor(app, { prompt: 'login' }, browser, user), {}, app.trusted).expect(
      200,
    );
    const third = await redeem(app, await codeFor(app, {}, browser), {}, app.trusted).expect(200);
    expect(claimsOf(first.body.access_token).name).toBe('Administrator');
    expect(claimsOf(second.body.access_token).name).toBe(user.userName);
    expect(claimsOf(third.body.access_token).name).toBe(user.userName);
  });

  it('switches users when another user has signed in on another tab meanwhile', async () => {
    const user = { userName: 'tab@platform.test', password: 'a password for another tab' };
    const authorization = await asApp(app);
    await app.api.post('/passportsvc/api/v1/scim/Users').set({ authorization }).send(user).expect(201);
    const { browser, url } = await openPage();
    await codeFor(app, {}, browser, user);
    const sent = await browser.post(url, { username: app.admin.userName, password: app.admin.password });
    const back = await browser.get(sent.headers.get('location')!);
    const code = new URL(back.headers.get('location')!).searchParams.get('code')!;
    const tokens = await redeem(app, code, {}, app.trusted).expect(200);
    expect(claimsOf(tokens.body.access_token).name).toBe('Administrator');
  });

  it('leads to a page that cannot be framed when the app wants the answer in a form', async () => {
    const browser = createBrowser();
    await codeFor(app, {}, browser);
    for (const scope of ['read write', 'unknown']) {
      const page = await browser.get(authorizeUrl(app, { response_mode: 'form_post', scope }));
      expect(await page.text()).toContain('<noscript>');
      expect(page.headers.get('x-frame-options')).toBe('DENY');
      expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
      expect(page.headers.get('referrer-policy')).toBe('no-referrer');
    }
  });

  it('is shown again when the browser’s user was deactivated', async () => {
    const browser = createBrowser();
    await codeFor(app, {}, browser);
    const replica = await app.startInstance();
    const users = app.deps.mongo.db.collection('users');
    await users.updateMany({}, { $set: { active: false } });
    try {
      const response = await browser.get(authorizeUrl({ ...app, url: replica.url }));
      expect(response.headers.get('location')).toContain('/oauth/signin/');
      const rejected = await browser.post(response.headers.get('location')!, {
        username: app.admin.userName,
        password: app.admin.password,
      });
      expect(rejected.status).toBe(401);
    } finally {
      await users.updateMany({}, { $set: { active: true } });
      await replica.stop();
    }
  });

  it('works across replicas', async () => {
    const replica = await app.startInstance();
    try {
      const browser = createBrowser();
      const here = (url: string) => url.replace(app.url, replica.url);
      const first = await browser.get(authorizeUrl({ ...app, url: replica.url }));
      const page = new URL(first.headers.get('location')!);
      expect(page.origin).toBe(app.url);
      expect((await browser.get(here(page.href))).status).toBe(200);
      const sent = await browser.post(page, { username: app.admin.userName, password: app.admin.password });
      const back = await browser.get(here(sent.headers.get('location')!));
      const code = new URL(back.headers.get('location')!).searchParams.get('code')!;
      const tokens = await redeem(app, code, {}, app.trusted).expect(200);
      const authorization = `Bearer ${tokens.body.access_token as string}`;
      await replica.api.get(`/passportsvc/api/v1/apps/${app.trusted.id}`).set({ authorization }).expect(200);
    } finally {
      await replica.stop();
    }
  });
});
