import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { accessKeys, SubjectType } from '@dtplatform/contracts';
import { newId } from '@dtplatform/mongo';
import { allows, createGrantCache, remoteGrants } from '@dtplatform/permissions';
import { createServiceClient } from '@dtplatform/service-client';
import { fixedToken } from '@dtplatform/testing';
import { permissionClient, setUpNamespaces } from './permission-client.js';
import { entryFor, PERMISSIONS } from './start-app.js';
import type { TestApp } from './start-app.js';

const namespaces = setUpNamespaces();

describe('permissions of a group', () => {
  let here: TestApp;
  let there: Pick<TestApp, 'api' | 'deps'>;
  let platform: string;
  beforeAll(async () => {
    here = namespaces.here.app;
    there = await here.startInstance();
    platform = await here.as('platform', 'trusted');
  });

  let namespace: string;
  let groupId: string;
  let revision: number;
  let ben: string;
  let carla: string;
  beforeEach(async () => {
    namespace = `tower_${randomUUID()}`;
    [groupId, ben, carla, revision] = [newId(), newId(), newId(), -1];
    await members(ben);
  });

  const { put, list, remove, ...client } = permissionClient(() => here);
  const send = (state: object, authorization = platform, id = groupId) =>
    here.api
      .put(`${PERMISSIONS}/usergroups/${id}`)
      .set({ authorization })
      .send({ _memberIds: [], _namespaces: [], _deleted: false, ...state });
  const members = async (...ids: string[]) => {
    revision += 1;
    const reply = await send({ _revision: revision, _memberIds: ids }).expect(200);
    expect(reply.body).toEqual({ _revision: revision });
  };
  const ofGroup = (...actions: string[]) => ({
    ...entryFor('', namespace, 'filesvc:file:*', ...actions),
    _user: { _type: 'usergroup', _id: groupId },
  });
  const may = (userId: string, action = 'READ') => client.may(platform, userId, namespace, { action, on: there });
  /** Makes requests of both users, so that the other replica has cached what they hold. */
  const both = async (action?: string) => {
    for (const id of [ben, carla]) {
      await there.api.get(PERMISSIONS).set({ authorization: await here.as(id) });
    }
    return [await may(ben, action), await may(carla, action)];
  };

  it('count for its members, in addition to their own', async () => {
    await put(platform, [ofGroup('READ'), entryFor(ben, namespace, 'filesvc:file:1', 'EDIT')]);
    expect(await both()).toEqual([true, false]);
    expect(await both('EDIT')).toEqual([true, false]);
    expect(await both('DELETE')).toEqual([false, false]);
    const namespaces = await here.api
      .post(`${PERMISSIONS}/namespaces`)
      .set({ authorization: platform })
      .send({ _user: { _type: 'user', _id: ben } })
      .expect(200);
    expect(namespaces.body._list).toEqual([namespace]);
  });

  it('count for whoever joins, and no longer for whoever leaves, when the call is answered', async () => {
    await put(platform, [ofGroup('READ')]);
    for (let n = 0; n < 10; n++) {
      await members(ben, carla);
      expect(await both()).toEqual([true, true]);
      await members(carla);
      expect(await both()).toEqual([false, true]);
      await members();
      expect(await both()).toEqual([false, false]);
    }
  });

  it('change for all members at once', async () => {
    await members(ben, carla);
    expect(await both()).toEqual([false, false]);
    const { _list } = await put(platform, [ofGroup('READ', 'EDIT')]);
    expect(await both('EDIT')).toEqual([true, true]);
    await put(platform, [ofGroup('READ')]);
    expect(await both('EDIT')).toEqual([false, false]);
    await remove(platform, _list._success[0]!._id).expect(204);
    expect(await both()).toEqual([false, false]);
  });

  it('reach a user who joins while they are taken away', async () => {
    for (let n = 0; n < 10; n++) {
      await members();
      const [record] = (await put(platform, [ofGroup('READ')]))._list._success;
      const joining = members(ben);
      const asking = may(ben);
      await remove(platform, record!._id).expect(204);
      await Promise.all([joining, asking]);
      expect(await may(ben)).toBe(false);
    }
  });

  it('are gone with the group, as are those on it', async () => {
    const own = `group_${randomUUID()}`;
    const onGroup = entryFor(carla, own, `passportsvc:usergroup:${groupId}`, '*');
    await put(platform, [ofGroup('READ'), onGroup]);
    expect(await both()).toEqual([true, false]);
    await send({ _revision: 9, _namespaces: [own], _deleted: true }).expect(200);
    expect(await both()).toEqual([false, false]);
    const irn = { '_resourceDesc._irn': 'filesvc:file:*', '_user._type': 'usergroup' };
    expect((await list(platform, groupId, namespace, irn)).body._total).toBe(0);
    expect((await list(platform, carla, own, { '_resourceDesc._irn': onGroup._resourceDesc._irn })).body._total).toBe(
      0,
    );
    // A state that was sent before the end and arrives after it.
    await send({ _revision: 8, _memberIds: [ben] }).expect(200);
    expect(await both()).toEqual([false, false]);
  });

  it('do not follow a state that arrives after a newer one', async () => {
    await put(platform, [ofGroup('READ')]);
    await send({ _revision: 7, _memberIds: [carla] }).expect(200);
    await send({ _revision: 6, _memberIds: [ben, carla] }).expect(200);
    expect(await both()).toEqual([false, true]);
    await Promise.all(
      [11, 14, 12, 13].map((_revision) =>
        send({ _revision, _memberIds: _revision === 14 ? [ben] : [carla] }).expect(200),
      ),
    );
    expect(await both()).toEqual([true, false]);
  });

  it('are not for callers other than services to change', async () => {
    const state = { _revision: 50, _memberIds: [carla] };
    for (const kind of ['user', 'app', 'admin'] as const) await send(state, await here.as(carla, kind)).expect(403);
    const bad = [
      { _revision: -1 },
      { _revision: 'x' },
      { _revision: 50, _memberIds: ['x'] },
      { _revision: 50, _memberIds: { $gt: '' } },
      { _revision: 50, _memberIds: Array.from({ length: 1001 }, newId) },
      { _revision: 50, _deleted: 'yes' },
    ];
    for (const body of bad) await send(body).expect(400);
    await send(state, platform, 'x').expect(404);
    expect(await both()).toEqual([false, false]);
  });
});

