import { beforeAll, describe, expect, it } from '@jest/globals';
import { newUser } from './page-client.js';
import { REDIRECT_URI, useApp } from './start-app.js';
import { asApp, asUser } from './tokens.js';

const API = '/passportsvc/api/v1';

describe('administrators', () => {
  const app = useApp();
  let trusted: string;
  let first: string;
  let firstId: string;

  const administrators = async () =>
    ((await app.send('get', `${API}/administrators`, trusted).expect(200)).body._list as { _userName: string }[]).map(
      ({ _userName }) => _userName,
    );
  /** The subjects of the mails to an address, latest first. */
  const subjects = async (to: string) =>
    ((await app.send('get', `${API}/mails`, trusted).expect(200)).body._list as { _to: string; _subject: string }[])
      .filter(({ _to }) => _to === to)
      .map(({ _subject }) => _subject);
  const isAdmin = async (token: string) => (await app.send('get', `${API}/queues`, token)).status;

  beforeAll(async () => {
    [trusted, first] = await Promise.all([asApp(app), asUser(app)]);
    firstId = (await app.send('get', `${API}/users/me`, first).expect(200)).body._id as string;
  });

  it('make users administrators from their next sign-in on, and remove them at once, except the last', async () => {
    const second = await newUser(app);
    const path = `${API}/administrators/${second.id}`;
    await app.send('delete', `${API}/administrators/${firstId}`, first).expect(409);
    await app.send('put', path, first).expect(204);
    expect(await administrators()).toEqual([app.admin.userName, second.userName]);
    const token = await asUser(app, second);
    expect(await isAdmin(token)).toBe(200);

    await app.send('delete', path, first).expect(204);
    expect(await isAdmin(token)).toBe(401);
    expect(await isAdmin(await asUser(app, second))).toBe(403);
    await app.send('delete', path, first).expect(404);
    await app.send('put', `${API}/administrators/${'0'.repeat(24)}`, first).expect(404);
    expect(await administrators()).toEqual([app.admin.userName]);
    expect(await subjects(second.userName)).toEqual([
      'Administration: removed an administrator',
      'Administration: made a user an administrator',
    ]);
  });

  it('are told by mail what another administrator deletes, once in ten minutes', async () => {
    const second = await newUser(app);
    await app.send('put', `${API}/administrators/${second.id}`, first).expect(204);
    const before = await subjects(second.userName);
    const create = async (_name: string) => {
      const wanted = { _name, _appOwner: second.userName, _orgId: app.orgId };
      const { body } = await app
        .send('post', `${API}/apps`, first, { ...wanted, _redirectUris: REDIRECT_URI })
        .expect(201);
      return `${API}/apps/${body._id}`;
    };
    const [one, other, third] = [await create('One'), await create('Other'), await create('Third')];
    await app.send('delete', one, trusted).expect(204);
    await app.send('delete', one, first).expect(404);
    expect(await subjects(second.userName)).toEqual(before);
    await app.send('delete', other, first).expect(204);
    await app.send('delete', third, first).expect(204);
    expect(await subjects(second.userName)).toEqual(['Administration: deleted an app', ...before]);
    expect(await subjects(app.admin.userName)).toEqual([]);
  });
});
