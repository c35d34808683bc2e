import { beforeAll, describe, expect, it } from '@jest/globals';
import { sendTwice } from '@dtplatform/testing';
import { groupClient } from './group-client.js';
import type { TestUser } from './group-client.js';
import { useApp } from './start-app.js';
import { asApp } from './tokens.js';

describe('user groups', () => {
  const app = useApp();
  let trusted: string;
  let olga: TestUser;
  let ben: TestUser;
  const { send, create, newGroup, list, newUser } = groupClient(() => app);
  const names = async (authorization: string, query: object) =>
    ((await list(authorization, query).expect(200)).body._list as { _name: string }[]).map(({ _name }) => _name);

  beforeAll(async () => {
    trusted = await asApp(app);
    [olga, ben] = [await newUser('Olga'), await newUser('Ben')];
  });

  it('creates groups with a namespace and their creator as a member with all permissions', async () => {
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

  it('takes attributes by path, as lists query them', async () => {
    const sent = {
      _userAttributes: { site: { floor: 2 } },
      '_userAttributes.site.city': 'Bergen',
      '_userAttributes.a': 1,
    };
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

  it('leaves a group without members if its creator is deleted meanwhile, also under an idempotency key', async () => {
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

  it('creates groups once per idempotency key', async () => {
    await sendTwice(() => create(olga.authorization, [{ _name: 'only once' }]));
    expect(await names(olga.authorization, { _name: 'only once' })).toEqual(['only once']);
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
    await send('put', `/usergroups/${group._id}/users`, ben.authorization, [ben.id]).expect(403);
    await app.grants.revoke(ben.id, group._namespaces[0]);
    expect(await names(ben.authorization, {})).toEqual([]);
  });

  it('limits the groups of an app by its configuration, even under concurrent requests', async () => {
    const owner = { _appOwner: app.admin.userName, _orgId: app.orgId, _redirectUris: 'http://127.0.0.1:9/callback' };
    const wanted = { _name: 'Limited groups', ...owner, _configs: { 'usergroups.limit': 3 } };
    const { _id: id, _secret: secret } = (await send('post', '/apps', trusted, wanted).expect(201)).body;
    const token = await asApp(app, { id, secret });
    expect((await create(token, [{}, {}, {}, {}]).expect(400)).body.message).toContain('usergroups.limit');
    const responses = await Promise.all(Array.from({ length: 6 }, () => create(token, [{ _name: 'One' }])));
    expect(responses.map(({ status }) => status).toSorted()).toEqual([201, 201, 201, 400, 400, 400]);
    const { _list } = (await list(token).expect(200)).body as { _list: { _id: string; _isMember: boolean }[] };
    expect(_list.map(({ _isMember }) => _isMember)).toEqual([false, false, false]);
    await send('delete', `/usergroups/${_list[0]!._id}`, token).expect(204);
    await create(token, [{}]).expect(201);
  });
});
