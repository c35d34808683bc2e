import { beforeAll, describe, expect, it } from '@jest/globals';
import { commonErrors } from '@dtplatform/errors';
import { eventually, sendTwice } from '@dtplatform/testing';
import { appClient } from './app-client.js';
import type { AppClient } from './app-client.js';
import { groupClient } from './group-client.js';
import type { TestUser } from './group-client.js';
import { REDIRECT_URI, useApp } from './start-app.js';
import { asApp, asUser } from './tokens.js';

const API = '/passportsvc/api/v1';
const app = useApp();
let client: AppClient;

beforeAll(async () => {
  client = await appClient(app);
});

/** The permission matrix (tests/e2e/matrix) covers strangers, holders of READ and other tenants for every operation. */
describe('permissions on single resources', () => {
  beforeAll(() => app.grants.allow(client.owner.id, 'tower', '*:*:*', ['*']));

  const change = { _name: 'Renamed', _authorizedOrigins: '', _redirectUris: REDIRECT_URI };
  async function createIn(path: string): Promise<{ id: string; namespace: string }> {
    if (path === 'apps') return client.createApp();
    const wanted = path === 'permissionprofiles' ? { _name: 'Importer', _namespaces: ['tower'] } : {};
    const { _id: id, _namespaces } = (await app.send('post', `${API}/${path}`, client.olga, [wanted]).expect(201)).body
      ._list[0] as { _id: string; _namespaces: [string] };
    return { id, namespace: _namespaces[0] };
  }

  it.each([
    ['apps', 'app'],
    ['workspaces', 'workspace'],
    ['usergroups', 'usergroup'],
    ['permissionprofiles', 'permissionprofile'],
  ])('separate EDIT and DELETE on %s', async (path, type) => {
    /** Statuses of changing and deleting a new resource. */
    const statusesWith = async (action: 'EDIT' | 'DELETE') => {
      const { id, namespace } = await createIn(path);
      const ben = await client.signIn();
      await app.grants.allow(ben.id, namespace, `passportsvc:${type}:${id}`, ['READ', action]);
      const url = `${API}/${path}/${id}`;
      const changed = type === 'permissionprofile' ? undefined : await app.send('put', url, ben.authorization, change);
      const removed = await app.send('delete', url, ben.authorization).set('if-match', '*');
      return [changed?.status ?? 'none', removed.status];
    };
    const isChangeable = type !== 'permissionprofile';
    expect(await statusesWith('EDIT')).toEqual([isChangeable ? 200 : 'none', 403]);
    expect(await statusesWith('DELETE')).toEqual([isChangeable ? 403 : 'none', 204]);
  });

  it('let the app itself, its owner, administrators and trusted clients change an app, and no sibling', async () => {
    const made = await client.createApp();
    const sibling = await asApp(app, await client.createApp());
    const url = `${API}/apps/${made.id}`;
    for (const authorization of [await asApp(app, made), client.olga, await asUser(app), client.trusted]) {
      await app.send('put', url, authorization, change).expect(200);
      await app.send('put', `${url}/configs`, authorization, {}).expect(200);
    }
    await app.send('put', url, sibling, change).expect(403);
    await app.send('delete', url, sibling).expect(403);
    await app.send('delete', url, await asUser(app)).expect(204);
  });

  it.each(['EDIT', 'DELETE'] as const)('let holders of %s change the configuration of an app', async (action) => {
    const { id, namespace } = await client.createApp();
    const ben = await client.signIn();
    const url = `${API}/apps/${id}/configs`;
    await app.grants.allow(ben.id, namespace, `passportsvc:app:${id}`, ['READ', action]);
    for (const method of ['put', 'patch'] as const) await app.send(method, url, ben.authorization, {}).expect(200);
    await app.send('delete', url, ben.authorization).expect(204);
  });

  it('let trusted clients change a workspace without a permission', async () => {
    const { id } = await createIn('workspaces');
    await app.send('put', `${API}/workspaces/${id}`, client.trusted, {}).expect(200);
  });
});

