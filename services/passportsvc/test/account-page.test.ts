import { describe, expect, it } from '@jest/globals';
import { createBrowser } from './browser.js';
import { ACCOUNT, API, newUser, openPages } from './page-client.js';
import { REDIRECT_URI, useApp } from './start-app.js';
import { asUser, authorizeUrl, codeFor, refreshWith, tokensFor } from './tokens.js';

const NEXT = 'the second password';
const bothNext = { new_password: NEXT, repeat_password: NEXT };
const app = useApp();

describe('the account page', () => {
  /** A user signed in in a browser. */
  async function signedIn() {
    const user = await newUser(app);
    const pages = openPages(app);
    expect((await pages.signIn(user)).url.pathname).toBe(ACCOUNT);
    return { user, pages };
  }
  const rowsOf = (html: string) => html.match(/(This|Another) browser<\/strong>/g)?.length ?? 0;

  it('signs in without an application', async () => {
    const user = await newUser(app);
    const pages = openPages(app);
    expect((await pages.open(ACCOUNT)).url.pathname).toBe(`${ACCOUNT}/sign-in`);
    const { status, html } = await pages.signIn({ ...user, password: 'wrong' });
    expect([status, html]).toEqual([401, expect.stringContaining('The user name or the password is wrong.')]);
    expect((await pages.signIn(user)).html).toContain(user.userName);
  });

  it('shares its session with the sign-in of apps, and replaces it when another user signs in', async () => {
    const { pages } = await signedIn();
    const back = await pages.browser.open(authorizeUrl(app), REDIRECT_URI);
    expect(back.url.searchParams.get('code')).toEqual(expect.any(String));
    const session = () => [...pages.browser.cookies.values()].find(({ name }) => name === 'dtp_session')!.value;
    const before = session();
    const other = await newUser(app);
    expect((await pages.signIn(other)).html).toContain(other.userName);
    expect(session()).not.toBe(before);
  });

  it('hides its cookie from scripts and other sites', async () => {
    const pages = openPages(app);
    const { forms } = await pages.open(`${ACCOUNT}/sign-in`);
    const { userName: username, password } = app.admin;
    const response = await pages.browser.post(app.url + forms[0]!.action, { ...forms[0]!.hidden, username, password });
    const cookies = response.headers.getSetCookie();
    expect(cookies.length).toBeGreaterThan(0);
    for (const cookie of cookies) expect(cookie).toMatch(/; path=\/passportsvc; expires=.*; samesite=lax; httponly/i);
  });

  it('lists the user’s own sessions and ends one or all others', async () => {
    const { user, pages } = await signedIn();
    const others = [openPages(app), openPages(app)];
    const startPaths = async () => Promise.all(others.map(async (other) => (await other.open(ACCOUNT)).url.pathname));
    await others[0]!.signIn(user);
    await signedIn();
    expect(rowsOf((await pages.open(ACCOUNT)).html)).toBe(2);
    const ended = await pages.submit(ACCOUNT, `${ACCOUNT}/sessions`, {});
    expect([ended.sentStatus, ended.html]).toEqual([303, expect.stringContaining('That browser is signed out.')]);
    expect([rowsOf(ended.html), (await startPaths())[0]]).toEqual([1, `${ACCOUNT}/sign-in`]);
    for (const other of others) await other.signIn(user);
    expect(rowsOf((await pages.submit(ACCOUNT, `${ACCOUNT}/sessions`, { session: 'others' })).html)).toBe(1);
    expect(await startPaths()).toEqual([`${ACCOUNT}/sign-in`, `${ACCOUNT}/sign-in`]);
  });

  it("does not end another user's session", async () => {
    const victim = await signedIn();
    const sessions = app.deps.mongo.db.collection<{ uid: string }>('oauth_sessions');
    const { uid: session } = (await sessions.findOne({ 'state.accountId': victim.user.id } as object))!;
    const { pages, user } = await signedIn();
    await openPages(app).signIn(user);
    await pages.submit(ACCOUNT, `${ACCOUNT}/sessions`, { session });
    expect((await victim.pages.open(ACCOUNT)).url.pathname).toBe(ACCOUNT);
  });

  it('escapes the names of strangers, and revokes a consent', async () => {
    const { user, pages } = await signedIn();
    const apps = app.deps.mongo.db.collection<{ _id: string }>('apps');
    await apps.updateOne({ _id: app.second.id }, { $set: { _name: '<script>alert(1)</script>"\u202e' } });
    const { refresh } = await tokensFor(app, user, pages.browser, app.second);
    const { html } = await pages.open(ACCOUNT);
    expect(html).toContain('&lt;script&gt;');
    expect(html).not.toContain('<script');
    const response = await pages.submit(ACCOUNT, `${ACCOUNT}/consents`, {});
    expect(response.html).toContain('The application may no longer act for you.');
    expect(response.html).not.toContain('&lt;script&gt;');
    await refreshWith(app, refresh, app.second).expect(403);
  });

  it('changes the password and ends all other sessions and all tokens', async () => {
    const { user, pages } = await signedIn();
    const other = openPages(app);
    await other.signIn(user);
    const token = await asUser(app, user);
    const fields = { current_password: user.password, ...bothNext };
    const response = await pages.submit(ACCOUNT, `${ACCOUNT}/password`, fields);
    expect(response.html).toContain('Your password has been changed.');
    expect(rowsOf(response.html)).toBe(1);
    expect((await other.open(ACCOUNT)).url.pathname).toBe(`${ACCOUNT}/sign-in`);
    await app.send('get', `${API}/users/me/consents`, token).expect(401);
    await expect(codeFor(app, {}, createBrowser(), user)).rejects.toThrow('rejected');
    await codeFor(app, {}, createBrowser(), { ...user, password: NEXT });
  });

  it('keeps the password after a wrong current one, and after a new one that the password reset would reject', async () => {
    const { user, pages } = await signedIn();
    for (const [wrong, problem] of [
      [{ current_password: 'wrong' }, 'The current password is wrong.'],
      [{ repeat_password: 'something else' }, 'are different'],
    ] as const) {
      const fields = { current_password: user.password, ...bothNext, ...wrong };
      const response = await pages.submit(ACCOUNT, `${ACCOUNT}/password`, fields);
      expect([response.status, response.html]).toEqual([400, expect.stringContaining(problem)]);
      expect(response.html).toContain('role="alert"');
    }
    await codeFor(app, {}, createBrowser(), user);
  });

  it.each(['sessions', 'consents', 'password'])('rejects forms of other sites and sessions for %s', async (name) => {
    const { user, pages } = await signedIn();
    const stranger = await signedIn();
    await openPages(app).signIn(user);
    const { hidden } = (await stranger.pages.open(ACCOUNT)).forms.find(({ action }) => action.endsWith('/password'))!;
    const passwords = { current_password: user.password, ...bothNext };
    const fields = { session: 'others', app: app.second.id, ...passwords };
    for (const csrf_token of ['', 'x'.repeat(43), hidden.csrf_token!])
      expect((await pages.send(`${ACCOUNT}/${name}`, { ...fields, csrf_token })).status).toBe(400);
    // Browsers omit the cookie on forms of other sites.
    const without = await openPages(app).send(`${ACCOUNT}/${name}`, { ...fields, csrf_token: hidden.csrf_token! });
    expect(without.url.pathname).toBe(`${ACCOUNT}/sign-in`);
    expect(rowsOf((await pages.open(ACCOUNT)).html)).toBe(2);
    await codeFor(app, {}, createBrowser(), user);
  });

  it('rejects the sign-in form of another site', async () => {
    const { hidden } = (await openPages(app).open(`${ACCOUNT}/sign-in`)).forms[0]!;
    const fields = { ...hidden, username: app.admin.userName, password: app.admin.password };
    const response = await openPages(app).send(`${ACCOUNT}/sign-in`, fields);
    expect(response.status).toBe(400);
    expect(response.headers.getSetCookie().join()).not.toContain('dtp_session');
  });

  it('ignores invalid invites instead of redirecting there', async () => {
    const pages = openPages(app);
    for (const invite of ['//evil.test', 'https://evil.test', '../logout', 'a/b', '%0d%0aset-cookie:x', '']) {
      const { forms } = await pages.open(`${ACCOUNT}/sign-in?invite=${encodeURIComponent(invite)}`);
      expect(forms[0]!.action).toBe(`${ACCOUNT}/sign-in`);
    }
  });

  it('asks a deactivated user to sign in', async () => {
    const { user, pages } = await signedIn();
    await app.deps.mongo.db.collection('users').updateOne({ userName: user.userName }, { $set: { active: false } });
    expect((await pages.open(ACCOUNT)).url.pathname).toBe(`${ACCOUNT}/sign-in`);
  });
});
