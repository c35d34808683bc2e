import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '@dtplatform/mongo';
import { allows, createGrantCache, remoteGrants } from '@dtplatform/permissions';
import { createServiceClient } from '@dtplatform/service-client';
import { fixedToken, sendTwice } from '@dtplatform/testing';
import { setUpNamespaces } from './permission-client.js';
import type { Stored } from './permission-client.js';
import { entryFor, PERMISSIONS } from './start-app.js';
import type { Entry, TestApp } from './start-app.js';

const namespaces = setUpNamespaces();

describe('revocation by callers', () => {
  const { here, list, remove, ...client } = namespaces;

  /** Ben may grant READ and SHARE on everything in the namespace. */
  beforeEach(() => client.put(here.platform, [entryFor(here.benId, here.namespace, '*:*:*', 'READ', 'SHARE')]));

  const owns = (userId: string) => entryFor(userId, here.namespace, '*:*:*', '*');
  const reads = (userId: string) => entryFor(userId, here.namespace, '*:*:*', 'READ');
  const put = async (authorization: string, entries: Entry[]) => (await client.put(authorization, entries))._list;
  const recordOf = async (userId: string, irn = '*:*:*') => {
    const { body } = await list(here.platform, userId, here.namespace, { '_resourceDesc._irn': irn }).expect(200);
    return body._list[0] as Stored | undefined;
  };
  const actionsOf = async (userId: string, irn?: string) => (await recordOf(userId, irn))?._actions;
  const codes = (list: { code: string }[]) => list.map(({ code }) => code);

  describe('a caller that does not hold an action', () => {
    it('cannot revoke it by replacing the record', async () => {
      const { _success, _failures } = await put(here.ben, [reads(here.ownerId)]);
      expect(_success).toEqual([]);
      expect(_failures).toMatchObject([{ ...reads(here.ownerId), _index: 0, code: 'MAY_NOT_REVOKE' }]);
      expect(await actionsOf(here.ownerId)).toEqual(['*']);
    });

    it('cannot revoke it by several entries for one record', async () => {
      await put(here.owner, [entryFor('dora', here.namespace, 'filesvc:file:1', 'READ', 'EDIT')]);
      const less = ['SHARE', 'READ'].map((action) => entryFor('dora', here.namespace, 'filesvc:file:1', action));
      expect(codes((await put(here.ben, less))._failures)).toEqual(['MAY_NOT_REVOKE', 'MAY_NOT_REVOKE']);
      expect(await actionsOf('dora', 'filesvc:file:1')).toEqual(['READ', 'EDIT']);
    });

    it('cannot revoke it by deleting the record', async () => {
      await put(here.owner, [owns('second')]);
      const response = await remove(here.ben, (await recordOf(here.ownerId))!._id).expect(403);
      expect(response.body.code).toBe('MAY_NOT_REVOKE');
      expect(await actionsOf(here.ownerId)).toEqual(['*']);
    });

    it('can add to a record and revoke what it holds', async () => {
      await put(here.owner, [entryFor('dora', here.namespace, 'filesvc:file:1', 'READ', 'SHARE')]);
      expect((await put(here.ben, [entryFor('dora', here.namespace, 'filesvc:file:1', 'READ')]))._success).toHaveLength(
        1,
      );
      await put(here.ben, [entryFor('dora', here.namespace, 'filesvc:file:1', 'READ', 'SHARE')]);
      await remove(here.ben, (await recordOf('dora', 'filesvc:file:1'))!._id).expect(204);
    });

    it('writes the other entries of the request', async () => {
      const { _success, _failures } = await put(here.ben, [reads(here.ownerId), reads('dora'), owns('dora')]);
      expect(_success).toMatchObject([reads('dora')]);
      expect(_failures.map(({ _index, code }) => [_index, code])).toEqual([
        [0, 'MAY_NOT_REVOKE'],
        [2, 'MAY_NOT_GRANT'],
      ]);
    });
  });

  describe('the last permission on everything in a namespace', () => {
    const ownersAmong = async (ids: string[]) =>
      (await Promise.all(ids.map((id) => actionsOf(id)))).filter((actions) => actions?.[0] === '*').length;

    it('cannot be removed, not even by its owner or the platform', async () => {
      const { _id } = (await recordOf(here.ownerId))!;
      for (const caller of [here.owner, here.platform]) {
        expect((await remove(caller, _id).expect(403)).body.code).toBe('LAST_OWNER');
      }
      expect(await actionsOf(here.ownerId)).toEqual(['*']);
    });

    it('cannot be replaced by a lesser one', async () => {
      for (const caller of [here.owner, here.platform]) {
        const { _success, _failures } = await put(caller, [reads(here.ownerId)]);
        expect([_success, codes(_failures)]).toEqual([[], ['LAST_OWNER']]);
      }
      expect((await put(here.owner, [owns(here.ownerId)]))._success).toHaveLength(1);
      expect(await actionsOf(here.ownerId)).toEqual(['*']);
    });

    it('can be handed over', async () => {
      const { _success } = await put(here.owner, [owns('heir'), reads(here.ownerId)]);
      expect(_success).toHaveLength(2);
      expect([await actionsOf('heir'), await actionsOf(here.ownerId)]).toEqual([['*'], ['READ']]);
    });

    it('is counted per namespace, and only on everything', async () => {
      const elsewhere = { ...owns(here.ownerId), _namespace: `other_${here.namespace}` };
      await put(here.platform, [elsewhere, entryFor('dora', here.namespace, 'filesvc:*:*', '*')]);
      expect(codes((await put(here.owner, [reads(here.ownerId)]))._failures)).toEqual(['LAST_OWNER']);
      await remove(here.owner, (await recordOf('dora', 'filesvc:*:*'))!._id).expect(204);
    });

    it('remains when one request replaces all of them', async () => {
      await put(here.owner, [owns('second'), owns('third')]);
      const { _success, _failures } = await put(here.owner, [reads(here.ownerId), reads('second'), reads('third')]);
      expect([_success.length, codes(_failures)]).toEqual([2, ['LAST_OWNER']]);
      expect(await actionsOf('third')).toEqual(['*']);
    });

    it.each<[string, (record: Stored) => Promise<boolean>]>([
      ['deletes', async ({ _id }) => (await remove(here.platform, _id)).status === 204],
      ['replacements', async ({ _user }) => (await put(here.platform, [reads(_user._id)]))._success.length === 1],
    ])('remains after concurrent %s of each of them', async (_what, take) => {
      for (let round = 0; round < 5; round++) {
        const owners = [here.ownerId, ...Array.from({ length: 3 }, (_, n) => `owner-${n}`)];
        const { _success: records } = await put(here.platform, owners.map(owns));
        const taken = await Promise.all(records.map(take));
        expect(taken.filter(Boolean)).toHaveLength(owners.length - 1);
        expect(await ownersAmong(owners)).toBe(1);
      }
    });

    it('remains when one request deletes and another replaces', async () => {
      for (let round = 0; round < 5; round++) {
        const { _success } = await put(here.platform, [owns(here.ownerId), owns('second')]);
        await Promise.all([remove(here.platform, _success[0]!._id), put(here.platform, [reads('second')])]);
        expect(await ownersAmong([here.ownerId, 'second'])).toBe(1);
      }
    });
  });
});

