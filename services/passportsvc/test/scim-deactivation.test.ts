import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { commonErrors } from '@dtplatform/errors';
import { eventually } from '@dtplatform/testing';
import { createBrowser } from './browser.js';
import { finishPendingAccess } from '../src/jobs/finish-pending-access.job.js';
import { REDIRECT_URI, startApp } from './start-app.js';
import type { TestApp } from './start-app.js';
import { asApp, authorizeUrl, codeFor, redeem, requestToken } from './tokens.js';

const API = '/passportsvc/api/v1';
const USERS = `${API}/scim/Users`;
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
const user = { userName: 'leaver@platform.test', password: 'the password of the leaver' };

describe('a user who is deactivated or deleted', () => {
  let app: TestApp;
  let authorization: string;
  let id: string;

  const setActive = (active: boolean, on: Pick<TestApp, 'api'> = app) =>
    on.api
      .patch(`${USERS}/${id}`)
      .set({ authorization })
      .send({ schemas: [PATCH], Operations: [{ op: 'Replace', path: 'active', value: active }] });
  const signIn = async (browser = createBrowser()) => {
    const { body } = await redeem(app, await codeFor(app, {}, browser, user), {}, app.trusted).expect(200);
    return { access: `Bearer ${body.access_token as string}`, refresh: body.refresh_token as string };
  };
  const call = (access: string, on: Pick<TestApp, 'api'> = app) =>
    on.api.get(`${API}/workspaces`).set({ authorization: access });
  const refresh = (token: string) =>
    requestToken(app, { grant_type: 'refresh_token', refresh_token: token }, app.trusted);
  const stored = (collection: string, filter: object) =>
    app.deps.mongo.db.collection(collection).countDocuments(filter);

  beforeEach(async () => {
    app = await startApp();
    authorization = await asApp(app);
    id = (await app.api.post(USERS).set({ authorization }).send(user).expect(201)).body.id;
  });
  afterEach(() => app.stop());

  it('cannot sign in, refresh, redeem a code or use a token, in any process, and can again when active', async () => {
    const replica = await app.startInstance();
    const browser = createBrowser();
    const { access, refresh: token } = await signIn(browser);
    const code = await codeFor(app, {}, browser, user);
    await call(access, replica).expect(200);

    expect((await setActive(false).expect(200)).body.active).toBe(false);
    await call(access).expect(401);
    await call(access, replica).expect(401);
    await refresh(token).expect(403);
    await redeem(app, code, {}, app.trusted).expect(403);
    await expect(signIn()).rejects.toThrow();
    // The browser is signed out: it gets the sign-in page, not a code.
    const page = await browser.open(authorizeUrl(app), REDIRECT_URI);
    expect(page.url.href).not.toContain('code=');
    for (const collection of ['authorizations', 'access_endings']) expect(await stored(collection, {})).toBe(0);
    expect(await stored('oauth_sessions', { 'state.accountId': id })).toBe(0);

    await setActive(true).expect(200);
    await refresh(token).expect(403);
    const again = await signIn();
    await call(again.access).expect(200);
    await call(access).expect(401);
    await replica.stop();
  });

  it('loses the consents, and everything else, by a deletion', async () => {
    const { access, refresh: token } = await signIn();
    await app.deps.mongo.db.collection('consents').insertOne({ _userId: id, _appId: 'x' });
    await app.api.delete(`${USERS}/${id}`).set({ authorization }).expect(204);
    await call(access).expect(401);
    await refresh(token).expect(403);
    expect(await stored('consents', { _userId: id })).toBe(0);
  });

  it('is signed out by the sweep when Redis was not reached, or the process died in between', async () => {
    const { access, refresh: token } = await signIn();
    const replica = await app.startInstance();
    const { client } = replica.deps.redis;
    const set = client.set.bind(client);
    Object.assign(client, { set: () => Promise.reject(commonErrors.unavailable()) });
    await setActive(false, replica).expect(503);
    Object.assign(client, { set });
    expect(await stored('access_endings', { userId: id })).toBe(1);
    await call(access).expect(200);

    finishPendingAccess(app.deps);
    await eventually(() => call(access).expect(401));
    await eventually(async () => expect(await stored('access_endings', {})).toBe(0));
    await refresh(token).expect(403);
    await replica.stop();
  });

  it('is found by filters when a process of the previous version created it during an upgrade', async () => {
    await app.deps.mongo.db
      .collection('users')
      .updateOne({ _id: id as never }, { $set: { title: 'Boss' }, $unset: { _search: 1 } });
    finishPendingAccess(app.deps);
    await eventually(async () => {
      const { body } = await app.api.get(USERS).query({ filter: 'title eq "boss"' }).set({ authorization });
      expect(body.totalResults).toBe(1);
    });
  });
});
