import { describe, expect, it } from '@jest/globals';
import { remoteGrants } from '@dtplatform/permissions';
import { createServiceClient } from '@dtplatform/service-client';
import { fixedToken } from '@dtplatform/testing';
import { setUpNamespaces } from './permission-client.js';
import { entryFor, PERMISSIONS } from './start-app.js';
import type { Entry } from './start-app.js';

const namespaces = setUpNamespaces();

const { here, list, remove, ...client } = namespaces;

const EVERY_ITEM = 'itemsvc:nameduseritem:*';
const related = (_criteria?: object) => ({
  _subresourceDesc: { _type: 'relateditem', ...(_criteria && { _criteria }) },
});

/** An entry for all items that a description limits. */
const limited = (userId: string, limits: object, ..._actions: string[]): Entry => ({
  _namespace: here.namespace,
  _resourceDesc: { _irn: EVERY_ITEM, ...limits },
  _user: { _type: 'user', _id: userId },
  _actions,
});
const put = async (authorization: string, ...entries: unknown[]) => (await client.put(authorization, entries))._list;
const recordsOf = async (userId: string) => {
  const { body } = await list(here.platform, userId, here.namespace, { '_resourceDesc._irn': EVERY_ITEM }).expect(200);
  return body._list as (Entry & { _id: string })[];
};
const grantsOf = async (userId: string) => {
  const body = { _user: { _type: 'user', _id: userId }, _namespace: here.namespace };
  return (await here.app.api.post(`${PERMISSIONS}/grants`).set({ authorization: here.platform }).send(body).expect(200))
    .body;
};
const codes = (failures: { code: string }[]) => failures.map(({ code }) => code);