describe('a deleted user', () => {
  const { here, put, may } = namespaces;
  const remove = (id: string, authorization = here.platform) =>
    here.app.api.delete(`${PERMISSIONS}/users/${id}`).set({ authorization });
  const recordsOf = (id: string) =>
    here.app.mongo.db.collection('permissions').find({ '_user._id': id }).sort({ _namespace: 1 }).toArray();
  const owns = (userId: string, namespace = here.namespace) => entryFor(userId, namespace, '*:*:*', '*');

  it('has no permissions in any namespace and replica; others keep theirs', async () => {
    const there = await here.app.startInstance();
    const other = `other_${randomUUID()}`;
    const files = Array.from({ length: 250 }, (_, n) =>
      entryFor(here.benId, here.namespace, `filesvc:file:${n}`, 'READ'),
    );
    await put(here.platform, files);
    await put(here.platform, [entryFor(here.benId, other, '*:*:*', 'READ'), entryFor('carla', other, '*:*:*', 'READ')]);
    const group = { ...entryFor('', other, '*:*:*', 'READ'), _user: { _type: 'permprofile', _id: here.benId } };
    await put(here.platform, [group]);
    expect(await may(here.platform, here.benId, here.namespace, { on: there })).toBe(true);

    await remove(here.benId).expect(204);
    expect(await may(here.platform, here.benId, here.namespace, { on: there })).toBe(false);
    expect(await may(here.platform, here.benId, other)).toBe(false);
    expect(await may(here.platform, 'carla', other)).toBe(true);
    expect(await may(here.platform, here.ownerId, here.namespace)).toBe(true);
    expect((await recordsOf(here.benId)).map(({ _user }) => _user._type)).toEqual(['permprofile']);
    await remove(here.benId).expect(204);
    await there.stop();
  });

  it('is removed as an owner if there is another one; the record of the last owner stays', async () => {
    const shared = `shared_${randomUUID()}`;
    await put(here.platform, [owns(here.ownerId, shared), owns('second', shared)]);
    await put(here.platform, [entryFor(here.ownerId, here.namespace, 'filesvc:file:1', 'READ')]);
    for (let n = 0; n < 2; n++) {
      await remove(here.ownerId).expect(204);
      expect(await recordsOf(here.ownerId)).toEqual([
        expect.objectContaining({ _namespace: here.namespace, _resourceDesc: { _irn: '*:*:*' }, _actions: ['*'] }),
      ]);
    }
    // Somebody else takes the namespace over.
    await put(here.platform, [owns('successor')]);
    await remove(here.ownerId).expect(204);
    expect(await recordsOf(here.ownerId)).toEqual([]);
  });

  it('leaves one owner when all owners are deleted concurrently', async () => {
    const owners = Array.from({ length: 6 }, () => `owner-${randomUUID()}`);
    await put(
      here.platform,
      owners.map((id) => owns(id)),
    );
    await Promise.all([here.ownerId, ...owners].map((id) => remove(id).expect(204)));
    const left = await Promise.all([here.ownerId, ...owners].map(recordsOf));
    expect(left.flat()).toHaveLength(1);
  });
});

