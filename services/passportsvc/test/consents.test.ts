import { beforeEach, describe, expect, it } from '@jest/globals';
import { API, CONSENTS, ORIGIN, useConsents } from './consent-client.js';
import { REDIRECT_URI } from './start-app.js';
import { asApp, asUser, OAUTH_V2, redeem, requestToken } from './tokens.js';

describe('a consent that was given', () => {
  const { test, collection, url, openPage, decide, list, revoke, tokensOf } = useConsents();

  let own: string;
  beforeEach(async () => {
    own = await asUser(test.app);
  });

  it('is listed for its user only', async () => {
    expect((await list(own)).body).toEqual({ _offset: 0, _pageSize: 25, _total: 0, _list: [] });
    await decide('allow');
    expect((await list(own)).body).toEqual({
      _offset: 0,
      _pageSize: 25,
      _total: 1,
      _list: [
        {
          _appId: test.second.id,
          _appName: 'Second organization',
          _orgId: 'second-org',
          _orgName: 'Second organization',
          _destinations: [ORIGIN],
          _metadata: { _createdAt: expect.any(Number), _updatedAt: expect.any(Number) },
        },
      ],
    });
    expect((await list(own, { _pageSize: 0 })).body).toMatchObject({ _total: 1, _list: [] });
    const stranger = { userName: `${Math.random()}@platform.test`, password: 'the password of a stranger' };
    const authorization = await asApp(test.app);
    await test.app.api.post(`${API}/scim/Users`).set({ authorization }).send(stranger).expect(201);
    const theirs = await asUser(test.app, stranger);
    expect((await list(theirs)).body._total).toBe(0);
    await revoke(theirs).expect(404);
    await test.app.api.get(CONSENTS).expect(401);
    await test.app.api.get(CONSENTS).set({ authorization }).expect(403);
    await revoke(authorization).expect(403);
  });

  it('is revoked with all its grants at once', async () => {
    const tokens = await tokensOf((await decide('allow')).searchParams.get('code')!);
    const more = await tokensOf((await test.browser.open(url(), REDIRECT_URI)).url.searchParams.get('code')!);
    const unused = (await test.browser.open(url(), REDIRECT_URI)).url.searchParams.get('code')!;
    await revoke(own).expect(204);
    for (const { access_token, refresh_token } of [tokens, more]) {
      await test.app.api
        .get(CONSENTS)
        .set({ authorization: `Bearer ${access_token as string}` })
        .expect(401);
      const refresh = { grant_type: 'refresh_token', refresh_token: refresh_token as string };
      expect((await requestToken(test.app, refresh, test.second, OAUTH_V2).expect(400)).body.error).toBe(
        'invalid_grant',
      );
    }
    await redeem(test.app, unused, {}, test.second).expect(403);
    expect((await list(own)).body._total).toBe(0);
    await revoke(own).expect(404);
    await list(own);
    expect((await openPage()).at.pathname).toContain('/oauth/consent/');
  });

  it('is revoked without a gap: no token that is requested meanwhile works afterwards', async () => {
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
    const replies = await Promise.all(requests.map(async (request) => await request));
    expect(replies[7]!.status).toBe(204);
    for (const { status, body } of replies.filter((_, index) => index !== 7)) {
      expect([200, 403]).toContain(status);
      if (status !== 200) continue;
      const { access_token, refresh_token } = body as { access_token: string; refresh_token: string };
      await test.app.api
        .get(CONSENTS)
        .set({ authorization: `Bearer ${access_token}` })
        .expect(401);
      await requestToken(test.app, { grant_type: 'refresh_token', refresh_token }, test.second).expect(403);
    }
  });

  it('can be given again after it was revoked', async () => {
    await decide('allow');
    await revoke(own).expect(204);
    await tokensOf((await decide('allow')).searchParams.get('code')!);
    expect((await list(own)).body._total).toBe(1);
  });

  it('no longer counts when revoking it stopped halfway, and can be revoked again', async () => {
    const tokens = await tokensOf((await decide('allow')).searchParams.get('code')!);
    await collection('consents').updateMany({}, { $set: { _revoked: true } });
    const refresh = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token as string };
    await requestToken(test.app, refresh, test.second).expect(403);
    expect((await list(own)).body._total).toBe(0);
    await revoke(own).expect(204);
    await test.app.api
      .get(CONSENTS)
      .set({ authorization: `Bearer ${tokens.access_token as string}` })
      .expect(401);
    expect(await collection('consents').countDocuments()).toBe(0);
  });

  it('is stored once when it is given several times at once', async () => {
    const pages = await Promise.all(Array.from({ length: 4 }, () => openPage()));
    await Promise.all(
      pages.map(async ({ form, action }) => {
        expect((await test.browser.post(action, { ...form.hidden, decision: 'allow' })).status).toBe(303);
      }),
    );
    expect((await list(own)).body._total).toBe(1);
  });

  it.each(['%00', 'no-such-app', 'a'.repeat(65)])('is a 404 to revoke for the app %j', async (id) => {
    await revoke(own, id).expect(404);
  });
});
