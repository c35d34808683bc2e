import { beforeEach, describe, expect, it } from '@jest/globals';
import type { TestUser } from './group-client.js';
import { setUpInvites, tokenIn } from './invite-client.js';
import { ACCOUNT, openPages } from './page-client.js';

const INVITES = '/passportsvc/api/v1/invites';
const SIGN_IN = `${ACCOUNT}/sign-in`;

describe('the page behind the link of an invite', () => {
  const { here, send, newGroup, membersOf, post, stored } = setUpInvites();
  let link: string;
  let token: string;
  beforeEach(async () => {
    await openInvite(here.ben.email);
  });

  /** Invites an address and opens the link of its mail in the test. */
  async function openInvite(address: string): Promise<void> {
    token = await invite(address);
    link = `${INVITES}/${token}`;
  }
  /** @returns the token in the mail */
  async function invite(_email: string, groupId = here.groupId): Promise<string> {
    const before = await here.mails.all(_email);
    await post(here.olga.authorization, [{ _email }], groupId).expect(201);
    return tokenIn(await here.mails.to(_email, before.length + 1));
  }
  const setInvite = ($set: object) => stored().updateOne(ofGroup(), { $set });
  const storedInvite = async () => (await stored().findOne(ofGroup()))!;
  const ofGroup = () => ({ _usergroupId: here.groupId }) as object;
  const credentialsOf = ({ userName: username, password }: TestUser) => ({ username, password });
  /** A browser whose user signed in through the page. */
  async function signedIn(user: TestUser) {
    const pages = openPages(here.app);
    const { html } = await pages.open(link);
    const href = new RegExp(`href="(${SIGN_IN}[?]invite=[^"]+)"`).exec(html)![1]!;
    const page = await pages.submit(href, SIGN_IN, credentialsOf(user));
    return { pages, page };
  }
  const answer = (pages: ReturnType<typeof openPages>, decision: string) => pages.submit(link, link, { decision });
  const isMember = async (user: TestUser) => (await membersOf(here.olga.authorization, here.groupId)).includes(user.id);

  it('shows who invites to which group, and returns to the answer after the sign-in', async () => {
    const _description = 'They plan.';
    await send('put', `/usergroups/${here.groupId}`, here.olga.authorization, { _description }).expect(200);
    const { status, html, forms } = await openPages(here.app).open(link);
    expect(status).toBe(200);
    for (const shown of ['Planners &amp; Co', 'They plan.', 'Olga Li', 'Platform', here.ben.email]) {
      expect(html).toContain(shown);
    }
    expect(html).toContain('No account yet?');
    expect(forms).toEqual([]);

    const { pages, page } = await signedIn(here.ben);
    expect([page.url.pathname, page.status]).toEqual([link, 200]);
    expect(page.html).toContain('You are signed in as <strong><bdi>Ben Li</bdi></strong>');
    expect(await isMember(here.ben)).toBe(false);
    const joined = await answer(pages, 'accept');
    expect([joined.sentStatus, joined.status, joined.url.pathname]).toEqual([303, 200, link]);
    expect(joined.html).toContain('You have joined <strong><bdi>Planners &amp; Co</bdi></strong>');
    expect(joined.html).toContain('role="status"');
    expect(await isMember(here.ben)).toBe(true);
    const own = await send('get', '/invites', here.ben.authorization).expect(200);
    expect(own.body).toMatchObject([{ _status: 'ACCEPTED' }]);
    expect((await pages.open(link)).html).toContain('You have joined');
  });

  it('declines the invite', async () => {
    const { pages } = await signedIn(here.ben);
    const apps = here.app.deps.mongo.db.collection<{ _id: string }>('apps');
    const setHome = (_home: string) => apps.updateOne({ _id: here.app.trusted.id }, { $set: { _home } });
    await setHome('https://twins.test/?a=1&b=2');
    const declined = await answer(pages, 'decline');
    await setHome('');
    expect([declined.status, declined.html]).toEqual([200, expect.stringContaining('You have declined')]);
    expect(declined.html).toContain('href="https://twins.test/?a=1&amp;b=2">Go back to your application</a>');
    expect((await pages.open(link)).html).toContain('href="/passportsvc/api/v1/account"');
    expect(await storedInvite()).toMatchObject({ _status: 'REJECTED', _answeredById: here.ben.id });
    expect(await isMember(here.ben)).toBe(false);
  });

  it('rejects a user who was not invited, and offers to sign in as somebody else', async () => {
    const { pages, page } = await signedIn(here.carla);
    expect([page.status, page.html]).toEqual([403, expect.stringContaining('This invite is for someone else')]);
    expect(page.html).toContain(`It was sent to <strong><bdi>${here.ben.email}</bdi></strong>`);
    expect(page.html).toContain('You are signed in as <strong><bdi>Carla Li</bdi></strong>');
    for (const hidden of ['Planners', 'Olga']) expect(page.html).not.toContain(hidden);
    expect(page.forms).toEqual([]);
    const forced = await pages.send(link, { csrf_token: await tokenOfForm(pages), decision: 'accept' });
    expect(forced.status).toBe(403);
    expect(await isMember(here.carla)).toBe(false);
    const again = await pages.submit(`${SIGN_IN}?invite=${token}`, SIGN_IN, credentialsOf(here.ben));
    expect([again.status, again.url.pathname]).toEqual([200, link]);
    expect((await answer(pages, 'accept')).html).toContain('You have joined');
    expect([await isMember(here.ben), await isMember(here.carla)]).toEqual([true, false]);
  });

  /** The form token of this browser, from an invite of its own user. */
  async function tokenOfForm(pages: ReturnType<typeof openPages>): Promise<string> {
    const other = await newGroup(here.olga.authorization);
    return (await pages.open(`${INVITES}/${await invite(here.carla.email, other)}`)).forms[0]!.hidden.csrf_token!;
  }

  it('rejects forms of other sites, sessions and invites', async () => {
    const { pages, page } = await signedIn(here.ben);
    const { csrf_token } = page.forms[0]!.hidden as { csrf_token: string };
    const other = await signedIn(here.ben);
    const forms: [ReturnType<typeof openPages>, Record<string, string>][] = [
      [pages, { decision: 'accept' }],
      [pages, { decision: 'accept', csrf_token: 'x' }],
      [pages, { decision: 'maybe', csrf_token }],
      [pages, { csrf_token }],
      [other.pages, { decision: 'accept', csrf_token }],
    ];
    for (const [sender, fields] of forms) {
      const response = await sender.send(link, fields);
      expect([response.status, response.html]).toEqual([400, expect.stringContaining('role="alert"')]);
    }
    const second = await invite(here.ben.email, await newGroup(here.olga.authorization));
    const replayed = await pages.send(`${INVITES}/${second}`, { decision: 'accept', csrf_token });
    expect(replayed.status).toBe(400);
    const without = await openPages(here.app).send(link, { decision: 'accept', csrf_token });
    expect([without.sentStatus, without.url.href]).toEqual([303, `${here.app.url}${SIGN_IN}?invite=${token}`]);
    expect(await storedInvite()).toMatchObject({ _status: 'PENDING' });
  });

  it.each([
    ['EXPIRED', { _expiresAt: 1 }, 410, 'This invite has expired'],
    ['ACCEPTED', { _status: 'ACCEPTED', _answeredById: 'somebody' }, 410, 'This invite has been accepted'],
    ['REJECTED', { _status: 'REJECTED', _answeredById: 'somebody' }, 410, 'This invite has been declined'],
    ['CANCELLED', { _status: 'CANCELLED', _answeredById: 'somebody' }, 410, 'This invite was cancelled'],
    ['unknown', { _tokenHashes: [] }, 404, 'Invite not found'],
  ])('reports that an invite is %s without revealing anybody', async (_, change, status, title) => {
    const { pages, page } = await signedIn(here.ben);
    const { hidden } = page.forms[0]!;
    await setInvite(change);
    const responses = [
      await pages.open(link),
      await openPages(here.app).open(link),
      await pages.send(link, { ...hidden, decision: 'accept' }),
      await openPages(here.app).send(link, { decision: 'accept' }),
    ];
    for (const response of responses) {
      expect([response.status, response.url.pathname]).toEqual([status, link]);
      expect(response.html).toContain(`<h1>${title}</h1>`);
      expect(response.html).toContain(`<title>Error: ${title}</title>`);
      for (const name of ['Planners', 'Olga', 'Ben', here.ben.email]) expect(response.html).not.toContain(name);
    }
    expect(await isMember(here.ben)).toBe(false);
  });

  it('responds with 404 to links of deleted groups, ids and anything else', async () => {
    const { _id } = await storedInvite();
    for (const other of [_id, 'x', `${token}x`, `${token.slice(0, -2)}xx`, '%00', `${token}.`, '%3Cscript%3E']) {
      const { status, html } = await openPages(here.app).open(`${INVITES}/${other}`);
      expect([status, html]).toEqual([404, expect.stringContaining('Invite not found')]);
      expect((await openPages(here.app).send(`${INVITES}/${other}`, { decision: 'accept' })).status).toBe(404);
    }
    await send('delete', `/usergroups/${here.groupId}`, here.olga.authorization).expect(204);
    expect((await openPages(here.app).open(link)).status).toBe(404);
  });

  it('explains that the group is full, or that another window answered first', async () => {
    const { pages, page } = await signedIn(here.ben);
    const members = here.app.deps.mongo.db.collection<{ _id: string }>('usergroup_members');
    const member = (n: number) => ({ _id: `${here.groupId}${n}`, _groupId: here.groupId, _userId: `filler-${n}` });
    await members.insertMany(Array.from({ length: 1000 }, (_, n) => member(n)));
    const rejected = await answer(pages, 'accept');
    expect([rejected.status, rejected.html]).toEqual([400, expect.stringContaining('at most 1000 members')]);
    expect(rejected.html).toContain('role="alert"');
    await members.deleteMany({ _userId: /^filler-/ });
    const { hidden } = page.forms[0]!;
    const answers = ['accept', 'decline'].map((decision) => pages.send(link, { ...hidden, decision }));
    const responses = await Promise.all(answers);
    expect(responses.map(({ status }) => status)).toEqual([200, 200]);
    expect(responses[0]!.html).toContain((await isMember(here.ben)) ? 'You have joined' : 'You have declined');
  });

  it("escapes the names of strangers, and uses the app's theme", async () => {
    const evil = '<script>alert(1)</script>"\u202e';
    const change = { _name: evil, _description: evil };
    await send('put', `/usergroups/${here.groupId}`, here.olga.authorization, change).expect(200);
    await setInvite({ '_metadata._createdByName': evil });
    const apps = here.app.deps.mongo.db.collection<{ _id: string }>('apps');
    await apps.updateOne({ _id: here.app.trusted.id }, { $set: { _loginTheme: 'terracotta' } });
    const { html } = await openPages(here.app).open(link);
    const signIn = await openPages(here.app).open(`${SIGN_IN}?invite=${token}`);
    await apps.updateOne({ _id: here.app.trusted.id }, { $unset: { _loginTheme: '' } });
    expect(html.match(/&lt;script&gt;/g)).toHaveLength(4);
    expect(html).not.toContain('<script');
    const styleOf = (text: string) => /<style>(.*?)<\/style>/s.exec(text)![1];
    expect(styleOf(html)).toBe(styleOf(signIn.html));
    expect(styleOf(html)).not.toBe(styleOf((await openPages(here.app).open(link)).html));
  });

  it('asks a deactivated user to sign in', async () => {
    const { pages } = await signedIn(here.ben);
    const users = here.app.deps.mongo.db.collection<{ _id: string }>('users');
    await users.updateOne({ _id: here.ben.id }, { $set: { active: false } });
    const { status, forms } = await pages.open(link);
    expect([status, forms]).toEqual([200, []]);
  });

  it('responds to errors of its form with a page, and of the API with JSON', async () => {
    const twice = await here.app.api.post(link).type('form').send('decision=accept&decision=decline').expect(303);
    expect(twice.headers.location).toBe(`${SIGN_IN}?invite=${token}`);
    const json = await here.app.api.post(link).send({ decision: 'accept' }).expect(400);
    expect(json.headers['content-type']).toMatch('text/html');
    await here.app.api.put(link).send({}).expect(401).expect('content-type', /json/);
    await here.app.api.head(link).expect(200);
    await here.app.api.delete(link).expect(405);
  });
});
