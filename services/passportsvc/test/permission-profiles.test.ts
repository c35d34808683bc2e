import { beforeAll, describe, expect, it } from '@jest/globals';
import { commonErrors } from '@dtplatform/errors';
import { eventually, sendTwice } from '@dtplatform/testing';
import { groupClient } from './group-client.js';
import type { TestUser } from './group-client.js';
import { useApp } from './start-app.js';
import { asApp } from './tokens.js';

const PATH = '/permissionprofiles';
const ID = /^[0-9a-f]{24}$/;

describe('permission profiles', () => {
  const app = useApp();
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
    trusted = await asApp(app);
    olga = await newUser('Olga');
    ben = await newUser('Ben');
    for (const namespace of ['tower', 'bridge']) await app.grants.allow(olga.id, namespace, '*:*:*', ['*']);
  });

  it('creates a profile in the given namespaces', async () => {
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
    await app.api.get(`/passportsvc/api/v1${PATH}`).expect(401);
  });

  it('lists profiles by name, in pages', async () => {
    const { id, authorization } = await newUser('Lisa');
    await app.grants.allow(id, 'lists', '*:*:*', ['*']);
    for (const _name of ['a', 'b', 'c']) await newProfile(authorization, { _name, _namespaces: ['lists'] });
    expect(await names(authorization, '?_offset=1&_pageSize=1')).toEqual(['b']);
    expect(await names(authorization, '?_name=a&_name=c&_name=x')).toEqual(['a', 'c']);
    expect(await names(trusted, '?_name=b')).toEqual(['b']);
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

    it('also ends permissions granted meanwhile, once', async () => {
      const id = await filled();
      await send('delete', `${PATH}/${id}`, olga.authorization).expect(204);
      await app.grants.allow({ _type: 'permprofile', _id: id }, 'tower', 'filesvc:file:*', ['READ']);
      await deletions().updateOne({ _id: id, rounds: 1 }, { $set: { dueAt: 0 } });
      await eventually(async () => expect(await held(id)).toEqual([]));
      await eventually(async () => expect(await deletions().countDocuments({ _id: id })).toBe(0));
    });

    it('is finished once objectmodelsvc is available again', async () => {
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

    it('is finished even if another deletion fails repeatedly', async () => {
      const [stuck, id] = [await filled(), await filled()];
      const removeProfile = app.grants.removeProfile.bind(app.grants);
      app.grants.removeProfile = () => Promise.reject(commonErrors.unavailable());
      for (const one of [stuck, id]) await send('delete', `${PATH}/${one}`, olga.authorization).expect(503);
      app.grants.removeProfile = (one, namespaces) =>
        one === stuck ? Promise.reject(commonErrors.unavailable()) : removeProfile(one, namespaces);
      // The failing one comes first.
      for (const [dueAt, _id] of [stuck, id].entries()) await deletions().updateOne({ _id }, { $set: { dueAt } });
      await eventually(async () => expect(await held(id)).toEqual([]));
      expect(await held(stuck)).toEqual(['tower']);
      app.grants.removeProfile = removeProfile;
      await eventually(async () => expect(await held(stuck)).toEqual([]));
    });
  });
});
