import { randomUUID } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '@dtplatform/mongo';
import { permissionClient } from './permission-client.js';
import { entryFor, PERMISSIONS, startApp } from './start-app.js';

const here = await startApp();
const there = await here.startInstance();
const platform = await here.as('platform', 'trusted');
afterAll(() => here.stop());

describe('permissions of a group', () => {
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
    const response = await send({ _revision: revision, _memberIds: ids }).expect(200);
    expect(response.body).toEqual({ _revision: revision });
  };
  const ofGroup = (...actions: string[]) => ({
    ...entryFor('', namespace, 'filesvc:file:*', ...actions),
    _user: { _type: 'usergroup', _id: groupId },
  });
  const may = (userId: string, action = 'READ') => client.may(platform, userId, namespace, { action, on: there });
  /** Makes requests of both users, so that the other replica has cached their grants. */
  const both = async (action?: string) => {
    for (const id of [ben, carla]) {
      await there.api.get(PERMISSIONS).set({ authorization: await here.as(id) });
    }
    return [await may(ben, action), await may(carla, action)];
  };

  it('apply to its members, in addition to their own', async () => {
    await put(platform, [ofGroup('READ'), entryFor(ben, namespace, 'filesvc:file:1', 'EDIT')]);
    expect(await both()).toEqual([true, false]);
    expect(await both('EDIT')).toEqual([true, false]);
    expect(await both('DELETE')).toEqual([false, false]);
    const ask = here.api.post(`${PERMISSIONS}/namespaces`).set({ authorization: platform });
    const namespaces = await ask.send({ _user: { _type: 'user', _id: ben } }).expect(200);
    expect(namespaces.body._list).toEqual([namespace]);
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
    await remove(platform, _list._success[0]!._id).expect(204);
    expect(await both()).toEqual([false, false]);
  });

  it('reach a user who joins while they are revoked', async () => {
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

  it('end with the group, as do those on it', async () => {
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
    // A state that was sent before the deletion and arrives after it.
    await send({ _revision: 8, _memberIds: [ben] }).expect(200);
    expect(await both()).toEqual([false, false]);
  });

  it('ignore a state that arrives after a newer one', async () => {
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
});
