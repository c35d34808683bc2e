import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sendTwice } from '@dtplatform/testing';
import { groupClient } from './group-client.js';
import type { TestUser } from './group-client.js';
import { startApp } from './start-app.js';
import type { TestApp } from './start-app.js';
import { asApp } from './tokens.js';

describe('user groups', () => {
  let app: TestApp;
  let trusted: string;
  let olga: TestUser;
  let ben: TestUser;
  const { send, create, newGroup, list, newUser } = groupClient(() => app);
  const names = async (authorization: string, query: object) =>
    ((await list(authorization, query).expect(200)).body._list as { _name: string }[]).map(({ _name }) => _name);

  beforeAll(async () => {
    app = await startApp();
    trusted = await asApp(app);
    [olga, ben] = [await newUser('Olga'), await newUser('Ben')];
  });
  afterAll(() => app.stop());

  it('are created with a namespace, and with their creator as a member who may do everything with them', async () => {
    const wanted = { _name: 'Planners', _shortName: 'plan', _description: 'Plan', _userType: 'team' };
    const response = await create(olga.authorization, [
      { ...wanted, _userAttributes: { room: { floor: 2 } } },
      { '_userAttributes.colour': 'red', stray: true },
    ]).expect(201);
    expect(response.body).toMatchObject({ _offset: 0, _pageSize: 2, _total: 2 });
    const [first, second] = response.body._list;
    expect(first).toEqual({
      _id: expect.stringMatching(/^[0-9a-f]{24}$/),
      ...wanted,
      _namespaces: [expect.stringMatching(/^plan_[a-z0-9]{8}$/)],
      _userAttributes: { room: { floor: 2 } },
      _isMember: true,
      _metadata: expect.objectContaining({ _createdById: olga.id, _updatedById: olga.id }),
    });
    expect(second).toMatchObject({ _userAttributes: { colour: 'red' }, _isMember: true });
    expect(second).not.toHaveProperty('stray');
    const grants = await app.grants.grantsOf({ _type: 'user', _id: olga.id }, first._namespaces[0]);
    const irn = `passportsvc:usergroup:${first._id}`;
    expect(grants).toEqual([
      { _irn: irn, _actions: ['READ'] },
      { _irn: irn, _actions: ['*'] },
    ]);
    const shown = await send('get', `/usergroups/${first._id}`, olga.authorization).expect(200);
    expect(shown.body).toEqual(first);
    expect(shown.headers.etag).toBeDefined();
  });

  it('take attributes by their paths, by which lists find them', async () => {
    const sent = {
      _userAttributes: { site: { floor: 2 } },
      '_userAttributes.site.city': 'Bergen',
      '_userAttributes.a': 1,
    };
    const [group] = (await create(olga.authorization, [sent]).expect(201)).body._list;
    expect(group._userAttributes).toEqual({ site: { floor: 2, city: 'Bergen' }, a: 1 });
    const found = await list(olga.authorization, { '_userAttributes.site.city': 'Bergen' });
    expect(found.body._list).toEqual([group]);
    for (const wrong of [
      { '_userAttributes.a': { 'b.c': 1 } },
      { _userAttributes: { a: 1 }, '_userAttributes.a': 2 },
      { _userAttributes: { a: 1 }, '_userAttributes.a.b': 2 },
      { '_userAttributes.a': [1], '_userAttributes.a.0': 2 },
      { '_userAttributes.a.b': 1, '_userAttributes.a': { c: 2 } },
      ...['', '.', 'a.', 'a..b', '$where', 'a.$b', '__proto__.a', 'a._bsontype'].map((path) => ({
        [`_userAttributes.${path}`]: 1,
      })),
    ]) {
      const rejected = await create(olga.authorization, [{}, wrong]).expect(400);
      expect(rejected.body.errors[0].location).toMatch(/^body\.1\._userAttributes\./);
    }
  });

  it('have no members if their creator is deleted meanwhile, also with an idempotency key', async () => {
    const gone = await newUser('Gone');
    const putGroup = app.grants.putGroup.bind(app.grants);
    app.grants.putGroup = async (id, state) => {
      await app.mongo.db.collection<{ _id: string }>('users').deleteOne({ _id: gone.id });
      await putGroup(id, state);
    };
    try {
      await create(gone.authorization, [{}]).set('idempotency-key', 'deleted-meanwhile').expect(201);
    } finally {
      app.grants.putGroup = putGroup;
    }
    expect(await app.mongo.db.collection('usergroup_members').countDocuments({ _userId: gone.id })).toBe(0);
  });

  it('are created once per idempotency key, and from an empty list', async () => {
    await sendTwice(() => create(olga.authorization, [{ _name: 'only once' }]));
    expect(await names(olga.authorization, { _name: 'only once' })).toEqual(['only once']);
    const response = await create(olga.authorization, []).expect(201);
    expect(response.body).toEqual({ _offset: 0, _pageSize: 0, _total: 0, _list: [] });
  });

  it('are all refused when one is invalid', async () => {
    const before = (await list(olga.authorization).expect(200)).body._total as number;
    const bad = await create(olga.authorization, [{ _name: 'Good' }, { _shortName: 'x'.repeat(23) }]).expect(400);
    expect(bad.body.errors).toEqual([{ location: 'body.1._shortName', message: expect.any(String) }]);
    for (const body of [{ _name: 'no array' }, [{ _name: 7 }], ['x'], Array.from({ length: 101 }, () => ({}))]) {
      await create(olga.authorization, body).expect(400);
    }
    await app.api.post('/passportsvc/api/v1/usergroups').send([]).expect(401);
    expect((await list(olga.authorization).expect(200)).body._total).toBe(before);
  });

  it('of others are hidden: by id, in lists, for writing, and their members', async () => {
    const id = await newGroup(olga.authorization);
    expect((await list(ben.authorization).expect(200)).body).toEqual({
      _offset: 0,
      _pageSize: 25,
      _total: 0,
      _list: [],
    });
    for (const path of [`/usergroups/${id}`, `/usergroups/${id}/users`]) {
      await send('get', path, ben.authorization).expect(404);
    }
    await send('put', `/usergroups/${id}`, ben.authorization, { _name: 'Mine' }).expect(404);
    await send('put', `/usergroups/${id}/users`, ben.authorization, [ben.id]).expect(404);
    await send('delete', `/usergroups/${id}/users`, ben.authorization, [ben.id]).expect(404);
    await send('delete', `/usergroups/${id}`, ben.authorization).expect(404);
    const foreign = await asApp(app, { id: app.dev.second.appId, secret: app.dev.second.appSecret });
    await send('get', `/usergroups/${id}`, foreign).expect(404);
    await send('get', `/usergroups/${id}`, olga.authorization).expect(200);
  });

  it('can be read by whoever holds READ, who is no member, and only be changed with EDIT', async () => {
    const [group] = (await create(olga.authorization, [{ _name: 'Readable' }]).expect(201)).body._list;
    const irn = `passportsvc:usergroup:${group._id}`;
    await app.grants.allow(ben.id, group._namespaces[0], irn, ['READ']);
    expect((await list(ben.authorization, { _name: 'Readable' })).body._list).toEqual([{ ...group, _isMember: false }]);
    await send('put', `/usergroups/${group._id}`, ben.authorization, { _name: 'X' }).expect(403);
    await send('delete', `/usergroups/${group._id}`, ben.authorization).expect(403);
    await send('put', `/usergroups/${group._id}/users`, ben.authorization, [ben.id]).expect(403);
    await app.grants.allow(ben.id, group._namespaces[0], irn, ['EDIT']);
    await send('put', `/usergroups/${group._id}`, ben.authorization, { _name: 'By Ben' }).expect(200);
    await app.grants.revoke(ben.id, group._namespaces[0]);
    expect(await names(ben.authorization, {})).toEqual([]);
  });

  it('change what is sent, on the expected revision', async () => {
    const attributes = { a: 1, b: { c: 2 } };
    const wanted = { _name: 'Before', _shortName: 'before', _userType: 'team', _userAttributes: attributes };
    const [group] = (await create(olga.authorization, [wanted]).expect(201)).body._list;
    const path = `/usergroups/${group._id}`;
    const { etag } = (await send('get', path, olga.authorization)).headers;
    const response = await send('put', path, olga.authorization, { _name: 'After', stray: 1 })
      .set('if-match', etag!)
      .expect(200);
    expect(response.body).toEqual({ ...group, _name: 'After', _metadata: response.body._metadata });
    expect(response.headers.etag).not.toBe(etag);
    await send('put', path, olga.authorization, { _name: 'Late' }).set('if-match', etag!).expect(412);
    const replaced = await send('put', path, olga.authorization, { _userAttributes: { d: 3 }, _description: '' });
    expect(replaced.body).toMatchObject({ _name: 'After', _userAttributes: { d: 3 }, _description: '' });
    await send('put', path, olga.authorization, { _namespaces: group._namespaces }).expect(200);
    for (const bad of [
      { _namespaces: ['other_12345678'] },
      { _namespaces: [...group._namespaces, 'other_12345678'] },
      { _namespaces: [] },
      { _shortName: 'x'.repeat(23) },
      { _userAttributes: { $where: 1 } },
      { _userAttributes: { 'a.b': 1 } },
      { _userAttributes: { a: [{ $set: 1 }] } },
      { _name: { $set: 1 } },
      'text',
    ]) {
      await send('put', path, olga.authorization, bad).expect(400);
    }
    await send('put', '/usergroups/0123456789abcdef01234567', olga.authorization, {}).expect(404);
    await send('put', '/usergroups/x', olga.authorization, {}).expect(404);
  });

  it('are deleted once, on the expected revision, and what they held with them', async () => {
    const id = await newGroup(olga.authorization);
    const path = `/usergroups/${id}`;
    await send('put', `${path}/users`, olga.authorization, [ben.id]).expect(200);
    await app.grants.allow({ _type: 'usergroup', _id: id }, 'tower_1', 'filesvc:file:*', ['READ']);
    expect(await app.grants.namespacesOf({ _type: 'user', _id: ben.id })).toContain('tower_1');
    await send('delete', path, olga.authorization).set('if-match', '"99"').expect(412);
    const responses = await Promise.all([1, 2, 3].map(() => send('delete', path, olga.authorization)));
    const statuses = responses.map(({ status }) => status).sort((one, other) => one - other);
    expect(statuses.filter((status) => status === 204)).toHaveLength(1);
    expect(statuses.filter((status) => status === 404)).toHaveLength(2);
    expect(await app.grants.namespacesOf({ _type: 'user', _id: ben.id })).not.toContain('tower_1');
    for (const user of [olga, ben]) {
      await send('get', path, user.authorization).expect(404);
      expect((await list(user.authorization)).body._list).not.toContainEqual(expect.objectContaining({ _id: id }));
    }
  });

  describe('are listed', () => {
    let carl: string;
    beforeAll(async () => {
      carl = (await newUser('Carl')).authorization;
      await create(carl, [
        { _name: 'North', _shortName: 'n', _userType: 'team', _userAttributes: { size: 12, open: true } },
        { _name: 'South', _shortName: 's', _userType: 'team', _userAttributes: { size: 8 } },
        { _name: 'South', _shortName: 's2', _description: 'Far (south)', _userAttributes: { in: { city: 'Oslo' } } },
      ]).expect(201);
    });

    it.each([
      [{ _name: 'South' }, 2],
      [{ _shortName: ['n', 's2'] }, 2],
      [{ _userType: 'team', _name: ['North', 'none'] }, 1],
      [{ '_userAttributes.size': ['8', '12'] }, 2],
      [{ '_userAttributes.open': 'true' }, 1],
      [{ '_userAttributes.in.city': 'Oslo' }, 1],
      [{ query: 'out' }, 2],
      [{ query: 's*' }, 2],
      [{ query: '*(south)' }, 1],
      [{ query: '.*' }, 0],
      [{ stray: '1' }, 3],
      [{ _offset: 1, _pageSize: 1 }, 1],
      [{ _pageSize: 0 }, 0],
    ])('by %j', async (query, expected) => {
      expect(await names(carl, query)).toHaveLength(expected);
    });

    it('in pages with a total', async () => {
      expect((await list(carl, { _pageSize: 1 })).body).toMatchObject({ _offset: 0, _pageSize: 1, _total: 3 });
      for (const bad of [
        { _pageSize: 'x' },
        { _offset: '-1' },
        { query: 'x'.repeat(257) },
        { query: 'a\0*' },
        { '_userAttributes.$where': '1' },
      ]) {
        await list(carl, bad).expect(400);
      }
    });

    it('completely for a trusted client', async () => {
      expect(await names(trusted, { '_userAttributes.in.city': 'Oslo' })).toEqual(['South']);
    });
  });

  it('are limited by the configuration of the app, even under concurrent requests', async () => {
    const limited = await send('post', '/apps', trusted, {
      _name: 'Limited groups',
      _appOwner: app.admin.userName,
      _orgId: app.orgId,
      _redirectUris: 'http://127.0.0.1:9/callback',
      _configs: { 'usergroups.limit': 3 },
    }).expect(201);
    const token = await asApp(app, { id: limited.body._id, secret: limited.body._secret });
    const over = await create(token, [{}, {}, {}, {}]).expect(400);
    expect(over.body.message).toContain('usergroups.limit');
    const responses = await Promise.all(Array.from({ length: 6 }, () => create(token, [{ _name: 'One' }])));
    expect(responses.map(({ status }) => status).sort((one, other) => one - other)).toEqual([
      201, 201, 201, 400, 400, 400,
    ]);
    const { _list } = (await list(token).expect(200)).body as { _list: { _id: string; _isMember: boolean }[] };
    expect(_list.map(({ _isMember }) => _isMember)).toEqual([false, false, false]);
    await send('delete', `/usergroups/${_list[0]!._id}`, token).expect(204);
    await create(token, [{}]).expect(201);
  });
});