describe('a deleted permission profile', () => {
  const { here, put, may } = namespaces;
  const remove = (id: string, authorization = here.platform, _namespaces = [here.namespace]) =>
    here.app.api.delete(`${PERMISSIONS}/permissionprofiles/${id}`).set({ authorization }).send({ _namespaces });
  const recordsWith = (filter: object) => here.app.mongo.db.collection('permissions').countDocuments(filter);
  const heldBy = (id: string) => recordsWith({ '_user._id': id });
  const irnOf = (id: string) => `passportsvc:permissionprofile:${id}`;
  const onIt = (id: string) => recordsWith({ '_resourceDesc._irn': irnOf(id) });
  const held = (_id: string, irn: string, action = 'READ') => ({
    ...entryFor('', here.namespace, irn, action),
    _user: { _type: 'permprofile', _id },
  });

  it('has no permissions, and nobody has permissions on it; others keep theirs', async () => {
    const [gone, kept] = [newId(), newId()];
    const elsewhere = { ...held(gone, 'filesvc:file:1'), _namespace: `other_${here.namespace}` };
    const files = Array.from({ length: 150 }, (_, n) => held(gone, `filesvc:file:${n}`));
    await put(here.platform, [...files, elsewhere, held(kept, 'filesvc:file:1')]);
    const users = Array.from({ length: 150 }, (_, n) => entryFor(`user-${n}`, here.namespace, irnOf(gone), 'ASSIGN'));
    await put(here.platform, [...users, entryFor(here.benId, here.namespace, irnOf(kept), 'ASSIGN')]);

    await remove(gone).expect(204);
    expect([await heldBy(gone), await onIt(gone)]).toEqual([0, 0]);
    expect([await heldBy(kept), await onIt(kept)]).toEqual([1, 1]);
    expect(await may(here.platform, here.ownerId, here.namespace)).toBe(true);
    expect(await may(here.platform, 'user-7', here.namespace, { action: 'ASSIGN', irn: irnOf(gone) })).toBe(false);
    await remove(gone).expect(204);
  });

  it('keeps the last owner record of a namespace', async () => {
    const id = newId();
    const own = { ...held(id, '*:*:*', '*'), _namespace: `own_${here.namespace}` };
    await put(here.platform, [own, held(id, '*:*:*', '*')]);
    await remove(id).expect(204);
    expect(await recordsWith({ '_user._id': id, _namespace: own._namespace })).toBe(1);
    expect(await heldBy(id)).toBe(1);
  });
});

