import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { createBrowser, formOf } from './browser.js';
import { newUser } from './page-client.js';
import { REDIRECT_URI, useApp } from './start-app.js';
import { authorizeUrl, claimsOf, codeFor, readSelf, redeem } from './tokens.js';

const app = useApp();
const PROBLEM = 'The user name or the password is wrong.';

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
