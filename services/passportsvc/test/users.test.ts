import { beforeAll, describe, expect, it } from '@jest/globals';
import { groupClient } from './group-client.js';
import type { TestUser } from './group-client.js';
import { useApp } from './start-app.js';
import { asApp, asUser } from './tokens.js';

const app = useApp();
let trusted: string;
let olga: TestUser;
let ben: TestUser;
const { send, newGroup, newUser } = groupClient(() => app);
beforeAll(async () => {
  trusted = await asApp(app);
  [olga, ben] = [await newUser('Olga'), await newUser('Ben')];
});

describe('users', () => {
  const show = (id: string, by: string) => send('get', `/users/${id}`, by);

  it('are shown with their primary address', async () => {
    const emails = [{ value: 'first@x.test' }, { value: 'main@x.test', primary: true }];
    const user = { userName: 'no-name@x.test', emails };
    const { id } = (await send('post', '/scim/Users', trusted, user).expect(201)).body as { id: string };
    const { body } = await show(id, trusted).expect(200);
    expect(body).toEqual({ _id: id, _firstname: '', _lastname: '', _email: 'main@x.test' });
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
    const foreigner = await newUser('Foreigner', app.second);
    for (const one of [olga.id, foreigner.id]) await app.grants.allow(one, 'tower_2', 'filesvc:file:1', ['READ']);
    await show(foreigner.id, olga.authorization).expect(404);
    await show(foreigner.id, await asUser(app)).expect(404);
    await show(foreigner.id, trusted).expect(200);
  });
});
