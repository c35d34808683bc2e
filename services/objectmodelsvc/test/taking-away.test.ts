import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { permissionClient } from './permission-client.js';
import type { Stored } from './permission-client.js';
import { entryFor, PERMISSIONS, startApp } from './start-app.js';
import type { Entry, TestApp } from './start-app.js';

let app: TestApp;
let platform: string;
let owner: string;
let ownerId: string;
/** May grant READ and SHARE on everything in the namespace. */
let guest: string;
let guestId: string;
let namespace: string;

beforeAll(async () => {
  app = await startApp();
  platform = await app.as('platform', 'trusted');
});
afterAll(() => app.stop());
beforeEach(async () => {
  const unique = randomUUID().slice(0, 8);
  [namespace, ownerId, guestId] = [`tower_${unique}`, `olga-${unique}`, `gus-${unique}`];
  [owner, guest] = [await app.as(ownerId), await app.as(guestId)];
  await put(platform, [owns(ownerId), entryFor(guestId, namespace, '*:*:*', 'READ', 'SHARE')]);
});

const owns = (userId: string) => entryFor(userId, namespace, '*:*:*', '*');
const reads = (userId: string) => entryFor(userId, namespace, '*:*:*', 'READ');
const { list, remove, ...client } = permissionClient(() => app);
const put = async (authorization: string, entries: Entry[]) => (await client.put(authorization, entries))._list;
const recordOf = async (userId: string, irn = '*:*:*') => {
  const { body } = await list(platform, userId, namespace, { '_resourceDesc._irn': irn }).expect(200);
  return body._list[0] as Stored | undefined;
};
const actionsOf = async (userId: string, irn?: string) => (await recordOf(userId, irn))?._actions;
const codes = (list: { code: string }[]) => list.map(({ code }) => code);

describe('a caller that does not hold an action', () => {
  it('cannot take it away by replacing the record', async () => {
    const { _success, _failures } = await put(guest, [reads(ownerId)]);
    expect(_success).toEqual([]);
    expect(_failures).toMatchObject([{ ...reads(ownerId), _index: 0, code: 'MAY_NOT_REVOKE' }]);
    expect(await actionsOf(ownerId)).toEqual(['*']);
  });

  it('cannot take it away by several entries for one record', async () => {
    await put(owner, [entryFor('dora', namespace, 'filesvc:file:1', 'READ', 'EDIT')]);
    const less = [
      entryFor('dora', namespace, 'filesvc:file:1', 'SHARE'),
      entryFor('dora', namespace, 'filesvc:file:1', 'READ'),
    ];
    expect(codes((await put(guest, less))._failures)).toEqual(['MAY_NOT_REVOKE', 'MAY_NOT_REVOKE']);
    expect(await actionsOf('dora', 'filesvc:file:1')).toEqual(['READ', 'EDIT']);
  });

  it('cannot take it away by deleting the record', async () => {
    await put(owner, [owns('second')]);
    const reply = await remove(guest, (await recordOf(ownerId))!._id).expect(403);
    expect(reply.body.code).toBe('MAY_NOT_REVOKE');
    expect(await actionsOf(ownerId)).toEqual(['*']);
  });

  it('can add to a record and take away what it holds', async () => {
    await put(owner, [entryFor('dora', namespace, 'filesvc:file:1', 'READ', 'SHARE')]);
    expect((await put(guest, [entryFor('dora', namespace, 'filesvc:file:1', 'READ')]))._success).toHaveLength(1);
    await put(guest, [entryFor('dora', namespace, 'filesvc:file:1', 'READ', 'SHARE')]);
    await remove(guest, (await recordOf('dora', 'filesvc:file:1'))!._id).expect(204);
  });

  it('writes the other entries of the request', async () => {
    const { _success, _failures } = await put(guest, [reads(ownerId), reads('dora'), owns('dora')]);
    expect(_success).toMatchObject([reads('dora')]);
    expect(_failures.map(({ _index, code }) => [_index, code])).toEqual([
      [0, 'MAY_NOT_REVOKE'],
      [2, 'MAY_NOT_GRANT'],
    ]);
  });
});