describe('permission profiles', () => {
  const PATH = '/permissionprofiles';
  let olga: TestUser;
  let ben: TestUser;
  const { send, newUser } = groupClient(() => app);

  const create = (authorization: string, profiles: unknown) => send('post', PATH, authorization, profiles);
  const newProfile = async (authorization: string, profile: object = {}): Promise<string> => {
    const wanted = { _name: 'Importer', _namespaces: ['tower'], ...profile };
    return (await create(authorization, [wanted]).expect(201)).body._list[0]._id as string;
  };
  const names = async (authorization: string, query = '') =>
    ((await send('get', `${PATH}${query}`, authorization).expect(200)).body._list as { _name: string }[]).map(
      ({ _name }) => _name,
    );
  const irnOf = (id: string) => `passportsvc:permissionprofile:${id}`;

  beforeAll(async () => {
    [olga, ben] = [await newUser('Olga'), await newUser('Ben')];
    for (const namespace of ['tower', 'bridge']) await app.grants.allow(olga.id, namespace, '*:*:*', ['*']);
  });

  it('creates a profile in the given namespaces', async () => {
    const wanted = { _name: 'Nightly', _description: 'for imports', _namespaces: ['tower', 'bridge', 'tower'] };
    const response = await create(olga.authorization, [{ ...wanted, _id: 'x', stray: 1 }]).expect(201);
    expect(response.body).toMatchObject({ _offset: 0, _pageSize: 1, _total: 1 });
    const [profile] = response.body._list;
    expect(profile).toEqual({
      ...{ _id: expect.stringMatching(/^[0-9a-f]{24}$/), _name: 'Nightly', _description: 'for imports' },
      _namespaces: ['tower', 'bridge'],
      _metadata: expect.objectContaining({ _createdById: olga.id, _createdAt: expect.any(Number) }),
    });
  });

  it('creates all profiles or none', async () => {
    const bad = await create(olga.authorization, [{ _name: 'half', _namespaces: ['tower'] }, { _name: 'half' }]);
    expect(bad.status).toBe(400);
    expect(bad.body.errors).toEqual([{ location: 'body.1._namespaces', message: expect.any(String) }]);
    expect(await names(olga.authorization, '?_name=half')).toEqual([]);
    await sendTwice(() => create(olga.authorization, [{ _name: 'only once', _namespaces: ['tower'] }]));
  });

  it('requires CREATE in each namespace, and grants the creator everything', async () => {
    const both = [{ _name: 'wide', _namespaces: ['tower', 'bridge'] }];
    await app.grants.allow(ben.id, 'tower', 'passportsvc:permissionprofile:*', ['CREATE']);
    await create(ben.authorization, both).expect(403);
    expect(await names(olga.authorization, '?_name=wide')).toEqual([]);
    const id = await newProfile(ben.authorization, { _name: 'of Ben' });
    expect(await names(ben.authorization)).toEqual(['of Ben']);
    expect(await app.grants.grantsOf({ _type: 'user', _id: ben.id }, 'tower')).toContainEqual(
      expect.objectContaining({ _irn: irnOf(id), _actions: ['*'] }),
    );
    await send('delete', `${PATH}/${id}`, ben.authorization).expect(204);
  });

  it('lists profiles by name, in pages', async () => {
    const { id, authorization } = await newUser('Lisa');
    await app.grants.allow(id, 'lists', '*:*:*', ['*']);
    for (const _name of ['a', 'b', 'c']) await newProfile(authorization, { _name, _namespaces: ['lists'] });
    expect(await names(authorization, '?_offset=1&_pageSize=1')).toEqual(['b']);
    expect(await names(authorization, '?_name=a&_name=c&_name=x')).toEqual(['a', 'c']);
    expect(await names(client.trusted, '?_name=b')).toEqual(['b']);
  });

  describe('deleting a profile', () => {
    const filled = async () => {
      const id = await newProfile(olga.authorization);
      await app.grants.allow({ _type: 'permprofile', _id: id }, 'tower', 'filesvc:file:*', ['READ']);
      await app.grants.allow(ben.id, 'tower', irnOf(id), ['ASSIGN']);
      return id;
    };
    const held = (_id: string) => app.grants.namespacesOf({ _type: 'permprofile', _id });
    const onIt = async (id: string) =>
      (await app.grants.grantsOf({ _type: 'user', _id: ben.id }, 'tower')).filter(({ _irn }) => _irn === irnOf(id));

    it('ends its permissions and those of others on it before the response', async () => {
      const [id, other] = [await filled(), await filled()];
      await send('delete', `${PATH}/${id}`, olga.authorization).expect(204);
      expect(await held(id)).toEqual([]);
      expect(await onIt(id)).toEqual([]);
      expect(await held(other)).toEqual(['tower']);
      expect(await onIt(other)).toHaveLength(1);
      // The namespaces themselves remain.
      await send('get', `${PATH}/${other}`, olga.authorization).expect(200);
    });

    it('is finished once objectmodelsvc is available again, even if another one fails repeatedly', async () => {
      const [stuck, id] = [await filled(), await filled()];
      const removeProfile = app.grants.removeProfile.bind(app.grants);
      const deletions = app.mongo.db.collection<{ _id: string }>('deletions');
      app.grants.removeProfile = () => Promise.reject(commonErrors.unavailable());
      for (const one of [stuck, id]) await send('delete', `${PATH}/${one}`, olga.authorization).expect(503);
      await send('get', `${PATH}/${id}`, olga.authorization).expect(404);
      expect(await held(id)).toEqual(['tower']);
      app.grants.removeProfile = (one, namespaces) =>
        one === stuck ? Promise.reject(commonErrors.unavailable()) : removeProfile(one, namespaces);
      // The failing one comes first.
      for (const [dueAt, _id] of [stuck, id].entries()) await deletions.updateOne({ _id }, { $set: { dueAt } });
      await eventually(async () => expect(await held(id)).toEqual([]));
      expect(await held(stuck)).toEqual(['tower']);
      app.grants.removeProfile = removeProfile;
      await eventually(async () => expect(await held(stuck)).toEqual([]));
    });
  });
});

