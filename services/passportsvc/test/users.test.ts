import { beforeAll, describe, expect, it } from '@jest/globals';
import { groupClient } from './group-client.js';
import type { TestUser } from './group-client.js';
import { useApp } from './start-app.js';
import { asApp, asUser } from './tokens.js';

describe('users', () => {
  const app = useApp();
  let olga: TestUser;
  let ben: TestUser;
  const { send, newGroup, newUser } = groupClient(() => app);
  const show = (id: string, by: string) => send('get', `/users/${id}`, by);

  beforeAll(async () => {
    [olga, ben] = [await newUser('Olga'), await newUser('Ben')];
  });

  it('see themselves', async () => {
    for (const path of ['/users/me', '/accounts/me', `/users/${ben.id}`, '/users/me/']) {
      const response = await send('get', path, ben.authorization).expect(200);
      expect(response.body).toEqual({ _id: ben.id, _firstname: 'Ben', _lastname: 'Li', _email: ben.email });
      expect(response.headers.etag).toBeDefined();
    }
    await app.api.get('/passportsvc/api/v1/users/me').expect(401);
    await send('get', '/users/me', await asApp(app)).expect(403);
  });

  it('are shown with their primary address', async () => {
    const emails = [{ value: 'first@x.test' }, { value: 'main@x.test', primary: true }];
    const user = { userName: 'no-name@x.test', emails };
    const platform = await asApp(app);
    const { id } = (await send('post', '/scim/Users', platform, user).expect(201)).body as { id: string };
    const { body } = await show(id, platform).expect(200);
    expect(body).toEqual({ _id: id, _firstname: '', _lastname: '', _email: 'main@x.test' });
  });

  it('are hidden from users who share nothing with them', async () => {
    await show(ben.id, olga.authorization).expect(404);
    await show('0123456789abcdef01234567', olga.authorization).expect(404);
    await show('x', olga.authorization).expect(404);
    const { appId: id, appSecret: secret } = app.dev.second;
    await show(ben.id, await asApp(app, { id, secret })).expect(404);
  });

  it('are visible to members of the same group, users of the same namespace and administrators', async () => {
    const groupId = await newGroup(olga.authorization);
    await send('put', `/usergroups/${groupId}/users`, olga.authorization, [ben.id]).expect(200);
    expect((await show(ben.id, olga.authorization).expect(200)).body._firstname).toBe('Ben');
    await show(olga.id, ben.authorization).expect(200);
    await send('delete', `/usergroups/${groupId}/users`, olga.authorization, [ben.id]).expect(204);
    await show(ben.id, olga.authorization).expect(404);

    for (const { id } of [olga, ben]) await app.grants.allow(id, 'tower_1', 'filesvc:file:1', ['READ']);
    await show(ben.id, olga.authorization).expect(200);
    await app.grants.revoke(olga.id, 'tower_1');
    await show(ben.id, olga.authorization).expect(404);
    await show(ben.id, await asUser(app)).expect(200);
  });

  it('are visible across organizations to members of the same group only', async () => {
    const { appId: id, appSecret: secret } = app.dev.second;
    const theirs = await asApp(app, { id, secret });
    const user = { userName: 'foreign@y.test', emails: [{ value: 'foreign@y.test', primary: true }] };
    const foreigner = (await send('post', '/scim/Users', theirs, user).expect(201)).body as { id: string };
    for (const one of [olga.id, foreigner.id]) await app.grants.allow(one, 'tower_2', 'filesvc:file:1', ['READ']);
    await show(foreigner.id, olga.authorization).expect(404);
    await show(foreigner.id, await asUser(app)).expect(404);
    await show(foreigner.id, await asApp(app)).expect(200);
  });
});
