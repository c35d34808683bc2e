import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { commonErrors } from '@dtplatform/errors';
import { deleteKeys, eventually } from '@dtplatform/testing';
import { createAccountStore } from '../src/oauth/account/account.store.js';
import { createBrowserStateStore, sessionModel } from '../src/oauth/authorize/browser-states.store.js';
import { startTokenSweeps, startUserSweeps } from '../src/start-sweeps.js';
import { createBrowser } from './browser.js';
import { newUser } from './page-client.js';
import { REDIRECT_URI, useApp } from './start-app.js';
import type { TestApp } from './start-app.js';
import { asApp, authorizeUrl, codeFor, redeem, refreshWith, startSignIn, tokensFor } from './tokens.js';

const API = '/passportsvc/api/v1';
const USERS = `${API}/scim/Users`;

describe('the access of a SCIM user', () => {
  const app = useApp();
  let authorization: string;
  let user: { userName: string; password: string };
  let id: string;

  const setActive = (active: boolean, on: Pick<TestApp, 'api'> = app) =>
    on.api
      .patch(`${USERS}/${id}`)
      .set({ authorization })
      .send({ Operations: [{ op: 'Replace', path: 'active', value: active }] });
  const signIn = (browser = createBrowser(), as = user) => tokensFor(app, as, browser);
  const call = (access: string, on: Pick<TestApp, 'api'> = app) =>
    on.api.get(`${API}/workspaces`).set({ authorization: access });
  const refresh = (token: string) => refreshWith(app, token);
  /** Rejects writes of these keys by a process, as if Redis were unavailable. */
  function failFor(process: Awaited<ReturnType<TestApp['startInstance']>>, matches: (key: string) => boolean) {
    const { client } = process.deps.redis;
    const set = app.deps.redis.client.set.bind(app.deps.redis.client) as (...sent: unknown[]) => Promise<unknown>;
    Object.assign(client, {
      set: (key: string, ...more: unknown[]) =>
        matches(key) ? Promise.reject(commonErrors.unavailable()) : set(key, ...more),
    });
  }
  const stored = (name: string, filter: object) => app.deps.mongo.db.collection(name).countDocuments(filter);

  beforeAll(async () => {
    authorization = await asApp(app);
  });
  beforeEach(async () => {
    ({ id, ...user } = await newUser(app));
  });

  it('ends in every process with a deactivation, and returns with a reactivation', async () => {
    const replica = await app.startInstance();
    const browser = createBrowser();
    const { access, refresh: token } = await signIn(browser);
    const code = await codeFor(app, {}, browser, user);
    await call(access, replica).expect(200);

    expect((await setActive(false).expect(200)).body.active).toBe(false);
    for (const on of [app, replica]) await call(access, on).expect(401);
    await refresh(token).expect(403);
    await redeem(app, code, {}, app.trusted).expect(403);
    await expect(signIn()).rejects.toThrow();
    // A signed-out browser gets the sign-in page, not a code.
    const page = await browser.open(authorizeUrl(app), REDIRECT_URI);
    expect(page.url.href).not.toContain('code=');
    expect(await stored('authorizations', { accountId: id })).toBe(0);
    expect(await stored('access_endings', { userId: id })).toBe(0);
    expect(await stored('oauth_sessions', { 'state.accountId': id })).toBe(0);

    await setActive(true).expect(200);
    await refresh(token).expect(403);
    const again = await signIn();
    await call(again.access).expect(200);
    await call(access).expect(401);
  });

  it('ends with a new password from PUT or PATCH, except for sign-ins with that password', async () => {
    const replica = await app.startInstance();
    const patch = (value: string) => {
      const Operations = [{ op: 'replace', path: 'password', value }];
      return app.send('patch', `${USERS}/${id}`, authorization, { Operations });
    };
    const put = (password: string) => app.send('put', `${USERS}/${id}`, authorization, { ...user, password });
    let current = user;
    for (const [n, change] of [patch, put].entries()) {
      const browser = createBrowser();
      const { access, refresh: token } = await signIn(browser, current);
      const code = await codeFor(app, {}, browser, current);
      await call(access, replica).expect(200);

      current = { ...user, password: `new password ${n} of the user` };
      await change(current.password).expect(200);
      const next = await signIn(createBrowser(), current);
      for (const on of [app, replica]) await call(access, on).expect(401);
      await refresh(token).expect(403);
      await redeem(app, code, {}, app.trusted).expect(403);
      const page = await browser.open(authorizeUrl(app), REDIRECT_URI);
      expect(page.url.href).not.toContain('code=');
      await call(next.access).expect(200);
      await refresh(next.refresh).expect(200);
    }
  });

  it('survives other changes and passwords that are rejected', async () => {
    const { access, refresh: token } = await signIn();
    const { password: _password, ...rest } = user;
    await app.send('put', `${USERS}/${id}`, authorization, { ...rest, title: 'Boss' }).expect(200);
    const { id: _id, ...other } = await newUser(app);
    await app.send('put', `${USERS}/${id}`, authorization, other).expect(409);
    const next = { ...user, password: 'another password' };
    await app.send('put', `${USERS}/${id}`, authorization, next).set('if-match', 'W/"7"').expect(412);
    await call(access).expect(200);
    await refresh(token).expect(200);
    expect(await stored('access_endings', { userId: id })).toBe(0);
  });

  it('is ended by the sweep when Redis was unavailable after a new password was stored', async () => {
    const { access } = await signIn();
    const replica = await app.startInstance();
    failFor(replica, () => true);
    const next = { ...user, password: 'another password of the user' };
    await replica.api.put(`${USERS}/${id}`).set({ authorization }).send(next).expect(503);
    failFor(replica, () => false);
    expect(await stored('access_endings', { userId: id, staysActive: true })).toBe(1);

    startUserSweeps(replica.deps);
    await eventually(async () => expect(await stored('access_endings', { userId: id })).toBe(0));
    await call(access).expect(401);
    await call((await signIn(createBrowser(), next)).access).expect(200);
    await replica.stop();
  });

  it('ends again after Redis has lost the marks that reject its tokens', async () => {
    const { access } = await signIn();
    const replica = await app.startInstance();
    const { client } = replica.deps.redis;
    await setActive(false).expect(200);
    const lose = async () => {
      await deleteKeys(client, 'access:notbefore:*');
      expect((await call(access)).status).not.toBe(401);
    };
    await lose();
    startTokenSweeps(replica.deps);
    await eventually(() => call(access).expect(401));
    await lose();
    client.disconnect(true);
    await eventually(() => call(access).expect(401));
    await replica.stop();
  });

  it('stays ended when a concurrent request stores its session afterwards', async () => {
    const sessions = createBrowserStateStore(app.mongo.model(sessionModel));
    const ends = [
      () => sessions.remove('cookie'),
      () => setActive(false).expect(200),
      () => createAccountStore(app.mongo).endSession(id, 'the-uid'),
    ];
    for (const [n, end] of ends.entries()) {
      const [cookie, state] = [n === 0 ? 'cookie' : `cookie-${n}`, { uid: 'the-uid', accountId: id }];
      await sessions.put(cookie, state, 60);
      expect(await sessions.find(cookie)).toEqual(state);
      await end();
      await sessions.put(cookie, state, 60);
      expect(await sessions.find(cookie)).toBeUndefined();
      expect(await sessions.findByUid('the-uid')).toBeUndefined();
    }
    expect(await stored('oauth_sessions', { 'state.accountId': id })).toBe(0);
  });

  it('stays ended for a sign-in that began before the deactivation', async () => {
    const browser = createBrowser();
    const resume = await startSignIn(app, browser, user);
    await setActive(false).expect(200);
    await setActive(true).expect(200);
    expect((await browser.get(resume)).status).toBe(400);
  });

  it('ends with a deletion, together with the consents', async () => {
    const { access, refresh: token } = await signIn();
    await app.deps.mongo.db.collection('consents').insertOne({ _userId: id, _appId: 'x' });
    await app.send('delete', `${USERS}/${id}`, authorization).expect(204);
    await call(access).expect(401);
    await refresh(token).expect(403);
    expect(await stored('consents', { _userId: id })).toBe(0);
  });

  it("is ended by the sweep when Redis was unavailable, even if another user's cannot be ended", async () => {
    const { access, refresh: token } = await signIn();
    const { id: otherId } = await newUser(app);
    const replica = await app.startInstance();
    failFor(replica, () => true);
    // The failing one comes first.
    await replica.api.delete(`${USERS}/${otherId}`).set({ authorization }).expect(503);
    await setActive(false, replica).expect(503);
    failFor(replica, (key) => key.includes(otherId));
    await call(access).expect(200);

    startUserSweeps(replica.deps);
    await eventually(() => call(access).expect(401));
    await eventually(async () => expect(await stored('access_endings', { userId: id })).toBe(0));
    expect(await stored('access_endings', { userId: otherId })).toBe(1);
    await refresh(token).expect(403);
    failFor(replica, () => false);
    await eventually(async () => expect(await stored('access_endings', { userId: otherId })).toBe(0));
    await replica.stop();
  });

  it('stays with the last administrator, also when two end the access of each other', async () => {
    const users = app.deps.mongo.db.collection<{ _id: string }>('users');
    const { _id: first } = (await users.findOne({ _admin: true }))!;
    const remove = (userId: string) => app.send('delete', `${USERS}/${userId}`, authorization);
    expect((await remove(first).expect(409)).body).not.toHaveProperty('scimType');
    await users.updateOne({ _id: id }, { $set: { _admin: true } });
    const statuses = (await Promise.all([remove(first), setActive(false)])).map(({ status }) => status);
    expect(statuses.filter((status) => status >= 300)).toEqual([409]);
    expect(await users.countDocuments({ _admin: true, active: true })).toBe(1);
  });
});
