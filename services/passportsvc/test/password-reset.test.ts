import { beforeEach, describe, expect, it } from '@jest/globals';
import { deleteKeys, eventually } from '@dtplatform/testing';
import { createPasswordResets } from '../src/oauth/password-reset/password-resets.js';
import { createVersions } from '../src/oauth/token/versions.store.js';
import { createStores } from '../src/stores.js';
import { createBrowser, formOf } from './browser.js';
import { ACCOUNT, API, newUser, openPages, RESET } from './page-client.js';
import { useApp } from './start-app.js';
import { asApp, asUser, codeFor, refreshWith, tokensFor } from './tokens.js';

const NEXT = 'the second password';
const bothNext = { new_password: NEXT, repeat_password: NEXT };
const app = useApp();

describe('password reset', () => {
  // All tests share one address.
  beforeEach(async () => void (await deleteKeys(app.deps.redis.client, 'reset:address:*')));

  const mails = () => app.deps.mongo.db.collection<{ to: string; text: string; subject: string }>('mails');
  const resets = () => app.deps.mongo.db.collection<{ _id: string; userId: string }>('password_resets');
  const ask = (userName: string, pages = openPages(app)) => pages.submit(RESET, RESET, { username: userName });

  /** The link in the latest mail to this address. */
  const linkTo = (address: string) =>
    eventually(async () => {
      const mail = await mails().findOne({ to: address }, { sort: { $natural: -1 } });
      return new URL(/https?:\S+/.exec(mail!.text)![0]);
    });

  async function linkOf(user: { userName: string }): Promise<string> {
    expect((await ask(` ${user.userName.toUpperCase()}\u200b`)).status).toBe(200);
    const { pathname, search } = await linkTo(user.userName);
    return pathname + search;
  }

  const choose = (link: string, fields: Record<string, string>, pages = openPages(app)) =>
    pages.submit(link, `${RESET}/new`, fields);

  it('sends a link that sets a new password once, and stores it as a hash only', async () => {
    const user = await newUser(app);
    const link = await linkOf(user);
    const token = new URL(link, app.url).searchParams.get('token')!;
    expect(JSON.stringify(await resets().find({ userId: user.id }).toArray())).not.toContain(token);
    expect(await mails().findOne({ to: user.userName })).toMatchObject({ subject: 'Choose a new password' });
    const { status, html } = await openPages(app).open(link);
    expect([status, html]).toEqual([200, expect.stringContaining('autocomplete="new-password"')]);
    expect((await choose(link, bothNext)).html).toContain('<h1>Your password has been changed</h1>');
    await expect(codeFor(app, {}, createBrowser(), user)).rejects.toThrow('rejected');
    await expect(codeFor(app, {}, createBrowser(), { ...user, password: NEXT })).resolves.toEqual(expect.any(String));
    const again = await openPages(app).open(link);
    expect(again.status).toBe(410);
    expect(again.html).toContain('<h1>This link has already been used</h1>');
  });

  it('responds alike for users who do not exist, are deactivated or have no address', async () => {
    const known = await newUser(app);
    const withoutAddress = await newUser(app, { userName: `no-address-${Math.random()}` });
    const inactive = await newUser(app, { active: false });
    const before = await mails().countDocuments();
    const first = await ask(known.userName);
    for (const userName of ['nobody@platform.test', withoutAddress.userName, inactive.userName]) {
      const { status, html } = await ask(userName);
      expect([status, html]).toEqual([first.status, first.html]);
    }
    await linkTo(known.userName);
    expect(await mails().countDocuments()).toBe(before + 1);
  });

  it("ends all sessions and tokens of the user, and nobody else's", async () => {
    const user = await newUser(app);
    const other = await newUser(app);
    const browser = createBrowser();
    const { access, refresh } = await tokensFor(app, user, browser);
    const others = await asUser(app, other);
    const call = (authorization: string) => app.send('get', `${API}/users/me/consents`, authorization);
    await call(access).expect(200);

    await choose(await linkOf(user), bothNext);
    await call(access).expect(401);
    await refreshWith(app, refresh).expect(403);
    expect((await openPages(app, browser).open(ACCOUNT)).url.pathname).toBe(`${ACCOUNT}/sign-in`);
    await call(others).expect(200);
    // The user can sign in again at once.
    await call(await asUser(app, { ...user, password: NEXT })).expect(200);
  });

  it('shows the form again for a password that is too short, too long, missing, or not repeated correctly', async () => {
    const link = await linkOf(await newUser(app));
    for (const [next, repeated, problem] of [
      ['short', 'short', 'at least 10 characters'],
      ['x'.repeat(1025), 'x'.repeat(1025), 'at most 1024 characters'],
      [NEXT, `${NEXT}!`, 'are different'],
      ['', '', 'at least 10 characters'],
    ] as const) {
      const response = await choose(link, { new_password: next, repeat_password: repeated });
      expect([response.status, response.html]).toEqual([400, expect.stringContaining(problem)]);
      expect(response.html).toContain('role="alert"');
      expect(response.html).toMatch(/aria-describedby="new_password-hint problem"\s+aria-invalid="true"/);
    }
    expect((await choose(link, bothNext)).status).toBe(200);
  });

  it('works once when the form is submitted twice concurrently', async () => {
    const link = await linkOf(await newUser(app));
    const responses = await Promise.all([choose(link, bothNext), choose(link, bothNext)]);
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 410]);
  });

  it('rejects links that are expired, superseded or unknown', async () => {
    const user = await newUser(app);
    const [first, second] = [await linkOf(user), await linkOf(user)];
    await resets().updateMany({ userId: user.id }, { $set: { validUntil: new Date(Date.now() - 1) } });
    expect((await openPages(app).open(first)).html).toContain('no longer works');
    await resets().updateMany({ userId: user.id }, { $set: { validUntil: new Date(Date.now() + 60_000) } });
    expect((await choose(second, bothNext)).status).toBe(200);
    expect((await openPages(app).open(first)).html).toContain('has already been used');
    for (const query of ['', '?token=', '?token=x', `?token=${'x'.repeat(5000)}`, '?token=a&token=b', '?token[$ne]=x'])
      expect((await openPages(app).open(`${RESET}/new${query}`)).status).toBe(410);
  });

  describe('a link in a mail', () => {
    const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
    type User = Awaited<ReturnType<typeof newUser>>;
    async function patch({ id }: User, ...Operations: object[]) {
      const request = app.send('patch', `${API}/scim/Users/${id}`, await asApp(app));
      await request.send({ schemas: [PATCH], Operations }).expect(200);
    }
    const emails = (...values: string[]) => values.map((value, n) => ({ value, primary: n === 0 }));
    const changes: Record<string, (user: User) => Promise<unknown>> = {
      'a new password by SCIM': (user) => patch(user, { op: 'replace', path: 'password', value: 'a third password' }),
      'a new address': (user) => patch(user, { op: 'replace', path: 'emails', value: emails('new@platform.test') }),
      'another primary address': (user) =>
        patch(user, { op: 'replace', path: 'emails', value: emails('b@platform.test', user.userName) }),
      'a new user name': (user) => patch(user, { op: 'replace', path: 'userName', value: `x-${user.userName}` }),
      'a deactivation, even if the user is active again': async (user) => {
        await patch(user, { op: 'replace', path: 'active', value: false });
        await patch(user, { op: 'replace', path: 'active', value: true });
      },
      'a new password on the account page': async (user) => {
        const pages = openPages(app);
        await pages.signIn(user);
        const fields = { current_password: user.password, ...bothNext };
        expect((await pages.submit(ACCOUNT, `${ACCOUNT}/password`, fields)).status).toBe(200);
      },
    };
    it.each(Object.entries(changes))('is void after %s', async (_, change) => {
      const user = await newUser(app);
      const link = await linkOf(user);
      await change(user);
      expect((await openPages(app).open(link)).status).toBe(410);
    });

    it('is void after a change between the check of the form and the write', async () => {
      const user = await newUser(app);
      const token = new URL(await linkOf(user), app.url).searchParams.get('token')!;
      const resetting = createPasswordResets({
        ...createStores(app.mongo, createVersions(app.deps.redis)),
        passwords: {
          async hash() {
            await patch(user, { op: 'replace', path: 'emails', value: emails('new@platform.test') });
            return 'hash';
          },
        },
        audit: { ofAccount: () => Promise.resolve() },
        counters: { add: () => Promise.resolve(1) },
        endAccess: () => Promise.resolve(),
        linkTo: String,
        inBackground: () => undefined,
      });
      expect(await resetting.complete(token, NEXT)).toBe('used');
      await expect(codeFor(app, {}, createBrowser(), user)).resolves.toEqual(expect.any(String));
    });

    it('survives other changes', async () => {
      const user = await newUser(app);
      const link = await linkOf(user);
      await patch(user, { op: 'replace', path: 'title', value: 'Boss' });
      expect((await choose(link, bothNext)).status).toBe(200);
    });
  });

  it('sends at most three mails per account and hour, and does not reveal it', async () => {
    const user = await newUser(app);
    for (let count = 0; count < 5; count++) expect((await ask(user.userName.toUpperCase())).status).toBe(200);
    await eventually(async () => expect(await mails().countDocuments({ to: user.userName })).toBe(3));
  });

  it('accepts twenty requests an hour from one address', async () => {
    const browser = createBrowser({ 'x-forwarded-for': '203.0.113.77' });
    const { hidden } = formOf(await (await browser.get(`${app.url}${RESET}`)).text())!;
    const send = () => browser.post(`${app.url}${RESET}`, { ...hidden, username: `nobody-${Math.random()}` });
    for (let count = 0; count < 20; count++) expect((await send()).status).toBe(200);
    const { status, headers } = await send();
    expect([status, headers.get('content-type')]).toEqual([429, expect.stringContaining('text/html')]);
    expect(headers.get('retry-after')).toEqual(expect.any(String));
  });

  it.each([RESET, `${RESET}/new`])('rejects forms of other sites: %s', async (path) => {
    const pages = openPages(app);
    const { hidden } = (await pages.open(path === RESET ? path : await linkOf(await newUser(app)))).forms[0]!;
    const fields = { ...hidden, username: 'nobody', ...bothNext };
    // Browsers omit the cookie on forms of other sites.
    expect((await openPages(app).send(path, fields)).status).toBe(400);
    for (const csrf_token of ['x'.repeat(43), ''])
      expect((await pages.send(path, { ...fields, csrf_token })).status).toBe(400);
    expect((await pages.send(path, fields)).status).toBe(200);
  });

  it('responds to hostile input with a page', async () => {
    const pages = openPages(app);
    const { hidden } = (await pages.open(RESET)).forms[0]!;
    for (const username of ['', '   ', '\0', '<script>alert(1)</script>', 'x'.repeat(5000), '{"$ne":null}']) {
      const response = await pages.send(RESET, { ...hidden, username });
      expect([200, 400]).toContain(response.status);
      expect(response.html).not.toContain('<script');
    }
    const twice = await app.api.post(RESET).type('form').send('username=a&username=b').expect(400);
    expect(twice.text).toContain('<h1>This is not possible</h1>');
  });
});
