import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { commonErrors } from '@dtplatform/errors';
import { eventually, sendTwice } from '@dtplatform/testing';
import { groupClient } from './group-client.js';
import type { TestUser } from './group-client.js';
import { startApp } from './start-app.js';
import type { TestApp } from './start-app.js';
import { asApp } from './tokens.js';

const PATH = '/permissionprofiles';
const ID = /^[0-9a-f]{24}$/;

describe('permission profiles', () => {
  let app: TestApp;
  let trusted: string;
  let olga: TestUser;
  let ben: TestUser;
  const { send, newUser } = groupClient(() => app);

  const create = (authorization: string, profiles: unknown) => send('post', PATH, authorization, profiles);
  const newProfile = async (authorization: string, profile: object = {}): Promise<string> =>
    (await create(authorization, [{ _name: 'Importer', _namespaces: ['tower'], ...profile }]).expect(201)).body._list[0]
      ._id;
  const names = async (authorization: string, query = '') =>
    ((await send('get', `${PATH}${query}`, authorization).expect(200)).body._list as { _name: string }[]).map(
      ({ _name }) => _name,
    );
  const irnOf = (id: string) => `passportsvc:permissionprofile:${id}`;
  const deletions = () => app.mongo.db.collection<{ _id: string }>('deletions');

  beforeAll(async () => {
    app = await startApp();
    trusted = await asApp(app);
    olga = await newUser('Olga');
    ben = await newUser('Ben');
    for (const namespace of ['tower', 'bridge']) await app.grants.allow(olga.id, namespace, '*:*:*', ['*']);
  });
  afterAll(() => app.stop());

  it('are created in the namespaces that they name, and shown', async () => {
    const wanted = { _name: 'Nightly', _description: 'for imports', _namespaces: ['tower', 'bridge', 'tower'] };
    const response = await create(olga.authorization, [{ ...wanted, _id: 'x', stray: 1 }]).expect(201);
    expect(response.body).toMatchObject({ _offset: 0, _pageSize: 1, _total: 1 });
    const [profile] = response.body._list;
    expect(profile).toEqual({
      _id: expect.stringMatching(ID),
      _name: 'Nightly',
      _description: 'for imports',
      _namespaces: ['tower', 'bridge'],
      _metadata: expect.objectContaining({ _createdById: olga.id, _createdAt: expect.any(Number) }),
    });
    const shown = await send('get', `${PATH}/${profile._id}`, olga.authorization).expect(200);
    expect(shown.body).toEqual(profile);
    expect(shown.headers.etag).toBeDefined();
  });

  it('are created once per idempotency key, all or none, also none at all', async () => {
    await sendTwice(() => create(olga.authorization, [{ _name: 'only once', _namespaces: ['tower'] }]));
    expect(await names(olga.authorization, '?_name=only%20once')).toEqual(['only once']);
    const half = [{ _name: 'half', _namespaces: ['tower'] }, { _name: 'half' }];
    const bad = await create(olga.authorization, half).expect(400);
    expect(bad.body.errors).toEqual([{ location: 'body.1._namespaces', message: expect.any(String) }]);
    expect(await names(olga.authorization, '?_name=half')).toEqual([]);
    expect((await create(olga.authorization, []).expect(201)).body).toMatchObject({ _total: 0, _list: [] });
  });

  it.each<[string, unknown]>([
    ['no array', { _name: 'x', _namespaces: ['tower'] }],
    ['no name', [{ _namespaces: ['tower'] }]],
    ['an empty name', [{ _name: '', _namespaces: ['tower'] }]],
    ['a name with NUL', [{ _name: 'a\0b', _namespaces: ['tower'] }]],
    ['a description with NUL', [{ _name: 'x', _description: 'a\0b', _namespaces: ['tower'] }]],
    ['no namespace', [{ _name: 'x', _namespaces: [] }]],
    ['namespaces that are no array', [{ _name: 'x', _namespaces: 'tower' }]],
    ['too many', Array.from({ length: 101 }, () => ({ _name: 'x', _namespaces: ['tower'] }))],
  ])('are refused with %s', async (_case, body) => {
    await create(olga.authorization, body).expect(400);
  });

  it('need CREATE in each of their namespaces; their creator may then do everything with them', async () => {
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
    await app.api.get(`/passportsvc/api/v1${PATH}`).expect(401);
  });

  it('are hidden from who may not read them, and deleted with DELETE only', async () => {
    const reader = await newUser('Rita');
    const id = await newProfile(olga.authorization, { _name: 'hidden' });
    const call = (method: 'get' | 'delete') => send(method, `${PATH}/${id}`, reader.authorization);
    await call('get').expect(404);
    await call('delete').expect(404);
    expect(await names(reader.authorization)).toEqual([]);
    await app.grants.allow(reader.id, 'tower', irnOf(id), ['READ']);
    await call('get').expect(200);
    expect(await names(reader.authorization)).toEqual(['hidden']);
    await call('delete').expect(403);
    await app.grants.allow(reader.id, 'tower', irnOf(id), ['DELETE']);
    await send('delete', `${PATH}/${id}`, reader.authorization).set('if-match', 'W/"7"').expect(412);
    await call('delete').expect(204);
    await send('get', `${PATH}/${id}`, olga.authorization).expect(404);
    for (const none of [id, 'no-id', '%24where'])
      await send('delete', `${PATH}/${none}`, olga.authorization).expect(404);
  });

  it('are listed in pages, by their names, and completely for trusted clients', async () => {
    const lister = await newUser('Lisa');
    await app.grants.allow(lister.id, 'lists', '*:*:*', ['*']);
    for (const _name of ['a', 'b', 'c']) await newProfile(lister.authorization, { _name, _namespaces: ['lists'] });
    const page = async (query: string) => (await send('get', `${PATH}${query}`, lister.authorization).expect(200)).body;
    expect(await page('?_pageSize=2')).toMatchObject({ _offset: 0, _pageSize: 2, _total: 3 });
    expect(await names(lister.authorization, '?_offset=1&_pageSize=1')).toEqual(['b']);
    expect(await names(lister.authorization, '?_name=a&_name=c&_name=x')).toEqual(['a', 'c']);
    expect(await names(trusted, '?_name=b')).toEqual(['b']);
    await send('get', `${PATH}?_pageSize=x`, lister.authorization).expect(400);
  });

  describe('that are deleted', () => {
    const filled = async () => {
      const id = await newProfile(olga.authorization);
      await app.grants.allow({ _type: 'permprofile', _id: id }, 'tower', 'filesvc:file:*', ['READ']);
      await app.grants.allow(ben.id, 'tower', irnOf(id), ['ASSIGN']);
      return id;
    };
    const held = (_id: string) => app.grants.namespacesOf({ _type: 'permprofile', _id });
    const onIt = async (id: string) =>
      (await app.grants.grantsOf({ _type: 'user', _id: ben.id }, 'tower')).filter(({ _irn }) => _irn === irnOf(id));

    it('lose their permissions, and others theirs on it, before the call answers', async () => {
      const [id, other] = [await filled(), await filled()];
      await send('delete', `${PATH}/${id}`, olga.authorization).expect(204);
      expect(await held(id)).toEqual([]);
      expect(await onIt(id)).toEqual([]);
      expect(await held(other)).toEqual(['tower']);
      expect(await onIt(other)).toHaveLength(1);
      // Their namespaces stay as they are.
      await send('get', `${PATH}/${other}`, olga.authorization).expect(200);
    });

    it('lose what was granted meanwhile a little later, once and for all', async () => {
      const id = await filled();
      await send('delete', `${PATH}/${id}`, olga.authorization).expect(204);
      await app.grants.allow({ _type: 'permprofile', _id: id }, 'tower', 'filesvc:file:*', ['READ']);
      await deletions().updateOne({ _id: id, rounds: 1 }, { $set: { dueAt: 0 } });
      await eventually(async () => expect(await held(id)).toEqual([]));
      await eventually(async () => expect(await deletions().countDocuments({ _id: id })).toBe(0));
    });

    it('lose them as soon as objectmodelsvc is back', async () => {
      const id = await filled();
      const removeProfile = app.grants.removeProfile.bind(app.grants);
      app.grants.removeProfile = () => Promise.reject(commonErrors.unavailable());
      await send('delete', `${PATH}/${id}`, olga.authorization).expect(503);
      await send('get', `${PATH}/${id}`, olga.authorization).expect(404);
      expect(await held(id)).toEqual(['tower']);
      app.grants.removeProfile = removeProfile;
      await deletions().updateOne({ _id: id }, { $set: { dueAt: 0 } });
      await eventually(async () => expect(await held(id)).toEqual([]));
    });

    it('lose them even if the deletion of another one fails again and again', async () => {
      const [stuck, id] = [await filled(), await filled()];
      const removeProfile = app.grants.removeProfile.bind(app.grants);
      app.grants.removeProfile = () => Promise.reject(commonErrors.unavailable());
      for (const one of [stuck, id]) await send('delete', `${PATH}/${one}`, olga.authorization).expect(503);
      app.grants.removeProfile = (one, namespaces) =>
        one === stuck ? Promise.reject(commonErrors.unavailable()) : removeProfile(one, namespaces);
      // The one that fails comes first.
      for (const [dueAt, _id] of [stuck, id].entries()) await deletions().updateOne({ _id }, { $set: { dueAt } });
      await eventually(async () => expect(await held(id)).toEqual([]));
      expect(await held(stuck)).toEqual(['tower']);
      app.grants.removeProfile = removeProfile;
      await eventually(async () => expect(await held(stuck)).toEqual([]));
    });
  });
});