describe('permission actions', () => {
  const ACTIONS = `${API}/permission_actions`;
  const list = (query: object) => app.send('get', ACTIONS, client.second).query(query);
  const put = (body: object) => app.send('put', ACTIONS, client.trusted, body);
  const remove = (body: object) => app.send('delete', ACTIONS, client.trusted, body);
  const record = { _svc: 'filesvc', _resource: 'file', _actions: ['READ', 'CREATE', 'EDIT', 'DELETE'] };

  it('lets trusted clients set, replace and delete actions', async () => {
    expect((await put({ ...record, stray: 1 }).expect(200)).body).toEqual(record);
    const page = { _offset: 0, _pageSize: 10, _total: 1, _list: [record] };
    expect((await list({ _svc: 'filesvc' }).expect(200)).body).toEqual(page);
    const fewer = { ...record, _actions: ['READ', '*'] };
    expect((await put({ ...record, _actions: ['READ', 'READ', '*'] }).expect(200)).body).toEqual(fewer);
    expect((await list({ _resource: 'file' }).expect(200)).body._list).toEqual([fewer]);
    await remove({ _svc: 'filesvc', _resource: 'file' }).expect(204);
    await remove({ _svc: 'filesvc', _resource: 'file' }).expect(404);
    expect((await list({ _svc: 'filesvc' }).expect(200)).body._total).toBe(0);
  });

  it('stores one record per service and resource, also under concurrent writes', async () => {
    const writes = Array.from({ length: 10 }, (_, index) =>
      put({ _svc: 'racesvc', _resource: 'race', _actions: [`A${index}`] }).expect(200),
    );
    await Promise.all(writes);
    expect((await list({ _svc: 'racesvc' }).expect(200)).body._total).toBe(1);
  });

  it('lists actions by service, resource or both, in pages of ten', async () => {
    for (let index = 0; index < 12; index += 1)
      await put({ _svc: 'pagesvc', _resource: `r${String(index).padStart(2, '0')}`, _actions: [] }).expect(200);
    await put({ _svc: 'othersvc', _resource: 'r03', _actions: ['RUN'] }).expect(200);
    const found = async (query: object) => {
      const { body } = await list(query).expect(200);
      return (body._list as (typeof record)[]).map(({ _svc, _resource }) => `${_svc}:${_resource}`);
    };
    expect(await found({ _svc: 'pagesvc' })).toHaveLength(10);
    expect(await found({ _svc: 'pagesvc', _offset: 10 })).toEqual(['pagesvc:r10', 'pagesvc:r11']);
    expect(await found({ _resource: 'r03' })).toEqual(['othersvc:r03', 'pagesvc:r03']);
    expect(await found({ _svc: 'pagesvc', _resource: 'r03' })).toEqual(['pagesvc:r03']);
  });

  it('requires a service or resource to list, and both to delete', async () => {
    for (const query of [{}, { _svc: '' }, { _svc: { $ne: 1 } }, { _svc: ['a', 'b'] }]) await list(query).expect(400);
    await remove({ _svc: 'filesvc' }).expect(400);
  });
});
