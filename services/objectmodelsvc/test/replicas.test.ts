import { randomUUID } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { accessKeys, SubjectType } from '@dtplatform/contracts';
import { newId } from '@dtplatform/mongo';
import { allows, createGrantCache, remoteGrants } from '@dtplatform/permissions';
import { createServiceClient } from '@dtplatform/service-client';
import { fixedToken, sendTwice } from '@dtplatform/testing';
import { permissionClient } from './permission-client.js';
import { entryFor, PERMISSIONS, startApp } from './start-app.js';

const here = await startApp();
const there = await here.startInstance();
const platform = await here.as('platform', 'trusted');
const service = createServiceClient({ baseUrl: here.url, token: fixedToken(platform) });
const source = remoteGrants(service);
const cache = createGrantCache({ redis: here.deps.redis, source });
afterAll(async () => {
  await service.close();
  await here.stop();
});

let namespace: string;
let ben: string;
let carla: string;
beforeEach(() => {
  [namespace, ben, carla] = [`tower_${randomUUID()}`, newId(), newId()];
});

const { put, list, remove, ...client } = permissionClient(() => here);
const user = (_id: string) => ({ _type: 'user' as const, _id });
const onFiles = (userId: string, ...actions: string[]) => entryFor(userId, namespace, 'filesvc:file:*', ...actions);
const grant = async (...actions: string[]) => (await put(platform, [onFiles(ben, ...actions)]))._list._success[0]!._id;
const revoke = (id: string) => remove(platform, id).expect(204);
/** Asks as the user itself: the replica caches its grants. */
const may = async (userId: string, action = 'READ', on: { api: typeof here.api } = there) =>
  client.may(await here.as(userId), userId, namespace, { action, on });
const mayByService = async (userId: string, action: 'READ' | 'EDIT' = 'READ') => {
  const { lookup } = await cache.open(user(userId));
  return allows(await lookup.grants(namespace), action, 'filesvc:file:1');
};
const post = (path: string, body: object, authorization = platform) =>
  here.api.post(`${PERMISSIONS}/${path}`).set({ authorization }).send(body);