describe('permissions', () => {
  type Instance = Pick<TestApp, 'api' | 'deps'>;

  let here: TestApp;
  let there: Instance;
  let platform: string;
  let namespace: string;
  let benId: string;
  beforeAll(async () => {
    here = namespaces.here.app;
    there = await here.startInstance();
    platform = await here.as('platform', 'trusted');
  });
  beforeEach(() => {
    [namespace, benId] = [`tower_${randomUUID()}`, `ben-${randomUUID()}`];
  });

  const grant = async (...actions: string[]) => {
    const entries = [entryFor(benId, namespace, 'filesvc:file:*', ...actions)];
    const reply = await here.api.put(PERMISSIONS).set({ authorization: platform }).send(entries).expect(200);
    return reply.body._list._success[0]._id as string;
  };
  const mayRead = async (app: Instance) => {
    const question = {
      _user: { _type: 'user', _id: benId },
      _action: 'READ',
      _irn: 'filesvc:file:1',
      _namespace: namespace,
    };
    const reply = await app.api
      .post(`${PERMISSIONS}/check`)
      .set({ authorization: platform })
      .send([question])
      .expect(200);
    return reply.body._list[0]._allowed as boolean;
  };
  const revoke = (id: string) => here.api.delete(`${PERMISSIONS}/${id}`).set({ authorization: platform }).expect(204);

  describe('another replica', () => {
    it('sees every grant and revocation before the request that made it completes', async () => {
      for (let n = 0; n < 15; n++) {
        const id = await grant('READ');
        expect([await mayRead(there), await mayRead(here)]).toEqual([true, true]);
        if (n % 2) await revoke(id);
        else await grant('EDIT');
        expect([await mayRead(there), await mayRead(here)]).toEqual([false, false]);
      }
    });

    it('refuses immediately after a revocation, even under constant checks', async () => {
      const id = await grant('READ');
      let revoked = false;
      let answersAfter = 0;
      const asking = Promise.all(
        Array.from({ length: 4 }, async () => {
          while (answersAfter < 20) {
            const wasRevoked = revoked;
            const allowed = await mayRead(there);
            if (!wasRevoked) continue;
            answersAfter += 1;
            expect(allowed).toBe(false);
          }
        }),
      );
      await revoke(id);
      revoked = true;
      await asking;
    });

    it('trusts no cached grants after Redis has lost its data', async () => {
      const id = await grant('READ');
      expect(await mayRead(there)).toBe(true);
      await revoke(id);
      await here.deps.redis.client.del(accessKeys.epoch({ _type: 'user', _id: benId }));
      expect(await mayRead(there)).toBe(false);
    });
  });

  describe('another service', () => {
    it('decides by the permissions of this service, and sees changes immediately', async () => {
      const client = createServiceClient({ baseUrl: here.url, token: fixedToken(platform) });
      const source = remoteGrants(client);
      const cache = createGrantCache({ redis: there.deps.redis.client, source });
      const mayEdit = async () => {
        const { lookup } = await cache.open({ _type: 'user', _id: benId });
        return allows(await lookup.grants(namespace), 'EDIT', 'filesvc:file:1');
      };
      try {
        expect(await mayEdit()).toBe(false);
        const _user = { _type: 'user' as const, _id: benId };
        await source.grant([
          { _namespace: namespace, _resourceDesc: { _irn: 'filesvc:file:1' }, _user, _actions: ['*'] },
        ]);
        expect(await mayEdit()).toBe(true);
        expect(await source.namespacesOf(_user)).toEqual([namespace]);
        const many = Array.from({ length: 1001 }, (_, n) => ({
          _namespace: namespace,
          _resourceDesc: { _irn: `filesvc:file:${n}` },
          _user,
          _actions: ['READ' as const],
        }));
        await source.grant(many);
        expect(await source.grantsOf(_user, namespace)).toHaveLength(1001);
        const unknown = {
          _namespace: namespace,
          _resourceDesc: { _irn: 'a:b:c' },
          _user: { ..._user, _id: 'unknown-1' },
          _actions: ['READ' as const],
        };
        await expect(source.grant([unknown])).rejects.toMatchObject({ status: 403 });
        const invalid = { ...unknown, _namespace: 'a\0b' };
        await expect(source.grant([invalid])).rejects.toMatchObject({ status: 403 });
        expect(await source.grantsOf(_user, 'a\0b')).toEqual([]);
      } finally {
        await client.close();
      }
    });
  });
});

