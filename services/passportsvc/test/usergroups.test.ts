import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { commonErrors } from '@dtplatform/errors';
import { newId } from '@dtplatform/mongo';
import { eventually, sendTwice } from '@dtplatform/testing';
import { groupClient } from './group-client.js';
import type { TestUser } from './group-client.js';
import { useApp } from './start-app.js';
import { asApp, asUser } from './tokens.js';

const app = useApp();
let trusted: string;
let olga: TestUser;
let ben: TestUser;
let carla: TestUser;
const { send, create, newGroup, list, membersOf, newUser } = groupClient(() => app);
const membersUrl = (groupId: string) => `/usergroups/${groupId}/users`;
const add = (groupId: string, ...ids: unknown[]) => send('put', membersUrl(groupId), olga.authorization, ids);
const names = async (authorization: string, query: object) =>
  ((await list(authorization, query).expect(200)).body._list as { _name: string }[]).map(({ _name }) => _name);

beforeAll(async () => {
  trusted = await asApp(app);
  [olga, ben, carla] = [await newUser('Olga'), await newUser('Ben'), await newUser('Carla')];
});

describe('user groups', () => {
  it('creates groups once per idempotency key, with a namespace and their creator as a member with all permissions', async () => {
    const wanted = { _name: 'Planners', _shortName: 'plan', _description: 'Plan', _userType: 'team' };
    const sent = [
      { ...wanted, _userAttributes: { room: { floor: 2 } } },
      { '_userAttributes.colour': 'red', stray: true },
    ];
    const { body } = await sendTwice(() => create(olga.authorization, sent));
    expect(await names(olga.authorization, { _name: 'Planners' })).toEqual(['Planners']);
    expect(body).toMatchObject({ _offset: 0, _pageSize: 2, _total: 2 });
    const [first, second] = body._list;
    expect(first).toEqual({
      ...{ _id: expect.stringMatching(/^[0-9a-f]{24}$/), ...wanted, _userAttributes: { room: { floor: 2 } } },
      ...{ _namespaces: [expect.stringMatching(/^plan_[a-z0-9]{8}$/)], _isMember: true },
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
  });

  it('takes attributes by path, as lists query them', async () => {
    const inSite = { _userAttributes: { site: { floor: 2 } }, '_userAttributes.site.city': 'Bergen' };
    const sent = { ...inSite, '_userAttributes.a': 1 };
    const [group] = (await create(olga.authorization, [sent]).expect(201)).body._list;
    expect(group._userAttributes).toEqual({ site: { floor: 2, city: 'Bergen' }, a: 1 });
    expect((await list(olga.authorization, { '_userAttributes.site.city': 'Bergen' })).body._list).toEqual([group]);
    const paths = ['', '.', 'a.', 'a..b', '$where', 'a.$b', '__proto__.a', 'a._bsontype'];
    for (const wrong of [
      { '_userAttributes.a': { 'b.c': 1 } },
      { _userAttributes: { a: 1 }, '_userAttributes.a': 2 },
      { _userAttributes: { a: 1 }, '_userAttributes.a.b': 2 },
      { '_userAttributes.a': [1], '_userAttributes.a.0': 2 },
      { '_userAttributes.a.b': 1, '_userAttributes.a': { c: 2 } },
      ...paths.map((path) => ({ [`_userAttributes.${path}`]: 1 })),
    ]) {
      const rejected = await create(olga.authorization, [{}, wrong]).expect(400);
      expect(rejected.body.errors[0].location).toMatch(/^body\.1\._userAttributes\./);
    }
  });

  it('leaves a group without members if its creator is deleted during the call, also under an idempotency key', async () => {
    const gone = await newUser('Gone');
    const putGroup = app.grants.putGroup.bind(app.grants);
    app.grants.putGroup = async (id, state) => {
      await app.mongo.db.collection<{ _id: string }>('users').deleteOne({ _id: gone.id });
      await putGroup(id, state);
    };
    await create(gone.authorization, [{}]).set('idempotency-key', 'deleted-meanwhile').expect(201);
    app.grants.putGroup = putGroup;
    expect(await app.mongo.db.collection('usergroup_members').countDocuments({ _userId: gone.id })).toBe(0);
  });

  it('changes the sent fields only, on the expected revision and within the namespaces of the group', async () => {
    const attributes = { a: 1, b: { c: 2 } };
    const wanted = { _name: 'Before', _shortName: 'before', _userType: 'team', _userAttributes: attributes };
    const [group] = (await create(olga.authorization, [wanted]).expect(201)).body._list;
    const path = `/usergroups/${group._id}`;
    const put = (body: unknown) => send('put', path, olga.authorization, body);
    const { body, headers } = await put({ _name: 'After', stray: 1 }).set('if-match', '"0"').expect(200);
    expect([body, headers.etag]).toEqual([{ ...group, _name: 'After', _metadata: body._metadata }, '"1"']);
    await put({ _name: 'Late' }).set('if-match', '"0"').expect(412);
    const replaced = await put({ _userAttributes: { d: 3 }, _description: '' }).expect(200);
    expect(replaced.body).toMatchObject({ _name: 'After', _userAttributes: { d: 3 }, _description: '' });
    await put({ _namespaces: group._namespaces }).expect(200);
    for (const bad of [
      ...[['other_12345678'], [...group._namespaces, 'other_12345678'], []].map((_namespaces) => ({ _namespaces })),
      ...[{ $where: 1 }, { 'a.b': 1 }, { a: [{ $set: 1 }] }].map((_userAttributes) => ({ _userAttributes })),
    ])
      await put(bad).expect(400);
  });

  it('deletes a group once, on the expected revision, and ends its permissions', async () => {
    const id = await newGroup(olga.authorization);
    const path = `/usergroups/${id}`;
    const namespacesOfBen = () => app.grants.namespacesOf({ _type: 'user', _id: ben.id });
    await send('put', `${path}/users`, olga.authorization, [ben.id]).expect(200);
    await app.grants.allow({ _type: 'usergroup', _id: id }, 'tower_1', 'filesvc:file:*', ['READ']);
    expect(await namespacesOfBen()).toContain('tower_1');
    await send('delete', path, olga.authorization).set('if-match', '"99"').expect(412);
    const responses = await Promise.all([1, 2, 3].map(() => send('delete', path, olga.authorization)));
    expect(responses.map(({ status }) => status).toSorted()).toEqual([204, 404, 404]);
    expect(await namespacesOfBen()).not.toContain('tower_1');
    for (const { authorization } of [olga, ben]) {
      await send('get', path, authorization).expect(404);
      expect((await list(authorization)).body._list).not.toContainEqual(expect.objectContaining({ _id: id }));
    }
  });

  it('lists groups by name, type, attributes and text, and all of them for trusted clients', async () => {
    const carl = await newUser('Carl');
    await create(carl.authorization, [
      { _name: 'North', _userType: 'team', _userAttributes: { size: 12 } },
      { _name: 'South', _userType: 'team', _description: 'Far (south)', _userAttributes: { in: { city: 'Oslo' } } },
    ]).expect(201);
    for (const query of [{ _name: ['South', 'x'] }, { query: '*(south)' }, { '_userAttributes.in.city': 'Oslo' }])
      expect(await names(carl.authorization, query)).toEqual(['South']);
    expect(await names(carl.authorization, { _userType: 'team' })).toEqual(['North', 'South']);
    expect(await names(trusted, { '_userAttributes.in.city': 'Oslo' })).toEqual(['South']);
  });

  it('shows a group to holders of READ, who are not members', async () => {
    const [group] = (await create(olga.authorization, [{ _name: 'Readable' }]).expect(201)).body._list;
    await app.grants.allow(ben.id, group._namespaces[0], `passportsvc:usergroup:${group._id}`, ['READ']);
    expect((await list(ben.authorization, { _name: 'Readable' })).body._list).toEqual([{ ...group, _isMember: false }]);
    await app.grants.revoke(ben.id, group._namespaces[0]);
    expect(await names(ben.authorization, {})).toEqual([]);
  });

  it('limits the groups of an app by its configuration, even under concurrent requests', async () => {
    const token = await asApp(app, app.second);
    await send('put', `/apps/${app.second.id}/configs`, await asUser(app), { 'usergroups.limit': 3 }).expect(200);
    expect((await create(token, [{}, {}, {}, {}]).expect(400)).body.message).toContain('usergroups.limit');
    const responses = await Promise.all(Array.from({ length: 6 }, () => create(token, [{ _name: 'One' }])));
    expect(responses.map(({ status }) => status).toSorted()).toEqual([201, 201, 201, 400, 400, 400]);
    const { _list } = (await list(token).expect(200)).body as { _list: { _id: string; _isMember: boolean }[] };
    expect(_list.map(({ _isMember }) => _isMember)).toEqual([false, false, false]);
    await send('delete', `/usergroups/${_list[0]!._id}`, token).expect(204);
    await create(token, [{}]).expect(201);
  });
});

describe('the members of a group', () => {
  let groupId: string;
  const path = () => membersUrl(groupId);
  const remove = (by: TestUser, ...ids: unknown[]) => send('delete', path(), by.authorization, ids);

  beforeEach(async () => {
    groupId = await newGroup(olga.authorization);
  });

  it('are added, listed with their names in pages, and removed', async () => {
    const response = await add(groupId, ben.id, { _id: carla.id }, ben.id).expect(200);
    expect(response.body).toMatchObject({ _offset: 0, _pageSize: 2, _total: 2 });
    expect(response.body._list).toContainEqual({ _id: ben.id, _firstname: 'Ben', _lastname: 'Li', _email: ben.email });
    await add(groupId, ben.id).expect(200);
    const page = await send('get', path(), ben.authorization).query({ _pageSize: 2, _offset: 1 }).expect(200);
    expect(page.body).toMatchObject({ _offset: 1, _pageSize: 2, _total: 3 });
    expect(page.body._list).toHaveLength(2);
    expect(await membersOf(carla.authorization, groupId)).toHaveLength(3);
    expect((await list(ben.authorization)).body._list).toMatchObject([{ _id: groupId, _isMember: true }]);

    await remove(olga, ben.id, newId()).expect(204);
    await remove(olga, ben.id).expect(204);
    expect(await membersOf(olga.authorization, groupId)).toHaveLength(2);
    await send('get', path(), ben.authorization).expect(404);
    expect((await list(ben.authorization)).body._total).toBe(0);
  });

  it("hold the group's permissions from joining to leaving", async () => {
    const subject = { _type: 'user' as const, _id: ben.id };
    await app.grants.allow({ _type: 'usergroup', _id: groupId }, 'tower_5', 'filesvc:file:*', ['EDIT']);
    expect(await app.grants.grantsOf(subject, 'tower_5')).toEqual([]);
    await add(groupId, ben.id).expect(200);
    expect(await app.grants.grantsOf(subject, 'tower_5')).toEqual([{ _irn: 'filesvc:file:*', _actions: ['EDIT'] }]);
    await remove(ben, ben.id).expect(204);
    expect(await app.grants.grantsOf(subject, 'tower_5')).toEqual([]);
  });

  it('may leave, but neither add nor remove others', async () => {
    await add(groupId, ben.id, carla.id).expect(200);
    await remove(ben, carla.id).expect(403);
    await remove(ben, ben.id, carla.id).expect(403);
    await send('put', path(), ben.authorization, [carla.id]).expect(403);
    await remove(ben, ben.id).expect(204);
    await remove(ben, ben.id).expect(404);
    expect((await membersOf(olga.authorization, groupId)).sort()).toEqual([olga.id, carla.id].sort());
  });

  it('exclude deleted users', async () => {
    const dan = await newUser('Dan');
    await add(groupId, dan.id).expect(200);
    await send('delete', `/scim/Users/${dan.id}`, trusted).expect(204);
    expect(await membersOf(olga.authorization, groupId)).toEqual([olga.id]);
  });

  it('exclude users who are deleted while they join', async () => {
    const dan = await newUser('Dan');
    const putGroup = app.grants.putGroup.bind(app.grants);
    const pushed: string[][] = [];
    app.grants.putGroup = async (id, state) => {
      // The deletion looked for the user's groups before.
      await app.mongo.db.collection<{ _id: string }>('users').deleteOne({ _id: dan.id });
      pushed.push(state._memberIds.toSorted());
      await putGroup(id, state);
    };
    await add(groupId, ben.id, dan.id).expect(200);
    app.grants.putGroup = putGroup;
    expect(await membersOf(olga.authorization, groupId)).toHaveLength(2);
    expect(await app.mongo.db.collection('usergroup_members').countDocuments({ _userId: dan.id })).toBe(0);
    expect(pushed.at(-1)).toEqual([olga.id, ben.id].toSorted());
  });

  it('must be users of the organization, or none is added', async () => {
    const stranger = await newUser('Stranger', app.second);
    const { body } = await add(groupId, ben.id, newId(), stranger.id).expect(400);
    expect(body).toMatchObject({ code: 'UNKNOWN_MEMBER', errors: [{ location: 'body.1' }, { location: 'body.2' }] });
    expect(await membersOf(olga.authorization, groupId)).toEqual([olga.id]);
    // Trusted clients may add anybody.
    await send('put', path(), trusted, [stranger.id]).expect(200);
  });

  it.each([[[]], ['x'], [['x']], [[{ $ne: 1 }]], [[['a']]], [[null]]])('are not changed by %j', async (body) => {
    const { text } = await send('put', path(), olga.authorization, body).expect(400);
    if (Array.isArray(body) && body[0] === 'x') expect(text).toContain('is not an id: an id has 24 hexadecimal digits');
    await send('delete', path(), olga.authorization, body).expect(400);
  });

  it('are at most 1000, even under concurrent requests', async () => {
    const ids = Array.from({ length: 998 }, () => newId());
    const many = ids.map((_userId) => ({ _id: `${groupId}:${_userId}`, _groupId: groupId, _userId }));
    await app.mongo.db.collection('usergroup_members').insertMany(many as never[]);
    const responses = await Promise.all([add(groupId, ben.id), add(groupId, carla.id)]);
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 400]);
  });

  it("change the group's revision, on the expected one", async () => {
    const { etag } = (await send('get', `/usergroups/${groupId}`, olga.authorization)).headers;
    await add(groupId, ben.id).set('if-match', etag!).expect(200);
    await add(groupId, carla.id).set('if-match', etag!).expect(412);
    await remove(olga, ben.id).set('if-match', etag!).expect(412);
    expect(await membersOf(olga.authorization, groupId)).toHaveLength(2);
  });

  it('are the same everywhere after concurrent changes', async () => {
    await app.grants.allow({ _type: 'usergroup', _id: groupId }, `of_${groupId}`, 'filesvc:file:*', ['READ']);
    const changes = [ben, carla].flatMap(({ id }) => [add(groupId, id), remove(olga, id), add(groupId, id)]);
    await Promise.all(changes);
    const members = await membersOf(olga.authorization, groupId);
    await eventually(async () => {
      for (const { id } of [olga, ben, carla]) {
        const namespaces = await app.grants.namespacesOf({ _type: 'user', _id: id });
        expect(namespaces.includes(`of_${groupId}`)).toBe(members.includes(id));
      }
    });
  });
});