describe('a permission with criteria', () => {
  it.each([
    ['a class', { _criteria: { _itemClass: 'NamedUserCollection' } }],
    ['a class and a type', { _criteria: { _itemClass: 'NamedUserCollection', _userType: 'door' } }],
    ['related items', related()],
    ['some related items', related({ color: 'red', floor: 3, open: true })],
    ['some related items of a type', { _criteria: { _userType: 'door' }, ...related({ color: 'red' }) }],
  ])('is stored and shown: for %s', async (_name, limits) => {
    const entry = limited('dora', limits, 'READ');
    const { _success } = await put(here.owner, entry);
    expect(_success).toMatchObject([{ ...entry, _status: 201 }]);
    expect(await recordsOf('dora')).toMatchObject([entry]);
    await remove(here.owner, (await recordsOf('dora'))[0]!._id).expect(204);
    expect(await recordsOf('dora')).toEqual([]);
  });

  it('is a record of its own beside one without criteria, and is replaced by the same criteria in any order', async () => {
    const both = { _itemClass: 'Script', _userType: 'door' };
    const wanted = [
      limited('dora', {}, 'READ'),
      limited('dora', { _criteria: both }, 'EDIT'),
      limited('dora', related(both), 'RUN'),
    ];
    await put(here.owner, ...wanted);
    const swapped = { _userType: 'door', _itemClass: 'Script' };
    const { _success } = await put(
      here.owner,
      limited('dora', { _criteria: swapped }, 'DELETE'),
      limited('dora', related(swapped), 'ASSIGN'),
    );
    expect(_success.map(({ _status }) => _status)).toEqual([200, 200]);
    const records = await recordsOf('dora');
    expect(records.map(({ _actions }) => _actions[0]).sort()).toEqual(['ASSIGN', 'DELETE', 'READ']);
  });

  it('reaches services apart from those without criteria', async () => {
    await put(here.owner, limited('dora', {}, 'READ'), limited('dora', { _criteria: { _userType: 'door' } }, 'EDIT'));
    expect(await grantsOf('dora')).toEqual({
      _list: [{ _irn: EVERY_ITEM, _actions: ['READ'] }],
      _limited: [{ _irn: EVERY_ITEM, _criteria: { _userType: 'door' }, _actions: ['EDIT'] }],
    });
  });

  it('is loaded by services with its criteria', async () => {
    await put(here.owner, limited('dora', {}, 'READ'), limited('dora', { _criteria: { _userType: 'door' } }, 'EDIT'));
    const client = createServiceClient({
      baseUrl: here.app.url,
      token: fixedToken(here.platform),
    });
    const grants = await remoteGrants(client).grantsOf({ _type: 'user', _id: 'dora' }, here.namespace);
    await client.close();
    expect(grants).toEqual([
      { _irn: EVERY_ITEM, _actions: ['READ'] },
      { _irn: EVERY_ITEM, _criteria: { _userType: 'door' }, _actions: ['EDIT'] },
    ]);
  });

  it('does not permit what has no known fields', async () => {
    await put(here.owner, limited(here.benId, { _criteria: { _userType: 'door' } }, '*'));
    expect(await client.may(here.ben, here.benId, here.namespace, { irn: 'itemsvc:nameduseritem:1' })).toBe(false);
  });

  it.each([
    ['another field', EVERY_ITEM, { _criteria: { _name: 'x' } }, '_criteria'],
    ['no field', EVERY_ITEM, { _criteria: {} }, '_criteria'],
    ['an operator', EVERY_ITEM, { _criteria: { _userType: { $ne: 'x' } } }, '_userType'],
    ['an operator for a field', EVERY_ITEM, related({ $where: '1' }), '_subresourceDesc'],
    ['a path', EVERY_ITEM, related({ 'a.b': 1 }), '_subresourceDesc'],
    ['an object', EVERY_ITEM, related({ a: { b: 1 } }), '_subresourceDesc'],
    [
      'too many fields',
      EVERY_ITEM,
      related(Object.fromEntries(Array.from({ length: 11 }, (_, n) => [`f${n}`, n]))),
      'fields',
    ],
    ['another kind of sub-resource', EVERY_ITEM, { _subresourceDesc: { _type: 'version' } }, '_type'],
    ['an unknown part', EVERY_ITEM, { _subresourceDesc: { _type: 'relateditem', _filter: {} } }, 'unknown fields'],
    ['a control character', 'itemsvc:nameduseritem:\u0001', {}, '_irn'],
    ['a file', 'filesvc:file:*', { _criteria: { _userType: 'x' } }, 'itemsvc:nameduseritem'],
  ])('is refused for %s', async (_name, _irn, limits, about) => {
    const entry = { ...limited('dora', {}, 'READ'), _resourceDesc: { _irn, ...limits } };
    const { _success, _failures } = await put(here.owner, entry, limited('dora', {}, 'READ'));
    expect(_success).toHaveLength(1);
    expect(_failures).toMatchObject([{ _index: 0, code: 'INVALID_ENTRY' }]);
    expect(_failures[0]!.message).toContain(about);
  });

  it('is refused when its criteria are outside of the description of the resource', async () => {
    for (const limits of [{ _criteria: { _userType: 'door' } }, related()]) {
      const { _failures } = await put(here.owner, { ...limited('dora', {}, 'READ'), ...limits });
      expect(_failures).toMatchObject([{ code: 'INVALID_ENTRY' }]);
    }
  });

  it('is taken for one without criteria where they are null', async () => {
    await put(here.owner, limited('dora', { _criteria: null, _subresourceDesc: null }, 'READ'));
    expect(await recordsOf('dora')).toMatchObject([{ _resourceDesc: { _irn: EVERY_ITEM } }]);
    expect((await recordsOf('dora'))[0]!._resourceDesc).toEqual({ _irn: EVERY_ITEM });
  });

  it('is one of at most 100 of a subject in a namespace', async () => {
    const many = Array.from({ length: 101 }, (_, n) =>
      limited('dora', { _criteria: { _userType: `type ${n}` } }, 'READ'),
    );
    const { _success, _failures } = await put(here.owner, ...many);
    expect(_success).toHaveLength(100);
    expect(codes(_failures)).toEqual(['TOO_MANY_CRITERIA']);
    const again = await put(
      here.owner,
      many[0],
      many[100],
      limited('dora', {}, 'READ'),
      limited('nora', related(), 'READ'),
    );
    expect(again._success).toHaveLength(3);
    expect(codes(again._failures)).toEqual(['TOO_MANY_CRITERIA']);
  });
});

