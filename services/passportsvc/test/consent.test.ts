import { beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@dtplatform/testing';
import { createBrowser, formOf } from './browser.js';
import { newUser } from './page-client.js';
import { REDIRECT_URI, useApp } from './start-app.js';
import { asApp, asUser, authorizeUrl, claimsOf, codeFor, OAUTH_V2, redeem, refreshWith } from './tokens.js';
import type { Form } from './tokens.js';

const API = '/passportsvc/api/v1';
const CONSENTS = `${API}/users/me/consents`;
const ORIGIN = new URL(REDIRECT_URI).origin;

/** Its second app is in an organization other than the administrator's. */
const app = useApp();
/** A browser in which the administrator is signed in. */
let browser: ReturnType<typeof createBrowser>;

const collection = (name: string) => app.deps.mongo.db.collection<{ _id: string; expiresAt?: Date }>(name);
const url = (more: Form = {}) => authorizeUrl(app, { client_id: app.second.id, ...more });

/** Opens the consent page in the signed-in browser. */
async function openPage(more: Form = {}) {
  const { reply, url: at } = await browser.open(url(more), REDIRECT_URI);
  const html = await reply.text();
  return { reply, html, at, form: formOf(html)!, action: new URL(formOf(html)!.action, at) };
}

async function decide(decision: string, more: Form = {}) {
  const { form, action } = await openPage(more);
  const sent = await browser.post(action, { ...form.hidden, decision });
  return new URL((await browser.get(sent.headers.get('location')!)).headers.get('location')!);
}

const list = (authorization: string) => app.send('get', CONSENTS, authorization).expect(200);
const revoke = (authorization: string) => app.send('delete', `${CONSENTS}/${app.second.id}`, authorization);
async function tokensOf(code: string) {
  const { body } = await redeem(app, code, {}, app.second).expect(200);
  return body as { access_token: string; refresh_token: string };
}
const change = ($set: object) => collection('apps').updateOne({ _id: app.second.id }, { $set });
/** The consent page, once the service has read the changed app. */
const askedAgain = (more: Form) =>
  eventually(async () => {
    const { reply, url: at } = await browser.open(url(more), REDIRECT_URI);
    expect(at.pathname).toContain('/oauth/consent/');
    return reply;
  });

beforeEach(async () => {
  await collection('consents').deleteMany({});
  browser = createBrowser();
  await codeFor(app, {}, browser);
});

describe('consent', () => {
  it('is required from users of other organizations before any code, and names app, organization and destination', async () => {
    const { reply, html } = await openPage();
    expect(reply.status).toBe(200);
    for (const text of ['Second organization', ORIGIN, 'Administrator']) expect(html).toContain(`<bdi>${text}</bdi>`);
    expect(await collection('consents').countDocuments()).toBe(0);
    const back = await decide('allow', { state: 's 1' });
    expect(back.searchParams.get('state')).toBe('s 1');
    const { access_token: token } = await tokensOf(back.searchParams.get('code')!);
    expect(claimsOf(token)).toMatchObject({ client_id: app.second.id, authorities: ['ROLE_USER'] });
  });

  it('is requested after the password, also with prompt=login', async () => {
    const back = await createBrowser().signIn(url({ prompt: 'login' }), app.admin, REDIRECT_URI);
    await tokensOf(back.searchParams.get('code')!);
  });

  it('is requested once per user and app', async () => {
    await decide('allow');
    const again = await browser.open(url(), REDIRECT_URI);
    expect(again.url.searchParams.get('code')).toEqual(expect.any(String));
    const { id: _id } = app.shortLived;
    await collection('apps').updateOne({ _id }, { $set: { _orgId: 'second-org' } });
    await askedAgain({ client_id: _id });
    await collection('apps').updateOne({ _id }, { $set: { _orgId: app.orgId } });
  });

  it("is not required for trusted apps and apps of the user's own organization", async () => {
    const user = await newUser(app, {}, await asApp(app, app.second));
    for (const client_id of [app.second.id, app.trusted.id]) {
      const back = await createBrowser().signIn(url({ client_id }), user, REDIRECT_URI, 'deny');
      expect(back.searchParams.get('code')).toEqual(expect.any(String));
    }
    expect(await collection('consents').countDocuments()).toBe(0);
  });

  it('is required again for another destination of the app', async () => {
    await decide('allow');
    const elsewhere = 'https://elsewhere.test/callback';
    await change({ _redirectUris: `${REDIRECT_URI},${elsewhere}` });
    try {
      const page = await (await askedAgain({ redirect_uri: elsewhere })).text();
      expect(page).toContain('<bdi>https://elsewhere.test</bdi>');
      const first = await browser.open(url(), REDIRECT_URI);
      expect(first.url.searchParams.get('code')).toEqual(expect.any(String));
      await decide('allow', { redirect_uri: elsewhere });
      const { body } = await list(await asUser(app));
      expect(body._list).toMatchObject([{ _destinations: [ORIGIN, 'https://elsewhere.test'] }]);
    } finally {
      await change({ _redirectUris: REDIRECT_URI });
    }
  });

  it('is required for the implicit grant, and ends its token when revoked', async () => {
    await change({ _authorizedGrantTypes: 'authorization_code,refresh_token,client_credentials,implicit' });
    await askedAgain({ response_type: 'token' });
    const rejected = await decide('deny', { response_type: 'token', state: 's' });
    const fragment = Object.fromEntries(new URLSearchParams(rejected.hash.slice(1)));
    expect(fragment).toMatchObject({ error: 'access_denied', state: 's' });
    const back = await decide('allow', { response_type: 'token' });
    const authorization = `Bearer ${new URLSearchParams(back.hash.slice(1)).get('access_token')!}`;
    await list(authorization);
    const kept = await collection('authorizations').findOne({ clientId: app.second.id, generation: 1 });
    expect(Number(kept!.expiresAt) - Date.now()).toBeGreaterThan(3500_000);
    await revoke(await asUser(app)).expect(204);
    await app.send('get', CONSENTS, authorization).expect(401);
  });

  it('is reported as missing under prompt=none', async () => {
    const { url: at } = await browser.open(url({ prompt: 'none', state: 'x' }), REDIRECT_URI);
    expect(Object.fromEntries(at.searchParams)).toMatchObject({ error: 'consent_required', state: 'x' });
  });

  it('reports a rejection to the app, and is requested again with the next sign-in', async () => {
    const back = await decide('deny', { state: 'mine' });
    expect(back.href.startsWith(REDIRECT_URI)).toBe(true);
    expect(Object.fromEntries(back.searchParams)).toMatchObject({ error: 'access_denied', state: 'mine' });
    expect(back.searchParams.has('code')).toBe(false);
    expect(await collection('consents').countDocuments()).toBe(0);
    expect((await openPage()).at.pathname).toContain('/oauth/consent/');
  });

  it('is required for each refresh, which grants no administrator role', async () => {
    const tokens = await tokensOf((await decide('allow')).searchParams.get('code')!);
    const { body } = await refreshWith(app, tokens.refresh_token, app.second).expect(200);
    expect(claimsOf(body.access_token).authorities).toEqual(['ROLE_USER']);
    await collection('consents').deleteMany({});
    await refreshWith(app, body.refresh_token, app.second).expect(403);
  });
});

describe('the consent page', () => {
  it('escapes the names of strangers', async () => {
    await change({ _name: '<b>Platform</b>\u202e' });
    try {
      await eventually(async () => {
        const { html } = await openPage();
        expect(html).toContain('<bdi>&lt;b&gt;Platform&lt;/b&gt;\u202e</bdi>');
        expect(html).not.toContain('<b>Platform');
      });
    } finally {
      await change({ _name: 'Second organization' });
    }
  });

  it('shows the scheme of a mobile app without the host behind it', async () => {
    const redirect_uri = 'com.example.app://www.bank.test/signed-in';
    await change({ _redirectUris: `${REDIRECT_URI},${redirect_uri}` });
    try {
      const page = await askedAgain({ redirect_uri });
      expect(page.headers.get('content-security-policy')).toContain("form-action 'self' com.example.app:;");
      const html = await page.text();
      expect(html).toContain('<bdi>com.example.app:</bdi>');
      expect(html).not.toContain('bank.test');
      const back = await decide('allow', { redirect_uri });
      expect(back.href).toContain(`${redirect_uri}?code=`);
      await redeem(app, back.searchParams.get('code')!, { redirect_uri }, app.second).expect(200);
    } finally {
      await change({ _redirectUris: REDIRECT_URI });
    }
  });

  it('is shown again for a form without the right token or a decision', async () => {
    const { form, action } = await openPage();
    const wrong: Form[] = [{ csrf_token: '' }, { csrf_token: 'x'.repeat(43) }, { decision: '' }, { decision: 'ALLOW' }];
    for (const fields of wrong) {
      const response = await browser.post(action, { decision: 'allow', ...form.hidden, ...fields });
      expect(response.status).toBe(400);
      expect(formOf(await response.text())!.hidden).toEqual(form.hidden);
    }
    expect(await collection('consents').countDocuments()).toBe(0);
  });

  it('rejects the form of another page or browser, and a second submission', async () => {
    const [{ form, action }, other] = [await openPage(), await openPage({ state: 'another' })];
    const sent = { ...form.hidden, decision: 'allow' };
    expect((await browser.post(other.action, sent)).status).toBe(400);
    expect((await createBrowser().post(action, sent)).status).toBe(400);
    const stranger = createBrowser();
    await codeFor(app, {}, stranger);
    expect((await stranger.post(action, sent)).status).toBe(400);
    expect(await collection('consents').countDocuments()).toBe(0);

    const returnTo = (await browser.post(action, sent)).headers.get('location')!;
    expect((await browser.get(returnTo)).status).toBe(303);
    expect((await browser.post(action, sent)).status).toBe(400);
    expect((await browser.get(returnTo)).status).toBe(400);
  });

  it('expires with the sign-out of the user', async () => {
    const { form, action } = await openPage();
    const signOut = new URL(`${app.url}${API}/logout`);
    await browser.post(signOut, formOf(await (await browser.get(signOut)).text())!.hidden);
    expect((await browser.post(action, { ...form.hidden, decision: 'allow' })).status).toBe(400);
    expect(await collection('consents').countDocuments()).toBe(0);
  });

  it('does not replace the sign-in page, or vice versa', async () => {
    const { action, form } = await openPage();
    const asSignIn = action.href.replace('/consent/', '/signin/');
    for (const cookie of browser.cookies.values()) if (cookie.path === action.pathname) cookie.path = '/';
    const sent = { username: app.admin.userName, password: app.admin.password, ...form.hidden };
    expect((await browser.post(asSignIn, sent)).status).toBe(400);
    expect((await browser.get(asSignIn)).status).toBe(400);
  });
});

describe('a given consent', () => {
  let own: string;
  beforeEach(async () => {
    own = await asUser(app);
  });

  it('is listed for its user only', async () => {
    expect((await list(own)).body).toEqual({ _offset: 0, _pageSize: 25, _total: 0, _list: [] });
    await decide('allow');
    const { body } = await list(own);
    expect(body).toMatchObject({ _total: 1, _list: [{ _appId: app.second.id }] });
    const stranger = await newUser(app);
    const theirs = await asUser(app, stranger);
    expect((await list(theirs)).body._total).toBe(0);
    await revoke(theirs).expect(404);
  });

  it('is revoked at once with all its tokens and codes', async () => {
    const codeWithoutPage = async () => (await browser.open(url(), REDIRECT_URI)).url.searchParams.get('code')!;
    const tokens = await tokensOf((await decide('allow')).searchParams.get('code')!);
    const [more, unused] = [await tokensOf(await codeWithoutPage()), await codeWithoutPage()];
    await revoke(own).expect(204);
    for (const { access_token, refresh_token } of [tokens, more]) {
      await app.send('get', CONSENTS, `Bearer ${access_token}`).expect(401);
      const { body } = await refreshWith(app, refresh_token, app.second, OAUTH_V2).expect(400);
      expect(body.error).toBe('invalid_grant');
    }
    await redeem(app, unused, {}, app.second).expect(403);
    expect((await list(own)).body._total).toBe(0);
    await revoke(own).expect(404);
    expect((await openPage()).at.pathname).toContain('/oauth/consent/');
    // It can be given again.
    await tokensOf((await decide('allow')).searchParams.get('code')!);
    expect((await list(own)).body._total).toBe(1);
  });

  it('is revoked without a gap: no token requested during the revocation works afterwards', async () => {
    const first = await tokensOf((await decide('allow')).searchParams.get('code')!);
    const codes: string[] = [];
    for (let index = 0; index < 12; index++) {
      codes.push((await browser.open(url(), REDIRECT_URI)).url.searchParams.get('code')!);
    }
    const requests = [
      ...codes.slice(0, 6).map((code) => redeem(app, code, {}, app.second)),
      refreshWith(app, first.refresh_token, app.second),
      revoke(own),
      ...codes.slice(6).map((code) => redeem(app, code, {}, app.second)),
    ];
    const responses = await Promise.all(requests.map(async (request) => await request));
    expect(responses[7]!.status).toBe(204);
    for (const { status, body } of responses.filter((_, index) => index !== 7)) {
      expect([200, 403]).toContain(status);
      if (status !== 200) continue;
      const { access_token, refresh_token } = body as { access_token: string; refresh_token: string };
      await app.send('get', CONSENTS, `Bearer ${access_token}`).expect(401);
      await refreshWith(app, refresh_token, app.second).expect(403);
    }
  });

  it('is void after a revocation that stopped halfway, which can be repeated', async () => {
    const tokens = await tokensOf((await decide('allow')).searchParams.get('code')!);
    await collection('consents').updateMany({}, { $set: { _revoked: true } });
    await refreshWith(app, tokens.refresh_token, app.second).expect(403);
    expect((await list(own)).body._total).toBe(0);
    await revoke(own).expect(204);
    await app.send('get', CONSENTS, `Bearer ${tokens.access_token}`).expect(401);
    expect(await collection('consents').countDocuments()).toBe(0);
  });

  it('is stored once under concurrent submissions', async () => {
    const pages = await Promise.all(Array.from({ length: 4 }, () => openPage()));
    await Promise.all(
      pages.map(async ({ form, action }) => {
        expect((await browser.post(action, { ...form.hidden, decision: 'allow' })).status).toBe(303);
      }),
    );
    expect((await list(own)).body._total).toBe(1);
  });
});