describe('a change that did not reach objectmodelsvc', () => {
  const holds = async (userId: string, namespace: string) =>
    (await app.grants.namespacesOf({ _type: 'user', _id: userId })).includes(namespace);
  const group = async (namespace: string) => {
    const id = await newGroup(olga.authorization);
    await app.grants.allow({ _type: 'usergroup', _id: id }, namespace, 'filesvc:file:*', ['READ']);
    return id;
  };
  const groups = () => app.mongo.db.collection<{ _id: string }>('usergroups');

  it('is reported even if another report fails repeatedly', async () => {
    const putGroup = app.grants.putGroup.bind(app.grants);
    // The failing one comes first.
    const [stuck, id] = [await group('tower_3'), await group('tower_4')];
    app.grants.putGroup = () => Promise.reject(commonErrors.unavailable());
    for (const one of [stuck, id]) await add(one, ben.id).expect(503);
    app.grants.putGroup = (one, members) =>
      one === stuck ? Promise.reject(commonErrors.unavailable()) : putGroup(one, members);
    await app.deps.groupSync.pushPending().catch(() => undefined);
    await eventually(async () => expect(await holds(ben.id, 'tower_4')).toBe(true));
    // The mark is cleared after the report.
    await eventually(async () => {
      const pending = await groups().find({ _membersPending: true }).toArray();
      expect(pending.map(({ _id }) => _id)).toEqual([stuck]);
    });
    app.grants.putGroup = putGroup;
  });

  it('is reported until it succeeds', async () => {
    const putGroup = app.grants.putGroup.bind(app.grants);
    const id = await group('tower_2');
    await add(id, carla.id).expect(200);
    app.grants.putGroup = () => Promise.reject(new Error('objectmodelsvc is away'));
    await send('delete', membersUrl(id), olga.authorization, [carla.id]).expect(500);
    expect(await holds(carla.id, 'tower_2')).toBe(true);
    app.grants.putGroup = putGroup;
    await eventually(async () => expect(await holds(carla.id, 'tower_2')).toBe(false));
    await add(id, carla.id).expect(200);
    app.grants.putGroup = () => Promise.reject(new Error('objectmodelsvc is away'));
    await send('delete', `/usergroups/${id}`, olga.authorization).expect(500);
    await send('get', `/usergroups/${id}`, olga.authorization).expect(404);
    app.grants.putGroup = putGroup;
    await eventually(async () => expect(await holds(carla.id, 'tower_2')).toBe(false));
    await eventually(async () => expect(await groups().countDocuments({ _id: id })).toBe(0));
  });
});
