import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { commonErrors } from '@dtplatform/errors';
import { newId } from '@dtplatform/mongo';
import { eventually } from '@dtplatform/testing';
import { groupClient } from './group-client.js';
import type { TestUser } from './group-client.js';
import { startApp } from './start-app.js';
import type { TestApp } from './start-app.js';
import { asApp } from './tokens.js';

describe('the members of a group', () => {
  let app: TestApp;
  let olga: TestUser;
  let ben: TestUser;
  let carla: TestUser;
  let groupId: string;
  const { send, newGroup, list, membersOf, newUser } = groupClient(() => app);
  const path = () => `/usergroups/${groupId}/users`;
  const add = (by: TestUser, ...ids: unknown[]) => send('put', path(), by.authorization, ids);
  const remove = (by: TestUser, ...ids: unknown[]) => send('delete', path(), by.authorization, ids);

  beforeAll(async () => {
    app = await startApp();
    [olga, ben, carla] = [await newUser('Olga'), await newUser('Ben'), await newUser('Carla')];
  });
  afterAll(() => app.stop());
  beforeEach(async () => {
    groupId = await newGroup(olga.authorization);
  });

  it('are added, listed with their names in pages, and removed', async () => {
    const response = await add(olga, ben.id, { _id: carla.id }, ben.id).expect(200);
    expect(response.body).toMatchObject({ _offset: 0, _pageSize: 2, _total: 2 });
    expect(response.body._list).toContainEqual({ _id: ben.id, _firstname: 'Ben', _lastname: 'Li', _email: ben.email });
    await add(olga, ben.id).expect(200);
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
    await app.grants.allow({ _type: 'usergroup', _id: groupId }, 'tower_1', 'filesvc:file:*', ['EDIT']);
    expect(await app.grants.grantsOf(subject, 'tower_1')).toEqual([]);
    await add(olga, ben.id).expect(200);
    expect(await app.grants.grantsOf(subject, 'tower_1')).toEqual([{ _irn: 'filesvc:file:*', _actions: ['EDIT'] }]);
    await remove(ben, ben.id).expect(204);
    expect(await app.grants.grantsOf(subject, 'tower_1')).toEqual([]);
  });

  it('may leave, but neither add nor remove others', async () => {
    await add(olga, ben.id, carla.id).expect(200);
    await remove(ben, carla.id).expect(403);
    await remove(ben, ben.id, carla.id).expect(403);
    await add(ben, carla.id).expect(403);
    await remove(ben, ben.id).expect(204);
    await remove(ben, ben.id).expect(404);
    expect((await membersOf(olga.authorization, groupId)).sort()).toEqual([olga.id, carla.id].sort());
  });

  it('exclude deleted users', async () => {
    const dan = await newUser('Dan');
    await add(olga, dan.id).expect(200);
    await send('delete', `/scim/Users/${dan.id}`, await asApp(app)).expect(204);
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
    await add(olga, ben.id, dan.id).expect(200);
    app.grants.putGroup = putGroup;
    expect(await membersOf(olga.authorization, groupId)).toHaveLength(2);
    expect(await app.mongo.db.collection('usergroup_members').countDocuments({ _userId: dan.id })).toBe(0);
    expect(pushed.at(-1)).toEqual([olga.id, ben.id].toSorted());
  });

  it('must be users of the organization, or none is added', async () => {
    const { appId: id, appSecret: secret } = app.dev.second;
    const stranger = await newUser('Stranger', { id, secret });
    const { body } = await add(olga, ben.id, newId(), stranger.id).expect(400);
    expect(body).toMatchObject({ code: 'UNKNOWN_MEMBER', errors: [{ location: 'body.1' }, { location: 'body.2' }] });
    expect(await membersOf(olga.authorization, groupId)).toEqual([olga.id]);
    // Trusted clients may add anybody.
    await send('put', path(), await asApp(app), [stranger.id]).expect(200);
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
    const responses = await Promise.all([add(olga, ben.id), add(olga, carla.id)]);
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 400]);
  });

  it("change the group's revision, on the expected one", async () => {
    const { etag } = (await send('get', `/usergroups/${groupId}`, olga.authorization)).headers;
    await add(olga, ben.id).set('if-match', etag!).expect(200);
    await add(olga, carla.id).set('if-match', etag!).expect(412);
    await remove(olga, ben.id).set('if-match', etag!).expect(412);
    expect(await membersOf(olga.authorization, groupId)).toHaveLength(2);
  });

  it('are the same everywhere after concurrent changes', async () => {
    await app.grants.allow({ _type: 'usergroup', _id: groupId }, `of_${groupId}`, 'filesvc:file:*', ['READ']);
    const changes = [ben, carla].flatMap(({ id }) => [add(olga, id), remove(olga, id), add(olga, id)]);
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
  it('is reported even if another report fails repeatedly', async () => {
    const app = await startApp();
    const { send, newGroup, newUser } = groupClient(() => app);
    const putGroup = app.grants.putGroup.bind(app.grants);
    try {
      const [olga, ben] = [await newUser('Olga'), await newUser('Ben')];
      // The failing one comes first.
      const [stuck, groupId] = [await newGroup(olga.authorization), await newGroup(olga.authorization)];
      app.grants.putGroup = () => Promise.reject(commonErrors.unavailable());
      for (const id of [stuck, groupId])
        await send('put', `/usergroups/${id}/users`, olga.authorization, [ben.id]).expect(503);
      await app.grants.allow({ _type: 'usergroup', _id: groupId }, 'tower_1', 'filesvc:file:*', ['READ']);
      app.grants.putGroup = (id, members) =>
        id === stuck ? Promise.reject(commonErrors.unavailable()) : putGroup(id, members);
      await eventually(async () =>
        expect(await app.grants.namespacesOf({ _type: 'user', _id: ben.id })).toContain('tower_1'),
      );
      // The mark is cleared after the report.
      await eventually(async () => {
        const pending = await app.mongo.db.collection('usergroups').find({ _membersPending: true }).toArray();
        expect(pending.map(({ _id }) => String(_id))).toEqual([stuck]);
      });
    } finally {
      await app.stop();
    }
  });

  it('is reported until it succeeds', async () => {
    const app = await startApp();
    const { send, newGroup, newUser } = groupClient(() => app);
    const putGroup = app.grants.putGroup.bind(app.grants);
    try {
      const [olga, ben] = [await newUser('Olga'), await newUser('Ben')];
      const group = `/usergroups/${await newGroup(olga.authorization)}`;
      const _id = group.split('/').at(-1)!;
      await app.grants.allow({ _type: 'usergroup', _id }, 'tower_1', 'filesvc:file:*', ['READ']);
      const holds = async () => (await app.grants.namespacesOf({ _type: 'user', _id: ben.id })).includes('tower_1');
      const cut = () => {
        app.grants.putGroup = () => Promise.reject(new Error('objectmodelsvc is away'));
      };
      await send('put', `${group}/users`, olga.authorization, [ben.id]).expect(200);
      cut();
      await send('delete', `${group}/users`, olga.authorization, [ben.id]).expect(500);
      expect(await holds()).toBe(true);
      app.grants.putGroup = putGroup;
      await eventually(async () => expect(await holds()).toBe(false));
      await send('put', `${group}/users`, olga.authorization, [ben.id]).expect(200);
      cut();
      await send('delete', group, olga.authorization).expect(500);
      await send('get', group, olga.authorization).expect(404);
      app.grants.putGroup = putGroup;
      await eventually(async () => expect(await holds()).toBe(false));
      await eventually(async () => expect(await app.mongo.db.collection('usergroups').countDocuments()).toBe(0));
    } finally {
      await app.stop();
    }
  });
});