describe('a grantor', () => {
  it('with criteria grants to what they cover, and takes away there', async () => {
    await put(here.owner, limited(here.benId, { _criteria: { _userType: 'door' } }, 'READ', 'SHARE'));
    const { _success, _failures } = await put(
      here.ben,
      limited('dora', { _criteria: { _userType: 'door' } }, 'READ'),
      limited('dora', { _criteria: { _userType: 'door', _itemClass: 'Script' } }, 'READ'),
      limited('dora', { _criteria: { _userType: 'door' }, ...related({ color: 'red' }) }, 'READ'),
      limited('dora', { _criteria: { _userType: 'door' } }, 'EDIT'),
      limited('dora', { _criteria: { _userType: 'window' } }, 'READ'),
      limited('dora', { _criteria: { _itemClass: 'Script' } }, 'READ'),
      limited('dora', related({ color: 'red' }), 'READ'),
      limited('dora', {}, 'READ'),
    );
    expect(_success).toHaveLength(3);
    expect(_failures.map(({ _index, code }) => [_index, code])).toEqual(
      [3, 4, 5, 6, 7].map((n) => [n, 'MAY_NOT_GRANT']),
    );
    for (const { _id } of await recordsOf('dora')) await remove(here.ben, _id).expect(204);
  });

  it('for some related items grants to these only', async () => {
    await put(here.owner, limited(here.benId, related({ color: 'red' }), 'READ', 'SHARE'));
    const { _success, _failures } = await put(
      here.ben,
      limited('dora', related({ color: 'red', floor: 1 }), 'READ'),
      limited('dora', related({ color: 'blue' }), 'READ'),
      limited('dora', related(), 'READ'),
      limited('dora', {}, 'READ'),
    );
    expect(_success).toHaveLength(1);
    expect(codes(_failures)).toEqual(['MAY_NOT_GRANT', 'MAY_NOT_GRANT', 'MAY_NOT_GRANT']);
  });

  it('cannot take away what its own criteria do not cover', async () => {
    await put(here.owner, limited('dora', {}, 'READ'), limited('dora', { _criteria: { _userType: 'window' } }, 'READ'));
    await put(here.owner, limited(here.benId, { _criteria: { _userType: 'door' } }, '*'));
    for (const { _id } of await recordsOf('dora')) await remove(here.ben, _id).expect(404);
    expect(await recordsOf('dora')).toHaveLength(2);
  });

  it('of everything with criteria does not count as an owner of the namespace', async () => {
    const onlySome = {
      ...limited('dora', {}, '*'),
      _resourceDesc: { _irn: '*:*:*', _criteria: { _userType: 'door' } },
    };
    await put(here.owner, onlySome);
    const reads = { ...limited(here.ownerId, {}, 'READ'), _resourceDesc: { _irn: '*:*:*' } };
    expect(codes((await put(here.platform, reads))._failures)).toEqual(['LAST_OWNER']);
  });
});

