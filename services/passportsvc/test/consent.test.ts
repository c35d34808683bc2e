import { beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@dtplatform/testing';
import { createBrowser, formOf } from './browser.js';
import { API, CONSENTS, ORIGIN, useConsents } from './consent-client.js';
import { newUser } from './page-client.js';
import { REDIRECT_URI } from './start-app.js';
import { asApp, asUser, claimsOf, codeFor, OAUTH_V2, redeem, requestToken } from './tokens.js';
import type { Form } from './tokens.js';

const { test, collection, url, openPage, decide, list, revoke, tokensOf } = useConsents();

describe('consent', () => {
  it('is required from users of other organizations before any code, and names app, organization and destination', async () => {
    const { reply, html } = await openPage();
    expect(reply.status).toBe(200);
    for (const text of ['Second organization', ORIGIN, 'Administrator']) expect(html).toContain(`<bdi>${text}</bdi>`);
    expect(await collection('consents').countDocuments()).toBe(0);
    const back = await decide('allow', { state: 's 1' });
    expect(back.searchParams.get('state')).toBe('s 1');
    const { access_token: token } = await tokensOf(back.searchParams.get('code')!);
    expect(claimsOf(token)).toMatchObject({ client_id: test.second.id, authorities: ['ROLE_USER'] });
  });

  it('is requested after the password, also with prompt=login', async () => {
    const back = await createBrowser().signIn(url({ prompt: 'login' }), test.app.admin, REDIRECT_URI);
    await tokensOf(back.searchParams.get('code')!);
  });

  it('is requested once per user and app', async () => {
    await decide('allow');
    const again = await test.browser.open(url(), REDIRECT_URI);
    expect(again.url.searchParams.get('code')).toEqual(expect.any(String));
    const { appId: _id } = test.app.dev.shortLived;
    await collection('apps').updateOne({ _id }, { $set: { _orgId: 'second-org' } });
    await eventually(async () => {
      const { url: at } = await test.browser.open(url({ client_id: _id }), REDIRECT_URI);
      expect(at.pathname).toContain('/oauth/consent/');
    });
    await collection('apps').updateOne({ _id }, { $set: { _orgId: test.app.orgId } });
  });

  it("is not required for trusted apps and apps of the user's own organization", async () => {
    const user = { userName: 'member@second.test', password: 'the password of a member' };
    const authorization = await asApp(test.app, test.second);
    await test.app.send('post', `${API}/scim/Users`, authorization, user).expect(201);
    for (const client_id of [test.second.id, test.app.trusted.id]) {
      const back = await createBrowser().signIn(url({ client_id }), user, REDIRECT_URI, 'deny');
      expect(back.searchParams.get('code')).toEqual(expect.any(String));
    }
    expect(await collection('consents').countDocuments()).toBe(0);
  });

  it('is required again for another destination of the app', async () => {
    await decide('allow');
    const elsewhere = 'https://elsewhere.test/callback';
    const registered = `${REDIRECT_URI},${elsewhere}`;
    await collection('apps').updateOne({ _id: test.second.id }, { $set: { _redirectUris: registered } });
    try {
      const page = await eventually(async () => {
        const { reply, url: at } = await test.browser.open(url({ redirect_uri: elsewhere }), REDIRECT_URI);
        expect(at.pathname).toContain('/oauth/consent/');
        return reply.text();
      });
      expect(page).toContain('<bdi>https://elsewhere.test</bdi>');
      const first = await test.browser.open(url(), REDIRECT_URI);
      expect(first.url.searchParams.get('code')).toEqual(expect.any(String));
      await decide('allow', { redirect_uri: elsewhere });
      const { body } = await list(await asUser(test.app));
      expect(body._list).toMatchObject([{ _destinations: [ORIGIN, 'https://elsewhere.test'] }]);
    } finally {
      await collection('apps').updateOne({ _id: test.second.id }, { $set: { _redirectUris: REDIRECT_URI } });
    }
  });

  it('is required for the implicit grant, and ends its token when revoked', async () => {
    const grants = 'authorization_code,refresh_token,client_credentials,implicit';
    await collection('apps').updateOne({ _id: test.second.id }, { $set: { _authorizedGrantTypes: grants } });
    await eventually(async () => {
      const { url: at } = await test.browser.open(url({ response_type: 'token' }), REDIRECT_URI);
      expect(at.pathname).toContain('/oauth/consent/');
    });
    const rejected = await decide('deny', { response_type: 'token', state: 's' });
    const fragment = Object.fromEntries(new URLSearchParams(rejected.hash.slice(1)));
    expect(fragment).toMatchObject({ error: 'access_denied', state: 's' });
    const back = await decide('allow', { response_type: 'token' });
    const authorization = `Bearer ${new URLSearchParams(back.hash.slice(1)).get('access_token')!}`;
    await list(authorization);
    const kept = await collection('authorizations').findOne({ clientId: test.second.id, generation: 1 });
    expect(Number(kept!.expiresAt) - Date.now()).toBeGreaterThan(3500_000);
    await revoke(await asUser(test.app)).expect(204);
    await test.app.send('get', CONSENTS, authorization).expect(401);
  });

  it('is reported as missing under prompt=none', async () => {
    const { url: at } = await test.browser.open(url({ prompt: 'none', state: 'x' }), REDIRECT_URI);
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

  it('is required for each refresh', async () => {
    const tokens = await tokensOf((await decide('allow')).searchParams.get('code')!);
    await collection('consents').deleteMany({});
    const refresh = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token as string };
    await requestToken(test.app, refresh, test.second).expect(403);
  });
});

describe('the consent page', () => {
  it('escapes the names of strangers', async () => {
    const named = (_name: string) => collection('apps').updateOne({ _id: test.second.id }, { $set: { _name } });
    await named('<b>Platform</b>\u202e');
    try {
      await eventually(async () => {
        const { html } = await openPage();
        expect(html).toContain('<bdi>&lt;b&gt;Platform&lt;/b&gt;\u202e</bdi>');
        expect(html).not.toContain('<b>Platform');
      });
    } finally {
      await named('Second organization');
    }
  });

  it('shows the scheme of a mobile app without the host behind it', async () => {
    const redirect_uri = 'com.example.app://www.bank.test/signed-in';
    const apps = collection('apps');
    await apps.updateOne({ _id: test.second.id }, { $set: { _redirectUris: `${REDIRECT_URI},${redirect_uri}` } });
    try {
      const page = await eventually(async () => {
        const opened = await test.browser.open(url({ redirect_uri }), REDIRECT_URI);
        expect(opened.url.pathname).toContain('/oauth/consent/');
        return opened.reply;
      });
      expect(page.headers.get('content-security-policy')).toContain("form-action 'self' com.example.app:;");
      const html = await page.text();
      expect(html).toContain('<bdi>com.example.app:</bdi>');
      expect(html).not.toContain('bank.test');
      const back = await decide('allow', { redirect_uri });
      expect(back.href).toContain(`${redirect_uri}?code=`);
      await redeem(test.app, back.searchParams.get('code')!, { redirect_uri }, test.second).expect(200);
    } finally {
      await apps.updateOne({ _id: test.second.id }, { $set: { _redirectUris: REDIRECT_URI } });
    }
  });

  it.each([
    ['without a token', { csrf_token: '' }],
    ['with a wrong token', { csrf_token: 'x'.repeat(43) }],
    ['without a decision', { decision: '' }],
    ['with an unknown decision', { decision: 'ALLOW' }],
  ] as [string, Form][])('is shown again for a form %s', async (_, change) => {
    const { form, action } = await openPage();
    const response = await test.browser.post(action, { decision: 'allow', ...form.hidden, ...change });
    expect(response.status).toBe(400);
    expect(formOf(await response.text())!.hidden).toEqual(form.hidden);
    expect(await collection('consents').countDocuments()).toBe(0);
  });

  it('rejects the form of another page or browser, and a second submission', async () => {
    const [{ form, action }, other] = [await openPage(), await openPage({ state: 'another' })];
    const sent = { ...form.hidden, decision: 'allow' };
    expect((await test.browser.post(other.action, sent)).status).toBe(400);
    expect((await createBrowser().post(action, sent)).status).toBe(400);
    const stranger = createBrowser();
    await codeFor(test.app, {}, stranger);
    expect((await stranger.post(action, sent)).status).toBe(400);
    expect(await collection('consents').countDocuments()).toBe(0);

    const returnTo = (await test.browser.post(action, sent)).headers.get('location')!;
    expect((await test.browser.get(returnTo)).status).toBe(303);
    expect((await test.browser.post(action, sent)).status).toBe(400);
    expect((await test.browser.get(returnTo)).status).toBe(400);
  });

  it('expires with the sign-out of the user', async () => {
    const { form, action } = await openPage();
    const signOut = new URL(`${test.app.url}${API}/logout`);
    await test.browser.post(signOut, formOf(await (await test.browser.get(signOut)).text())!.hidden);
    expect((await test.browser.post(action, { ...form.hidden, decision: 'allow' })).status).toBe(400);
    expect(await collection('consents').countDocuments()).toBe(0);
  });

  it('does not replace the sign-in page, or vice versa', async () => {
    const { action, form } = await openPage();
    const asSignIn = action.href.replace('/consent/', '/signin/');
    for (const cookie of test.browser.cookies.values()) if (cookie.path === action.pathname) cookie.path = '/';
    const sent = { username: test.app.admin.userName, password: test.app.admin.password, ...form.hidden };
    expect((await test.browser.post(asSignIn, sent)).status).toBe(400);
    expect((await test.browser.get(asSignIn)).status).toBe(400);
  });
});

describe('a given consent', () => {
  let own: string;
  beforeEach(async () => {
    own = await asUser(test.app);
  });

  it('is listed for its user only', async () => {
    expect((await list(own)).body).toEqual({ _offset: 0, _pageSize: 25, _total: 0, _list: [] });
    await decide('allow');
    const { body } = await list(own);
    expect(body).toMatchObject({ _total: 1 });
    expect(body._list).toEqual([
      {
        ...{ _appId: test.second.id, _appName: 'Second organization', _destinations: [ORIGIN] },
        ...{ _orgId: 'second-org', _orgName: 'Second organization' },
        _metadata: { _createdAt: expect.any(Number), _updatedAt: expect.any(Number) },
      },
    ]);
    const stranger = await newUser(test.app);
    const theirs = await asUser(test.app, stranger);
    expect((await list(theirs)).body._total).toBe(0);
    await revoke(theirs).expect(404);
  });

  it('is revoked at once with all its tokens and codes', async () => {
    const codeWithoutPage = async () => (await test.browser.open(url(), REDIRECT_URI)).url.searchParams.get('code')!;
    const tokens = await tokensOf((await decide('allow')).searchParams.get('code')!);
    const [more, unused] = [await tokensOf(await codeWithoutPage()), await codeWithoutPage()];
    await revoke(own).expect(204);
    for (const { access_token, refresh_token } of [tokens, more]) {
      await test.app.send('get', CONSENTS, `Bearer ${access_token as string}`).expect(401);
      const refresh = { grant_type: 'refresh_token', refresh_token: refresh_token as string };
      const { body } = await requestToken(test.app, refresh, test.second, OAUTH_V2).expect(400);
      expect(body.error).toBe('invalid_grant');
    }
    await redeem(test.app, unused, {}, test.second).expect(403);
    expect((await list(own)).body._total).toBe(0);
    await revoke(own).expect(404);
    expect((await openPage()).at.pathname).toContain('/oauth/consent/');
  });

  it('is revoked without a gap: no token requested meanwhile works afterwards', async () => {
    const first = await tokensOf((await decide('allow')).searchParams.get('code')!);
    const codes: string[] = [];
    for (let index = 0; index < 12; index++) {
      codes.push((await test.browser.open(url(), REDIRECT_URI)).url.searchParams.get('code')!);
    }
    const refresh = { grant_type: 'refresh_token', refresh_token: first.refresh_token as string };
    const requests = [
      ...codes.slice(0, 6).map((code) => redeem(test.app, code, {}, test.second)),
      requestToken(test.app, refresh, test.second),
      revoke(own),
      ...codes.slice(6).map((code) => redeem(test.app, code, {}, test.second)),
    ];
    const responses = await Promise.all(requests.map(async (request) => await request));
    expect(responses[7]!.status).toBe(204);
    for (const { status, body } of responses.filter((_, index) => index !== 7)) {
      expect([200, 403]).toContain(status);
      if (status !== 200) continue;
      const { access_token, refresh_token } = body as { access_token: string; refresh_token: string };
      await test.app.send('get', CONSENTS, `Bearer ${access_token}`).expect(401);
      await requestToken(test.app, { grant_type: 'refresh_token', refresh_token }, test.second).expect(403);
    }
  });

  it('can be given again after a revocation', async () => {
    await decide('allow');
    await revoke(own).expect(204);
    await tokensOf((await decide('allow')).searchParams.get('code')!);
    expect((await list(own)).body._total).toBe(1);
  });

  it('is void after a revocation that stopped halfway, which can be repeated', async () => {
    const tokens = await tokensOf((await decide('allow')).searchParams.get('code')!);
    await collection('consents').updateMany({}, { $set: { _revoked: true } });
    const refresh = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token as string };
    await requestToken(test.app, refresh, test.second).expect(403);
    expect((await list(own)).body._total).toBe(0);
    await revoke(own).expect(204);
    await test.app.send('get', CONSENTS, `Bearer ${tokens.access_token as string}`).expect(401);
    expect(await collection('consents').countDocuments()).toBe(0);
  });

  it('is stored once under concurrent submissions', async () => {
    const pages = await Promise.all(Array.from({ length: 4 }, () => openPage()));
    await Promise.all(
      pages.map(async ({ form, action }) => {
        expect((await test.browser.post(action, { ...form.hidden, decision: 'allow' })).status).toBe(303);
      }),
    );
    expect((await list(own)).body._total).toBe(1);
  });
});