describe('another replica', () => {
  it('sees every grant and revocation before the request that made it completes', async () => {
    for (let n = 0; n < 15; n++) {
      const id = await grant('READ');
      expect([await may(ben), await may(ben, 'READ', here)]).toEqual([true, true]);
      if (n % 2) await revoke(id);
      else await grant('EDIT');
      expect([await may(ben), await may(ben, 'READ', here)]).toEqual([false, false]);
    }
  });

  it('rejects immediately after a revocation, even under constant checks', async () => {
    const id = await grant('READ');
    let revoked = false;
    let answersAfter = 0;
    const asking = Promise.all(
      Array.from({ length: 4 }, async () => {
        while (answersAfter < 20) {
          const wasRevoked = revoked;
          const allowed = await may(ben);
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
});

it('another service decides by the permissions of this service, and sees changes immediately', async () => {
  const entry = (_irn: string, _id = ben) => ({
    ...{ _namespace: namespace, _resourceDesc: { _irn }, _user: user(_id), _actions: ['READ' as const] },
  });
  expect(await mayByService(ben, 'EDIT')).toBe(false);
  await source.grant([{ ...entry('filesvc:file:1'), _actions: ['*'] }]);
  expect(await mayByService(ben, 'EDIT')).toBe(true);
  expect(await source.namespacesOf(user(ben))).toEqual([namespace]);
  await source.grant(Array.from({ length: 1001 }, (_, n) => entry(`filesvc:file:${n}`)));
  expect(await source.grantsOf(user(ben), namespace)).toHaveLength(1001);
  const limited = { _irn: 'itemsvc:nameduseritem:*', _criteria: { _userType: 'door' } };
  await source.grant([{ ...entry('', carla), _resourceDesc: limited }]);
  expect(await source.grantsOf(user(carla), namespace)).toEqual([{ ...limited, _actions: ['READ'] }]);
  const unknown = entry('filesvc:file:1', 'unknown-1');
  for (const rejected of [unknown, { ...unknown, _namespace: 'a\0b' }])
    await expect(source.grant([rejected])).rejects.toMatchObject({ status: 403 });
  expect(await source.grantsOf(user(ben), 'a\0b')).toEqual([]);
});

describe('closing a namespace', () => {
  const owns = (userId: string, _namespace = namespace) => entryFor(userId, _namespace, '*:*:*', '*');
  const close = () => post('close', { _namespaces: [namespace] });

  it('ends the permissions of all subjects there, in every replica and service, and nowhere else', async () => {
    const open = `open_${randomUUID()}`;
    await put(platform, [owns(carla), onFiles(ben, 'READ'), owns(carla, open)]);
    expect([await may(carla), await may(ben), await mayByService(carla)]).toEqual([true, true, true]);
    await source.close([namespace]);
    expect([await may(carla), await may(ben), await mayByService(carla)]).toEqual([false, false, false]);
    expect(await client.may(platform, carla, open)).toBe(true);
    expect(await source.namespacesOf(user(carla))).toEqual([open]);
    await sendTwice(close);
  });

  it('is permanent: later writes there grant nothing', async () => {
    await close().expect(200);
    await put(platform, [owns(carla)]);
    expect(await may(carla)).toBe(false);
    expect(await source.namespacesOf(user(carla))).toEqual([]);
  });

  it('also applies to grants that are written concurrently', async () => {
    await put(platform, [owns(carla)]);
    const authorization = await here.as(carla);
    const friends = Array.from({ length: 8 }, newId);
    await Promise.all([close().expect(200), ...friends.map((id) => put(authorization, [onFiles(id, 'READ')]))]);
    for (const id of friends) expect(await may(id)).toBe(false);
  });
});

describe('permissions of a group', () => {
  let groupId: string;
  let revision: number;
  beforeEach(async () => {
    [groupId, revision] = [newId(), -1];
    await members(ben);
  });

  const send = (state: object) =>
    here.api
      .put(`${PERMISSIONS}/usergroups/${groupId}`)
      .set({ authorization: platform })
      .send({ _memberIds: [], _namespaces: [], _deleted: false, ...state });
  const members = async (...ids: string[]) => {
    revision += 1;
    const response = await send({ _revision: revision, _memberIds: ids }).expect(200);
    expect(response.body).toEqual({ _revision: revision });
  };
  const ofGroup = (...actions: string[]) => ({
    ...onFiles('', ...actions),
    _user: { _type: 'usergroup', _id: groupId },
  });
  const both = async (action?: string) => [await may(ben, action), await may(carla, action)];

  it('apply to its members, in addition to their own', async () => {
    await put(platform, [ofGroup('READ'), onFiles(ben, 'EDIT')]);
    expect(await both()).toEqual([true, false]);
    expect(await both('EDIT')).toEqual([true, false]);
    expect(await both('DELETE')).toEqual([false, false]);
    expect(await source.namespacesOf(user(ben))).toEqual([namespace]);
  });

  it('apply to a joining user, and no longer to a leaving one, once the call has responded', async () => {
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
    await revoke(_list._success[0]!._id);
    expect(await both()).toEqual([false, false]);
  });

  it('do not reach a user who joins while they are revoked', async () => {
    for (let n = 0; n < 10; n++) {
      await members();
      const [record] = (await put(platform, [ofGroup('READ')]))._list._success;
      const joining = members(ben);
      const asking = may(ben);
      await revoke(record!._id);
      await Promise.all([joining, asking]);
      expect(await may(ben)).toBe(false);
    }
  });

  it('end with the group, as do those on it', async () => {
    const own = `group_${randomUUID()}`;
    const onGroup = entryFor(carla, own, `passportsvc:usergroup:${groupId}`, '*');
    await put(platform, [ofGroup('READ'), onGroup]);
    expect(await both()).toEqual([true, false]);
    await send({ _revision: 9, _namespaces: [own], _deleted: true }).expect(200);
    expect(await both()).toEqual([false, false]);
    const left = [
      list(platform, groupId, namespace, { '_resourceDesc._irn': 'filesvc:file:*', '_user._type': 'usergroup' }),
      list(platform, carla, own, { '_resourceDesc._irn': onGroup._resourceDesc._irn }),
    ];
    for (const listed of left) expect((await listed).body._total).toBe(0);
    // A state that was sent before the deletion and arrives after it.
    await send({ _revision: 8, _memberIds: [ben] }).expect(200);
    expect(await both()).toEqual([false, false]);
  });

  it('ignore a state that arrives after a newer one', async () => {
    await put(platform, [ofGroup('READ')]);
    await send({ _revision: 7, _memberIds: [carla] }).expect(200);
    await send({ _revision: 6, _memberIds: [ben, carla] }).expect(200);
    expect(await both()).toEqual([false, true]);
    const memberOf = (_revision: number) => (_revision === 14 ? ben : carla);
    await Promise.all(
      [11, 14, 12, 13].map((_revision) => send({ _revision, _memberIds: [memberOf(_revision)] }).expect(200)),
    );
    expect(await both()).toEqual([true, false]);
  });
});

describe('Redis', () => {
  const { client: redis } = here.deps.redis;
  const keysFor = (id: string) => redis.keys(`*${id}*`);
  const question = (_user: object) => ({ _user, _action: 'READ', _irn: 'filesvc:file:1', _namespace: namespace });

  it('has no key for subjects that somebody else asks about', async () => {
    const subjects = SubjectType.options.flatMap((_type) =>
      Array.from({ length: 20 }, (_, n) => ({ _type, _id: `nobody-${n}-${ben}` })),
    );
    await post('check', subjects.map(question)).expect(200);
    for (const _user of subjects.slice(0, 3)) {
      await post('grants', { _user, _namespace: namespace }).expect(200);
      await post('namespaces', { _user }).expect(200);
    }
    expect([await keysFor(ben), await keysFor(namespace)]).toEqual([[], []]);
  });

  it('has no key for subjects that were granted something and never called', async () => {
    const { _list } = await put(platform, [onFiles(ben, 'READ'), onFiles(`unknown-${ben}`, 'READ')]);
    expect(_list._success).toHaveLength(1);
    await post('check', [question(user(ben))]).expect(200);
    await revoke(_list._success[0]!._id);
    expect([await keysFor(ben), await keysFor(namespace)]).toEqual([[], []]);
  });

  it('keeps the epoch of a caller for an hour', async () => {
    await may(ben);
    expect(await keysFor(ben)).toEqual([accessKeys.epoch(user(ben))]);
    const ttl = await redis.ttl(accessKeys.epoch(user(ben)));
    expect(ttl).toBeGreaterThan(3500);
    expect(ttl).toBeLessThanOrEqual(3600);
  });
});