describe('the log of permissions', () => {
  const { here, put, remove } = namespaces;

  const reads = (userId: string, irn = 'filesvc:file:1') => entryFor(userId, here.namespace, irn, 'READ');
  const audit = (authorization: string, query: object = {}) =>
    here.app.api
      .get(`${PERMISSIONS}/audit`)
      .set({ authorization })
      .query({ _namespace: here.namespace, ...query });
  const changes = async (query?: object) => (await audit(here.owner, query).expect(200)).body._list as Change[];
  type Change = { _change: string; _at: number; _byId: string };

  describe('the audit log of a namespace', () => {
    it('has who granted and revoked what, and when, the newest first', async () => {
      const before = Date.now();
      const { _list } = await put(here.owner, [reads('dora'), reads(here.benId, '*:*:*')]);
      await remove(here.owner, _list._success[0]!._id).expect(204);
      const list = await changes();
      expect(list).toMatchObject([
        { _change: 'REVOKE', _byId: here.ownerId, ...reads('dora') },
        { _change: 'GRANT', _byId: here.ownerId, ...reads(here.benId, '*:*:*') },
        { _change: 'GRANT', _byId: here.ownerId, ...reads('dora') },
        { _change: 'GRANT', _byId: 'platform', ...entryFor(here.ownerId, here.namespace, '*:*:*', '*') },
      ]);
      for (const { _at } of list.slice(0, 3)) expect(_at).toBeGreaterThanOrEqual(before);
      expect(Object.keys(list[0]!).sort()).toEqual([
        '_actions',
        '_at',
        '_byId',
        '_change',
        '_id',
        '_namespace',
        '_resourceDesc',
        '_user',
      ]);
    });

    it('lists the changes for one subject, page by page', async () => {
      await put(here.owner, [reads('dora'), reads('nora')]);
      await put(here.owner, [entryFor('dora', here.namespace, 'filesvc:file:1', 'EDIT')]);
      const { body } = await audit(here.owner, { '_user._id': 'dora', _pageSize: 1 }).expect(200);
      expect(body).toMatchObject({ _total: 2, _list: [{ _user: { _id: 'dora' }, _actions: ['EDIT'] }] });
    });

    it('has what a replaced permission held before, and nothing of a write that changes nothing', async () => {
      const more = entryFor('dora', here.namespace, 'filesvc:file:1', 'READ', 'EDIT', 'READ');
      await put(here.owner, [more]);
      await put(here.owner, [more, reads('dora'), reads('dora')]);
      const [less, grant, ...others] = await changes({ '_user._id': 'dora' });
      expect(less).toMatchObject({ _actions: ['READ'], _previousActions: ['READ', 'EDIT'] });
      expect(grant).toMatchObject({ _actions: ['READ', 'EDIT'] });
      expect(grant).not.toHaveProperty('_previousActions');
      expect(others).toEqual([]);
    });

    it('is in the order of time, whichever process recorded a change', async () => {
      const [first] = await changes();
      const later = { ...first, _id: '0'.repeat(24), _at: Date.now() + 1000, expiresAt: new Date(Date.now() + 60_000) };
      await here.app.mongo.db.collection<{ _id: string }>('permission_audit').insertOne(later);
      expect((await changes())[0]).toMatchObject({ _id: later._id });
    });

    it('does not have what was refused', async () => {
      const { length } = await changes();
      await put(here.ben, [reads('dora')]);
      await put(here.owner, [reads('unknown-dora')]);
      expect(await changes()).toHaveLength(length);
    });

    it('is for callers who hold SHARE on everything there', async () => {
      await put(here.owner, [entryFor(here.benId, here.namespace, 'filesvc:*:*', '*')]);
      for (const caller of [here.ben, await here.app.as('root', 'admin'), await here.app.as('some-app', 'app')]) {
        expect((await audit(caller).expect(403)).body.code).toBe('MAY_NOT_AUDIT');
      }
      await audit(here.platform).expect(200);
    });

    it('outlives the namespace, for the platform', async () => {
      const body = { _namespaces: [here.namespace] };
      for (let times = 0; times < 2; times++) {
        await here.app.api.post(`${PERMISSIONS}/close`).set({ authorization: here.platform }).send(body).expect(200);
      }
      await audit(here.owner).expect(403);
      const { _list } = (await audit(here.platform).expect(200)).body;
      expect(_list).toMatchObject([{ _change: 'CLOSE', _byId: 'platform' }, { _change: 'GRANT' }]);
      expect(_list[0]._user).toBeUndefined();
    });

    it('expires', async () => {
      await put(here.owner, [reads('dora')]);
      const stored = here.app.mongo.db.collection('permission_audit');
      const { expiresAt } = (await stored.findOne({ _namespace: here.namespace, '_user._id': 'dora' }))!;
      const days = (Number(expiresAt) - Date.now()) / 86_400_000;
      expect(days).toBeGreaterThan(364);
      expect(days).toBeLessThan(366);
      const expiry = (await stored.indexes()).find(({ name }) => name === 'expiry');
      expect(expiry).toMatchObject({ key: { expiresAt: 1 }, expireAfterSeconds: 0 });
    });
  });
});