describe('the keys of Redis', () => {
  const { here } = namespaces;
  let unique: string;
  beforeEach(() => {
    unique = randomUUID();
  });

  const redis = () => here.app.deps.redis.client;
  const keys = () => redis().keys(`*${unique}*`);
  const namespace = () => `tower_${unique}`;
  const ask = (path: string, authorization: string, body: object) =>
    here.app.api.post(`${PERMISSIONS}/${path}`).set({ authorization }).send(body).expect(200);
  const question = (_user: object, _namespace = namespace()) => ({
    _user,
    _action: 'READ',
    _irn: 'filesvc:file:1',
    _namespace,
  });

  it('Redis has no key for subjects and namespaces that somebody else asks about', async () => {
    const subjects = SubjectType.options.flatMap((_type) =>
      Array.from({ length: 20 }, (_, n) => ({ _type, _id: `nobody-${n}-${unique}` })),
    );
    const questions = subjects.map((subject, n) => question(subject, `nowhere-${n}-${unique}`));
    await ask('check', here.platform, questions);
    for (const _user of subjects.slice(0, 3)) {
      await ask('grants', here.platform, { _user, _namespace: namespace() });
      await ask('namespaces', here.platform, { _user });
    }
    expect(await keys()).toEqual([]);
  });

  it('Redis has no key for subjects that were granted something and never called', async () => {
    const entries = [
      entryFor(`ben-${unique}`, namespace(), 'filesvc:file:1', 'READ'),
      entryFor(`unknown-${unique}`, namespace(), 'filesvc:file:1', 'READ'),
    ];
    const reply = await here.app.api.put(PERMISSIONS).set({ authorization: here.platform }).send(entries).expect(200);
    expect(reply.body._list._success).toHaveLength(1);
    await ask('check', here.platform, [question(entries[0]!._user)]);
    await here.app.api
      .delete(`${PERMISSIONS}/${reply.body._list._success[0]._id}`)
      .set({ authorization: here.platform })
      .expect(204);
    expect(await keys()).toEqual([]);
  });

  it('Redis keeps the epoch of a caller for an hour', async () => {
    const ben = { _type: 'user' as const, _id: `ben-${unique}` };
    await ask('check', await here.app.as(ben._id), [question(ben)]);
    expect(await keys()).toEqual([accessKeys.epoch(ben)]);
    const ttl = await redis().ttl(accessKeys.epoch(ben));
    expect(ttl).toBeGreaterThan(3500);
    expect(ttl).toBeLessThanOrEqual(3600);
  });
});