describe('the last permission for everything in a namespace', () => {
  it('cannot be removed, not even by its owner or the platform', async () => {
    const { _id } = (await recordOf(ownerId))!;
    for (const caller of [owner, platform]) {
      expect((await remove(caller, _id).expect(403)).body.code).toBe('LAST_OWNER');
    }
    expect(await actionsOf(ownerId)).toEqual(['*']);
  });

  it('cannot be replaced by one for less', async () => {
    for (const caller of [owner, platform]) {
      expect(await put(caller, [reads(ownerId)])).toMatchObject({ _success: [], _failures: [{ code: 'LAST_OWNER' }] });
    }
    expect((await put(owner, [owns(ownerId)]))._success).toHaveLength(1);
    expect(await actionsOf(ownerId)).toEqual(['*']);
  });

  it('can be handed over', async () => {
    const { _success } = await put(owner, [owns('heir'), reads(ownerId)]);
    expect(_success).toHaveLength(2);
    expect([await actionsOf('heir'), await actionsOf(ownerId)]).toEqual([['*'], ['READ']]);
  });

  it('is counted in each namespace by itself, and only on everything', async () => {
    const elsewhere = { ...owns(ownerId), _namespace: `other_${namespace}` };
    await put(platform, [elsewhere, entryFor('dora', namespace, 'filesvc:*:*', '*')]);
    expect(codes((await put(owner, [reads(ownerId)]))._failures)).toEqual(['LAST_OWNER']);
    await remove(owner, (await recordOf('dora', 'filesvc:*:*'))!._id).expect(204);
  });

  it('remains when one request replaces all of them', async () => {
    await put(owner, [owns('second'), owns('third')]);
    const { _success, _failures } = await put(owner, [reads(ownerId), reads('second'), reads('third')]);
    expect([_success.length, codes(_failures)]).toEqual([2, ['LAST_OWNER']]);
    expect(await actionsOf('third')).toEqual(['*']);
  });

  it.each<[string, (record: Stored) => Promise<boolean>]>([
    ['deletes', async ({ _id }) => (await remove(platform, _id)).status === 204],
    ['replacements', async ({ _user }) => (await put(platform, [reads(_user._id)]))._success.length === 1],
  ])('remains after concurrent %s of each of them', async (_what, take) => {
    for (let round = 0; round < 5; round++) {
      const owners = [ownerId, ...Array.from({ length: 3 }, (_, n) => `owner-${n}`)];
      const { _success: records } = await put(platform, owners.map(owns));
      const taken = await Promise.all(records.map(take));
      expect(taken.filter(Boolean)).toHaveLength(owners.length - 1);
      const left = (await Promise.all(owners.map((each) => actionsOf(each)))).filter((actions) => actions?.[0] === '*');
      expect(left).toHaveLength(1);
    }
  });

  it('remains when one request deletes and another replaces', async () => {
    for (let round = 0; round < 5; round++) {
      const { _success } = await put(platform, [owns(ownerId), owns('second')]);
      await Promise.all([remove(platform, _success[0]!._id), put(platform, [reads('second')])]);
      const left = [await actionsOf(ownerId), await actionsOf('second')].filter((actions) => actions?.[0] === '*');
      expect(left).toHaveLength(1);
    }
  });
});

describe('permissions with criteria', () => {
  it.each<[string, object]>([
    ['_criteria', { _resourceDesc: { _irn: 'itemsvc:nameduseritem:*', _criteria: { _userType: 'door' } } }],
    [
      '_subresourceDesc',
      { _resourceDesc: { _irn: 'itemsvc:nameduseritem:1', _subresourceDesc: { _type: 'relateditem' } } },
    ],
    ['_criteria', { _criteria: { _userType: 'door' } }],
  ])('are refused because of their %s', async (field, more) => {
    const narrowed = { ...entryFor('dora', namespace, 'itemsvc:nameduseritem:*', 'READ'), ...more };
    const { _success, _failures } = await put(owner, [narrowed, reads('dora')]);
    expect(_success).toMatchObject([reads('dora')]);
    expect(_failures).toMatchObject([{ ...narrowed, _index: 0, code: 'CRITERIA_NOT_SUPPORTED' }]);
    expect(_failures[0]!.message).toContain(field);
  });

  it('grant nothing where another version has stored them', async () => {
    const stored = {
      ...entryFor('dora', namespace, 'itemsvc:nameduseritem:*', 'READ'),
      _id: randomUUID().replaceAll('-', '').slice(0, 24),
      _metadata: { _createdAt: 1, _updatedAt: 1, _createdById: 'x', _updatedById: 'x' },
      _revision: 1,
    };
    const narrowed = { ...stored, _resourceDesc: { ...stored._resourceDesc, _criteria: { _userType: 'door' } } };
    await app.mongo.db.collection<{ _id: string }>('permissions').insertOne(narrowed);
    const _user = { _type: 'user', _id: 'dora' };
    const question = { _user, _action: 'READ', _irn: 'itemsvc:nameduseritem:1', _namespace: namespace };
    const ask = (path: string, body: object) =>
      app.api.post(`${PERMISSIONS}/${path}`).set({ authorization: platform }).send(body).expect(200);
    expect((await ask('check', [question])).body._list[0]._allowed).toBe(false);
    expect((await ask('grants', { _user, _namespace: namespace })).body._list).toEqual([]);
  });
});
