import { beforeEach, describe, expect, it } from '@jest/globals';
import { setUpNamespaces } from './permission-client.js';
import type { Stored } from './permission-client.js';
import { entryFor } from './start-app.js';
import type { Entry } from './start-app.js';

const { here, list, remove, ...client } = setUpNamespaces();

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
  it('cannot take it away by replacing the record', async () => {
    const { _success, _failures } = await put(here.ben, [reads(here.ownerId)]);
    expect(_success).toEqual([]);
    expect(_failures).toMatchObject([{ ...reads(here.ownerId), _index: 0, code: 'MAY_NOT_REVOKE' }]);
    expect(await actionsOf(here.ownerId)).toEqual(['*']);
  });

  it('cannot take it away by several entries for one record', async () => {
    await put(here.owner, [entryFor('dora', here.namespace, 'filesvc:file:1', 'READ', 'EDIT')]);
    const less = [
      entryFor('dora', here.namespace, 'filesvc:file:1', 'SHARE'),
      entryFor('dora', here.namespace, 'filesvc:file:1', 'READ'),
    ];
    expect(codes((await put(here.ben, less))._failures)).toEqual(['MAY_NOT_REVOKE', 'MAY_NOT_REVOKE']);
    expect(await actionsOf('dora', 'filesvc:file:1')).toEqual(['READ', 'EDIT']);
  });

  it('cannot take it away by deleting the record', async () => {
    await put(here.owner, [owns('second')]);
    const reply = await remove(here.ben, (await recordOf(here.ownerId))!._id).expect(403);
    expect(reply.body.code).toBe('MAY_NOT_REVOKE');
    expect(await actionsOf(here.ownerId)).toEqual(['*']);
  });

  it('can add to a record and take away what it holds', async () => {
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

describe('the last permission for everything in a namespace', () => {
  it('cannot be removed, not even by its owner or the platform', async () => {
    const { _id } = (await recordOf(here.ownerId))!;
    for (const caller of [here.owner, here.platform]) {
      expect((await remove(caller, _id).expect(403)).body.code).toBe('LAST_OWNER');
    }
    expect(await actionsOf(here.ownerId)).toEqual(['*']);
  });

  it('cannot be replaced by one for less', async () => {
    for (const caller of [here.owner, here.platform]) {
      expect(await put(caller, [reads(here.ownerId)])).toMatchObject({
        _success: [],
        _failures: [{ code: 'LAST_OWNER' }],
      });
    }
    expect((await put(here.owner, [owns(here.ownerId)]))._success).toHaveLength(1);
    expect(await actionsOf(here.ownerId)).toEqual(['*']);
  });

  it('can be handed over', async () => {
    const { _success } = await put(here.owner, [owns('heir'), reads(here.ownerId)]);
    expect(_success).toHaveLength(2);
    expect([await actionsOf('heir'), await actionsOf(here.ownerId)]).toEqual([['*'], ['READ']]);
  });

  it('is counted in each namespace by itself, and only on everything', async () => {
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
      const left = (await Promise.all(owners.map((each) => actionsOf(each)))).filter((actions) => actions?.[0] === '*');
      expect(left).toHaveLength(1);
    }
  });

  it('remains when one request deletes and another replaces', async () => {
    for (let round = 0; round < 5; round++) {
      const { _success } = await put(here.platform, [owns(here.ownerId), owns('second')]);
      await Promise.all([remove(here.platform, _success[0]!._id), put(here.platform, [reads('second')])]);
      const left = [await actionsOf(here.ownerId), await actionsOf('second')].filter((actions) => actions?.[0] === '*');
      expect(left).toHaveLength(1);
    }
  });
});
