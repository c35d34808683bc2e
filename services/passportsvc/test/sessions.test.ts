import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createBrowser } from './browser.js';
import { newUser } from './page-client.js';
import { useApp } from './start-app.js';
import { asApp, asUser, refreshWith, tokensFor } from './tokens.js';

const API = '/passportsvc/api/v1';

describe('sessions of a user', () => {
  const app = useApp();
  let trusted: string;
  let admin: string;
  let user: Awaited<ReturnType<typeof newUser>>;

  const list = async (by = admin) =>
    (await app.send('get', `${API}/users/${user.id}/sessions`, by).expect(200)).body._list as {
      _id: string;
      _type: string;
      _appId?: string;
      _startedAt: number;
    }[];
  const end = (rest = '', by = admin, id = user.id) => app.send('delete', `${API}/users/${id}/sessions${rest}`, by);
  const statusOf = async (access: string) => (await app.send('get', `${API}/workspaces`, access)).status;

  beforeAll(async () => {
    [trusted, admin] = await Promise.all([asApp(app), asUser(app)]);
  });
  beforeEach(async () => {
    user = await newUser(app);
  });

  it('are browsers, and apps with tokens', async () => {
    const since = Date.now() - 2000;
    await tokensFor(app, user);
    const times = { _startedAt: expect.any(Number), _expiresAt: expect.any(Number) };
    const found = await list(trusted);
    expect(found.sort((one, other) => (one._type < other._type ? -1 : 1))).toEqual([
      { _id: expect.any(String), _type: 'app', _appId: app.trusted.id, ...times },
      { _id: expect.any(String), _type: 'browser', ...times },
    ]);
    for (const { _startedAt } of found) expect(_startedAt).toBeGreaterThanOrEqual(since);
  });

  it('end one by one, with their tokens', async () => {
    const browser = createBrowser();
    const one = await tokensFor(app, user, browser);
    const other = await tokensFor(app, user);
    const newest = (await list()).filter(({ _type }) => _type === 'app').sort((a, b) => (a._id < b._id ? 1 : -1))[0]!;
    await end(`/${newest._id}`).expect(204);
    expect([await statusOf(one.access), await statusOf(other.access)]).toEqual([200, 401]);
    await refreshWith(app, other.refresh).expect(403);
    for (const { _id, _type } of await list()) if (_type === 'browser') await end(`/${_id}`).expect(204);
    await expect(tokensFor(app, { ...user, password: 'wrong' }, browser)).rejects.toThrow();
    await end(`/${newest._id}`).expect(404);
  });

  it('end together, and the user can sign in again', async () => {
    const { access, refresh } = await tokensFor(app, user);
    await end().expect(204);
    expect(await statusOf(access)).toBe(401);
    await refreshWith(app, refresh).expect(403);
    expect(await list()).toEqual([]);
    expect(await statusOf(await asUser(app, user))).toBe(200);
  });

  it('of administrators cannot be ended by apps', async () => {
    const { body } = await app.send('get', `${API}/users/me`, admin).expect(200);
    expect((await end('', await asApp(app, app.shortLived), body._id as string)).status).toBe(403);
  });
});
