import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@dtplatform/testing';
import { createBrowser } from './browser.js';
import { REDIRECT_URI, useApp } from './start-app.js';
import { asApp, authorizeUrl, claimsOf, codeFor, redeem, requestToken } from './tokens.js';

const APPS = '/passportsvc/api/v1/apps';

describe('administrators', () => {
  const app = useApp();
  /** An untrusted app of the administrator's own organization. */
  let viewer: { id: string; secret: string };

  beforeAll(async () => {
    const wanted = { _name: 'Viewer', _appOwner: app.admin.userName, _orgId: app.orgId, _redirectUris: REDIRECT_URI };
    const authorization = await asApp(app);
    const { body } = await app.send('post', APPS, authorization, wanted).expect(201);
    viewer = { id: body._id as string, secret: body._secret as string };
  });

  const authorities = (tokens: { access_token: string }) => claimsOf(tokens.access_token).authorities;

  it('are ordinary users through untrusted apps, also after a refresh', async () => {
    const tokens = (await redeem(app, await codeFor(app, { client_id: viewer.id }), {}, viewer).expect(200)).body;
    expect(authorities(tokens)).toEqual(['ROLE_USER']);
    const refresh = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token as string };
    const refreshed = (await requestToken(app, refresh, viewer).expect(200)).body;
    expect(authorities(refreshed)).toEqual(['ROLE_USER']);
    const authorization = `Bearer ${refreshed.access_token as string}`;
    const wanted = { _name: 'Mine', _appOwner: app.admin.userName, _orgId: app.orgId, _redirectUris: REDIRECT_URI };
    await app.send('post', APPS, authorization, wanted).expect(403);
  });

  it('are ordinary users in the implicit grant of an untrusted app', async () => {
    const apps = app.deps.mongo.db.collection<{ _id: string }>('apps');
    await apps.updateOne({ _id: viewer.id }, { $set: { _authorizedGrantTypes: 'implicit' } });
    const url = authorizeUrl(app, { client_id: viewer.id, response_type: 'token' });
    const browser = createBrowser();
    const token = await eventually(async () => {
      const back = await browser.signIn(url, app.admin, REDIRECT_URI);
      const fragment = new URLSearchParams(back.hash.slice(1));
      expect(fragment.get('error')).toBeNull();
      return fragment.get('access_token')!;
    });
    expect(authorities({ access_token: token })).toEqual(['ROLE_USER']);
  });
});
