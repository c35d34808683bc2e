import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '@dtplatform/mongo';
import { setUpNamespaces } from './permission-client.js';
import type { Stored } from './permission-client.js';
import { entryFor, PERMISSIONS } from './start-app.js';
import type { Entry } from './start-app.js';

const namespaces = setUpNamespaces();

describe('revocation by callers', () => {
  const { here, list, remove, ...client } = namespaces;

  /** Ben may grant READ and SHARE on everything in the namespace. */
  beforeEach(() => client.put(here.platform, [entryFor(here.benId, here.namespace, '*:*:*', 'READ', 'SHARE')]));

  const owns = (userId: string) => entryFor(userId, here.namespace, '*:*:*', '*');
  const reads = (userId: string) => entryFor(userId, here.namespace, '*:*:*', 'READ');
  const ofDora = (...actions: string[]) => entryFor('dora', here.namespace, 'filesvc:file:1', ...actions);
  const put = async (authorization: string, entries: Entry[]) => (await client.put(authorization, entries))._list;
  const recordOf = async (userId: string, irn = '*:*:*') => {
    const { body } = await list(here.platform, userId, here.namespace, { '_resourceDesc._irn': irn }).expect(200);
    return body._list[0] as Stored | undefined;
  };
  const actionsOf = async (userId: string, irn?: string) => (await recordOf(userId, irn))?._actions;
  const codes = (list: { code: string }[]) => list.map(({ code }) => code);

  describe('a caller that does not hold an action', () => {
    it('cannot revoke it by replacing the record; the other entries of the request are written', async () => {
      const { _success, _failures } = await put(here.ben, [reads(here.ownerId), reads('dora'), owns('dora')]);
      expect(_success).toMatchObject([reads('dora')]);
      expect(_failures).toMatchObject([
        { ...reads(here.ownerId), _index: 0, code: 'MAY_NOT_REVOKE' },
        { _index: 2, code: 'MAY_NOT_GRANT' },
      ]);
      expect(await actionsOf(here.ownerId)).toEqual(['*']);
    });

    it('cannot revoke it by several entries for one record', async () => {
      await put(here.owner, [ofDora('READ', 'EDIT')]);
      const less = [ofDora('SHARE'), ofDora('READ')];
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
      await put(here.owner, [ofDora('READ', 'SHARE')]);
      for (const entry of [ofDora('READ'), ofDora('READ', 'SHARE')])
        expect((await put(here.ben, [entry]))._success).toHaveLength(1);
      await remove(here.ben, (await recordOf('dora', 'filesvc:file:1'))!._id).expect(204);
    });
  });

  describe('the last permission on everything in a namespace', () => {
    it('cannot be removed or replaced by a lesser one, not even by its owner or the platform', async () => {
      const { _id } = (await recordOf(here.ownerId))!;
      for (const caller of [here.owner, here.platform]) {
        expect((await remove(caller, _id).expect(403)).body.code).toBe('LAST_OWNER');
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

    const takeByDelete = async ({ _id }: Stored) => (await remove(here.platform, _id)).status === 204;
    const takeByPut = async ({ _user }: Stored) => (await put(here.platform, [reads(_user._id)]))._success.length === 1;
    it.each<[string, (record: Stored, n: number) => Promise<boolean>]>([
      ['deletes', takeByDelete],
      ['replacements', takeByPut],
      ['deletes and replacements', (record, n) => (n % 2 ? takeByDelete : takeByPut)(record)],
    ])('remains after concurrent %s of each of them', async (_what, take) => {
      for (let round = 0; round < 5; round++) {
        const owners = [here.ownerId, ...Array.from({ length: 3 }, (_, n) => `owner-${n}`)];
        const { _success: records } = await put(here.platform, owners.map(owns));
        const taken = await Promise.all(records.map(take));
        expect(taken.filter(Boolean)).toHaveLength(owners.length - 1);
        const left = await Promise.all(owners.map((id) => actionsOf(id)));
        expect(left.filter((actions) => actions?.[0] === '*')).toHaveLength(1);
      }
    });
  });
});

describe('a deleted user', () => {
  const { here, put, may } = namespaces;
  const remove = (id: string) =>
    here.app.api.delete(`${PERMISSIONS}/users/${id}`).set({ authorization: here.platform });
  const recordsOf = (id: string) =>
    here.app.mongo.db.collection('permissions').find({ '_user._id': id }).sort({ _namespace: 1 }).toArray();
  const owns = (userId: string, namespace = here.namespace) => entryFor(userId, namespace, '*:*:*', '*');

  it('has no permissions in any namespace; others keep theirs', async () => {
    const other = `other_${randomUUID()}`;
    const files = Array.from({ length: 250 }, (_, n) =>
      entryFor(here.benId, here.namespace, `filesvc:file:${n}`, 'READ'),
    );
    await put(here.platform, files);
    await put(here.platform, [entryFor(here.benId, other, '*:*:*', 'READ'), entryFor('carla', other, '*:*:*', 'READ')]);
    const group = { ...entryFor('', other, '*:*:*', 'READ'), _user: { _type: 'permprofile', _id: here.benId } };
    await put(here.platform, [group]);
    // Asked by the user itself, so that the service caches its grants.
    expect(await may(here.ben, here.benId, here.namespace)).toBe(true);

    await remove(here.benId).expect(204);
    expect(await may(here.ben, here.benId, here.namespace)).toBe(false);
    expect(await may(here.platform, here.benId, other)).toBe(false);
    expect(await may(here.platform, 'carla', other)).toBe(true);
    expect(await may(here.platform, here.ownerId, here.namespace)).toBe(true);
    expect((await recordsOf(here.benId)).map(({ _user }) => _user._type)).toEqual(['permprofile']);
    await remove(here.benId).expect(204);
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
    const owners = [here.ownerId, ...Array.from({ length: 6 }, newId)];
    const entries = owners.map((id) => owns(id));
    await put(here.platform, entries);
    await Promise.all(owners.map((id) => remove(id).expect(204)));
    const left = await Promise.all(owners.map(recordsOf));
    expect(left.flat()).toHaveLength(1);
  });
});

describe('a deleted permission profile', () => {
  const { here, put, may } = namespaces;
  const remove = (id: string) =>
    here.app.api
      .delete(`${PERMISSIONS}/permissionprofiles/${id}`)
      .set({ authorization: here.platform })
      .send({ _namespaces: [here.namespace] });
  const recordsWith = (filter: object) => here.app.mongo.db.collection('permissions').countDocuments(filter);
  const heldBy = (id: string) => recordsWith({ '_user._id': id });
  const irnOf = (id: string) => `passportsvc:permissionprofile:${id}`;
  const onIt = (id: string) => recordsWith({ '_resourceDesc._irn': irnOf(id) });
  const held = (_id: string, irn: string) => ({
    ...entryFor('', here.namespace, irn, 'READ'),
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
});
