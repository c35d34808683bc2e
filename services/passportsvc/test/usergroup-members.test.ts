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

  it('are added, shown with their names in pages, and removed', async () => {
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

  it('hold what the group holds as soon as they join, until they leave', async () => {
    const subject = { _type: 'user' as const, _id: ben.id };
    await app.grants.allow({ _type: 'usergroup', _id: groupId }, 'tower_1', 'filesvc:file:*', ['EDIT']);
    expect(await app.grants.grantsOf(subject, 'tower_1')).toEqual([]);
    await add(olga, ben.id).expect(200);
    expect(await app.grants.grantsOf(subject, 'tower_1')).toEqual([{ _irn: 'filesvc:file:*', _actions: ['EDIT'] }]);
    await remove(ben, ben.id).expect(204);
    expect(await app.grants.grantsOf(subject, 'tower_1')).toEqual([]);
  });

  it('may leave, but not remove or add others', async () => {
    await add(olga, ben.id, carla.id).expect(200);
    await remove(ben, carla.id).expect(403);
    await remove(ben, ben.id, carla.id).expect(403);
    await add(ben, carla.id).expect(403);
    await remove(ben, ben.id).expect(204);
    await remove(ben, ben.id).expect(404);
    expect((await membersOf(olga.authorization, groupId)).sort()).toEqual([olga.id, carla.id].sort());
  });

  it('are no longer users who are deleted', async () => {
    const dan = await newUser('Dan');
    await add(olga, dan.id).expect(200);
    await send('delete', `/scim/Users/${dan.id}`, await asApp(app)).expect(204);
    expect(await membersOf(olga.authorization, groupId)).toEqual([olga.id]);
  });

  it('are no longer users who are deleted while they join', async () => {
    const dan = await newUser('Dan');
    const putGroup = app.grants.putGroup.bind(app.grants);
    const pushed: string[][] = [];
    app.grants.putGroup = async (id, state) => {
      // The deletion has looked for groups of the user before.
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

  it('must be users of the organization; nobody is added when one is not', async () => {
    const { appId: id, appSecret: secret } = app.dev.second;
    const stranger = await asApp(app, { id, secret });
    const user = { userName: `stranger-${newId()}@second.test` };
    const strangerId = (await send('post', '/scim/Users', stranger, user).expect(201)).body.id as string;
    const response = await add(olga, ben.id, newId(), strangerId).expect(400);
    expect(response.body).toMatchObject({
      code: 'UNKNOWN_MEMBER',
      errors: [{ location: 'body.1' }, { location: 'body.2' }],
    });
    expect(await membersOf(olga.authorization, groupId)).toEqual([olga.id]);
    // The platform itself may.
    await send('put', path(), await asApp(app), [strangerId]).expect(200);
  });

  it.each([[[]], ['x'], [['x']], [[{ $ne: 1 }]], [[['a']]], [{ _id: 'x' }], [[null]]])(
    'are not changed by %j',
    async (body) => {
      await send('put', path(), olga.authorization, body).expect(400);
      await send('delete', path(), olga.authorization, body).expect(400);
    },
  );

  it('are named by ids: anything else is told what an id is, and not repeated', async () => {
    const { body } = await send('put', path(), olga.authorization, ['nonsense']).expect(400);
    const message = 'is not an id: an id has 24 hexadecimal digits, in lower case';
    expect(body.errors).toEqual([{ location: 'body.0', message }]);
    expect(JSON.stringify(body)).not.toContain('nonsense');
  });

  it('are at most 1000, even under concurrent requests', async () => {
    const member = (n: number) => {
      const _userId = newId();
      return { _id: `${groupId}:${_userId}`, _groupId: groupId, _userId, n };
    };
    const many = Array.from({ length: 998 }, (_, n) => member(n));
    await app.mongo.db.collection('usergroup_members').insertMany(many as never[]);
    const responses = await Promise.all([add(olga, ben.id), add(olga, carla.id)]);
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 400]);
  });

  it('change the revision of the group, on the expected one', async () => {
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

describe('a group whose change objectmodelsvc did not hear of', () => {
  it('is reported even if the report of another one fails again and again', async () => {
    const app = await startApp();
    const { send, newGroup, newUser } = groupClient(() => app);
    const putGroup = app.grants.putGroup.bind(app.grants);
    try {
      const [olga, ben] = [await newUser('Olga'), await newUser('Ben')];
      // The one that fails comes first.
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
      // Whether a group was reported is noted after the report.
      await eventually(async () => {
        const pending = await app.mongo.db.collection('usergroups').find({ _membersPending: true }).toArray();
        expect(pending.map(({ _id }) => String(_id))).toEqual([stuck]);
      });
    } finally {
      await app.stop();
    }
  });

  it('is reported again until it has', async () => {
    const app = await startApp();
    const { send, newGroup, newUser } = groupClient(() => app);
    const putGroup = app.grants.putGroup.bind(app.grants);
    try {
      const [olga, ben] = [await newUser('Olga'), await newUser('Ben')];
      const groupId = await newGroup(olga.authorization);
      await app.grants.allow({ _type: 'usergroup', _id: groupId }, 'tower_1', 'filesvc:file:*', ['READ']);
      const holds = async () => (await app.grants.namespacesOf({ _type: 'user', _id: ben.id })).includes('tower_1');
      const cut = () => {
        app.grants.putGroup = () => Promise.reject(new Error('objectmodelsvc is away'));
      };
      await send('put', `/usergroups/${groupId}/users`, olga.authorization, [ben.id]).expect(200);
      cut();
      await send('delete', `/usergroups/${groupId}/users`, olga.authorization, [ben.id]).expect(500);
      expect(await holds()).toBe(true);
      app.grants.putGroup = putGroup;
      await eventually(async () => expect(await holds()).toBe(false));
      await send('put', `/usergroups/${groupId}/users`, olga.authorization, [ben.id]).expect(200);
      cut();
      await send('delete', `/usergroups/${groupId}`, olga.authorization).expect(500);
      await send('get', `/usergroups/${groupId}`, olga.authorization).expect(404);
      app.grants.putGroup = putGroup;
      await eventually(async () => expect(await holds()).toBe(false));
      await eventually(async () => expect(await app.mongo.db.collection('usergroups').countDocuments()).toBe(0));
    } finally {
      await app.stop();
    }
  });
});
