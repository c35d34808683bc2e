import { beforeAll, describe, expect, it } from '@jest/globals';
import { appClient } from './app-client.js';
import type { AppClient, TestUser } from './app-client.js';
import { REDIRECT_URI, useApp } from './start-app.js';
import { asApp, asUser } from './tokens.js';

const API = '/passportsvc/api/v1';
type Actions = ('READ' | 'EDIT' | 'DELETE')[];

/** The permission matrix (tests/e2e/matrix) covers strangers, holders of READ and other tenants for every operation. */
describe('permissions on single resources', () => {
  const app = useApp();
  let client: AppClient;
  let owner: TestUser;
  let olga: string;

  beforeAll(async () => {
    client = await appClient(app);
    owner = await client.createUser('olga');
    olga = await client.signIn(owner);
    await app.grants.allow(owner.id, 'tower', '*:*:*', ['*']);
  });

  const change = { _name: 'Renamed', _authorizedOrigins: '', _redirectUris: REDIRECT_URI };
  async function createIn(path: string): Promise<{ id: string; namespace: string }> {
    if (path === 'apps') return client.createApp(owner);
    const wanted = path === 'permissionprofiles' ? { _name: 'Importer', _namespaces: ['tower'] } : {};
    const { _id: id, _namespaces } = (await app.send('post', `${API}/${path}`, olga, [wanted]).expect(201)).body
      ._list[0] as { _id: string; _namespaces: [string] };
    return { id, namespace: _namespaces[0] };
  }
  /** Statuses of reading, changing and deleting a new resource with these permissions. */
  async function statusesWith(path: string, type: string, actions: Actions) {
    const { id, namespace } = await createIn(path);
    const ben = await client.createUser('ben');
    const authorization = await client.signIn(ben);
    if (actions.length > 0) await app.grants.allow(ben.id, namespace, `passportsvc:${type}:${id}`, actions);
    const url = `${API}/${path}/${id}`;
    const read = await app.send('get', url, authorization);
    const changed = path === 'permissionprofiles' ? undefined : await app.send('put', url, authorization, change);
    const removed = await app.send('delete', url, authorization).set('if-match', '*');
    return [read.status, changed?.status ?? 'none', removed.status];
  }

  it.each([
    ['apps', 'app'],
    ['workspaces', 'workspace'],
    ['usergroups', 'usergroup'],
  ])('separate READ, EDIT and DELETE on %s', async (path, type) => {
    expect(await statusesWith(path, type, [])).toEqual([404, 404, 404]);
    expect(await statusesWith(path, type, ['READ'])).toEqual([200, 403, 403]);
    expect(await statusesWith(path, type, ['READ', 'EDIT'])).toEqual([200, 200, 403]);
    expect(await statusesWith(path, type, ['READ', 'DELETE'])).toEqual([200, 403, 204]);
  });

  it('separate READ and DELETE on permission profiles', async () => {
    const statuses = (actions: Actions) => statusesWith('permissionprofiles', 'permissionprofile', actions);
    expect(await statuses([])).toEqual([404, 'none', 404]);
    expect(await statuses(['READ', 'EDIT'])).toEqual([200, 'none', 403]);
    expect(await statuses(['READ', 'DELETE'])).toEqual([200, 'none', 204]);
  });

  it('let the app itself, its owner, administrators and trusted clients change an app, and no sibling', async () => {
    const made = await client.createApp(owner);
    const sibling = await asApp(app, await client.createApp(owner));
    const url = `${API}/apps/${made.id}`;
    for (const authorization of [await asApp(app, made), olga, await asUser(app), client.trusted]) {
      await app.send('put', url, authorization, change).expect(200);
      await app.send('put', `${url}/configs`, authorization, {}).expect(200);
    }
    await app.send('put', url, sibling, change).expect(403);
    await app.send('delete', url, sibling).expect(403);
    await app.send('delete', url, await asUser(app)).expect(204);
  });

  it.each(['EDIT', 'DELETE'] as const)('let holders of %s change the configuration of an app', async (action) => {
    const { id, namespace } = await client.createApp(owner);
    const ben = await client.createUser('ben');
    const authorization = await client.signIn(ben);
    const url = `${API}/apps/${id}/configs`;
    await app.grants.allow(ben.id, namespace, `passportsvc:app:${id}`, ['READ']);
    await app.send('get', url, authorization).expect(200);
    await app.send('put', url, authorization, {}).expect(403);
    await app.grants.allow(ben.id, namespace, `passportsvc:app:${id}`, [action]);
    for (const method of ['put', 'patch'] as const) await app.send(method, url, authorization, {}).expect(200);
    await app.send('delete', url, authorization).expect(204);
  });

  it('let trusted clients change a workspace without a permission', async () => {
    const { id } = await createIn('workspaces');
    await app.send('put', `${API}/workspaces/${id}`, client.trusted, {}).expect(200);
  });
});