describe('closing namespaces', () => {
  const { here, put, ...client } = namespaces;
  const close = (namespace: string) =>
    here.app.api
      .post(`${PERMISSIONS}/close`)
      .set({ authorization: here.platform })
      .send({ _namespaces: [namespace] });
  const may = (userId: string, namespace: string, on: Pick<TestApp, 'api'> = here.app) =>
    client.may(here.platform, userId, namespace, { on });

  it('ends the permissions of all subjects there, in every replica and service, and nowhere else', async () => {
    const [closed, open] = [`closed_${randomUUID()}`, `open_${randomUUID()}`];
    await put(here.platform, [
      entryFor('olga', closed, '*:*:*', '*'),
      entryFor('ben', closed, 'filesvc:file:1', 'READ'),
      entryFor('olga', open, '*:*:*', '*'),
    ]);
    const there = await here.app.startInstance();
    const service = createServiceClient({ baseUrl: here.app.url, token: fixedToken(here.platform) });
    const source = remoteGrants(service);
    const cache = createGrantCache({ redis: here.app.deps.redis.client, source });
    const isOwner = async () => {
      const { lookup } = await cache.open({ _type: 'user', _id: 'olga' });
      return allows(await lookup.grants(closed), '*', 'itemsvc:nameduseritem:1');
    };
    try {
      expect([await may('olga', closed), await may('ben', closed, there), await isOwner()]).toEqual([true, true, true]);
      await source.close([closed]);
      expect([await may('olga', closed), await may('ben', closed, there), await isOwner()]).not.toContain(true);
      expect(await may('olga', open)).toBe(true);
      expect(await source.namespacesOf({ _type: 'user', _id: 'olga' })).toEqual([open]);
      await source.close([closed]);
      await sendTwice(() => close(closed));
    } finally {
      await service.close();
      await there.stop();
    }
  });

  it('is permanent: later writes there grant nothing', async () => {
    const namespace = `closed_${randomUUID()}`;
    await close(namespace).expect(200);
    await put(here.platform, [entryFor('carl', namespace, '*:*:*', '*')]);
    expect(await may('carl', namespace)).toBe(false);
    const ask = here.app.api.post(`${PERMISSIONS}/namespaces`).set({ authorization: here.platform });
    const { body } = await ask.send({ _user: { _type: 'user', _id: 'carl' } }).expect(200);
    expect(body._list).toEqual([]);
  });

  it('also applies to grants that are written concurrently', async () => {
    const namespace = `raced_${randomUUID()}`;
    const olga = await here.app.as('olga');
    await put(here.platform, [entryFor('olga', namespace, '*:*:*', '*')]);
    await Promise.all([
      close(namespace).expect(200),
      ...Array.from({ length: 8 }, (_, n) => put(olga, [entryFor(`friend-${n}`, namespace, '*:*:*', 'READ')])),
    ]);
    for (let n = 0; n < 8; n++) expect(await may(`friend-${n}`, namespace)).toBe(false);
  });
});
