import { describe, expect, it } from '@jest/globals';
import { eventually } from '@dtplatform/testing';
import { createBrowser } from './browser.js';
import { API, CONSENTS, ORIGIN, useConsents } from './consent-client.js';
import { REDIRECT_URI } from './start-app.js';
import { asApp, asUser, claimsOf, requestToken } from './tokens.js';

describe('consent', () => {
  const { test, collection, url, openPage, decide, list, revoke, tokensOf } = useConsents();

  it('is asked of users of other organizations before any code, with app, organization and destination', async () => {
    const { reply, html } = await openPage();
    expect(reply.status).toBe(200);
    for (const text of ['Second organization', ORIGIN, 'Administrator']) expect(html).toContain(`<bdi>${text}</bdi>`);
    expect(await collection('consents').countDocuments()).toBe(0);
    const back = await decide('allow', { state: 's 1' });
    expect(back.searchParams.get('state')).toBe('s 1');
    const { access_token: token } = await tokensOf(back.searchParams.get('code')!);
    expect(claimsOf(token)).toMatchObject({ client_id: test.second.id, authorities: ['ROLE_USER'] });
  });

  it('is asked after the password, also with prompt=login', async () => {
    const back = await createBrowser().signIn(url({ prompt: 'login' }), test.app.admin, REDIRECT_URI);
    await tokensOf(back.searchParams.get('code')!);
  });

  it('is asked once per user and app', async () => {
    await decide('allow');
    const again = await test.browser.open(url(), REDIRECT_URI);
    expect(again.url.searchParams.get('code')).toEqual(expect.any(String));
    const other = { ...test.app.dev.shortLived, _orgId: 'second-org' };
    await collection('apps').updateOne({ _id: other.appId }, { $set: { _orgId: other._orgId } });
    try {
      await eventually(async () => {
        const { url: at } = await test.browser.open(url({ client_id: other.appId }), REDIRECT_URI);
        expect(at.pathname).toContain('/oauth/consent/');
      });
    } finally {
      await collection('apps').updateOne({ _id: other.appId }, { $set: { _orgId: test.app.orgId } });
    }
  });

  it('is not asked for trusted apps and apps of the user’s own organization', async () => {
    const user = { userName: 'member@second.test', password: 'the password of a member' };
    const authorization = await asApp(test.app, test.second);
    await test.app.api.post(`${API}/scim/Users`).set({ authorization }).send(user).expect(201);
    for (const client_id of [test.second.id, test.app.trusted.id]) {
      const back = await createBrowser().signIn(url({ client_id }), user, REDIRECT_URI, 'deny');
      expect(back.searchParams.get('code')).toEqual(expect.any(String));
    }
    expect(await collection('consents').countDocuments()).toBe(0);
  });

  it('is asked again for another destination of the app', async () => {
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

  it('is needed for the implicit grant as well', async () => {
    const grants = 'authorization_code,refresh_token,client_credentials,implicit';
    await collection('apps').updateOne({ _id: test.second.id }, { $set: { _authorizedGrantTypes: grants } });
    const page = await eventually(async () => {
      const opened = await test.browser.open(url({ response_type: 'token' }), REDIRECT_URI);
      expect(opened.url.pathname).toContain('/oauth/consent/');
      return opened;
    });
    expect(page.reply.status).toBe(200);
    const refused = await decide('deny', { response_type: 'token', state: 's' });
    expect(Object.fromEntries(new URLSearchParams(refused.hash.slice(1)))).toMatchObject({
      error: 'access_denied',
      state: 's',
    });
    const back = await decide('allow', { response_type: 'token' });
    const authorization = `Bearer ${new URLSearchParams(back.hash.slice(1)).get('access_token')!}`;
    await list(authorization);
    const kept = await collection('authorizations').findOne({ clientId: test.second.id, generation: 1 });
    expect(Number(kept!.expiresAt) - Date.now()).toBeGreaterThan(3500_000);
    await revoke(await asUser(test.app)).expect(204);
    await test.app.api.get(CONSENTS).set({ authorization }).expect(401);
  });

  it('is reported as missing when the app does not want a page', async () => {
    const { url: at } = await test.browser.open(url({ prompt: 'none', state: 'x' }), REDIRECT_URI);
    expect(Object.fromEntries(at.searchParams)).toMatchObject({ error: 'consent_required', state: 'x' });
  });

  it('can be refused; the app is told, and the next request asks again', async () => {
    const back = await decide('deny', { state: 'mine' });
    expect(back.href.startsWith(REDIRECT_URI)).toBe(true);
    expect(Object.fromEntries(back.searchParams)).toMatchObject({ error: 'access_denied', state: 'mine' });
    expect(back.searchParams.has('code')).toBe(false);
    expect(await collection('consents').countDocuments()).toBe(0);
    expect((await openPage()).at.pathname).toContain('/oauth/consent/');
  });

  it('is needed to refresh what an earlier version issued without it', async () => {
    const tokens = await tokensOf((await decide('allow')).searchParams.get('code')!);
    await collection('consents').deleteMany({});
    const refresh = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token as string };
    await requestToken(test.app, refresh, test.second).expect(403);
  });
});
