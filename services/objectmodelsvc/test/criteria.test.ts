import { describe, expect, it } from '@jest/globals';
import { setUpNamespaces } from './permission-client.js';
import type { Entry } from './start-app.js';

const { here, list, remove, ...client } = setUpNamespaces();

const EVERY_ITEM = 'itemsvc:nameduseritem:*';
const related = (_criteria?: object) => ({
  _subresourceDesc: { _type: 'relateditem', ...(_criteria && { _criteria }) },
});

/** An entry for all items, limited by a description. */
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
const codes = (failures: { code: string }[]) => failures.map(({ code }) => code);

describe('a permission with criteria', () => {
  it('is stored, shown and removed: for a class, a type, and related items', async () => {
    const limits = [
      { _criteria: { _itemClass: 'NamedUserCollection' } },
      { _criteria: { _itemClass: 'NamedUserCollection', _userType: 'door' } },
      related(),
      related({ color: 'red', floor: 3, open: true }),
      { _criteria: { _userType: 'door' }, ...related({ color: 'red' }) },
    ];
    const entries = limits.map((each) => limited('dora', each, 'READ'));
    const { _success } = await put(here.owner, ...entries);
    expect(_success).toMatchObject(entries.map((entry) => ({ ...entry, _status: 201 })));
    const records = await recordsOf('dora');
    expect(records).toMatchObject(entries);
    for (const { _id } of records) await remove(here.owner, _id).expect(204);
    expect(await recordsOf('dora')).toEqual([]);
  });

  it('is a separate record from one without criteria or with null, and is replaced by the same criteria in any order', async () => {
    const both = { _itemClass: 'Script', _userType: 'door' };
    const wanted = [
      limited('dora', {}, 'READ'),
      limited('dora', { _criteria: both }, 'EDIT'),
      limited('dora', related(both), 'RUN'),
    ];
    await put(here.owner, ...wanted);
    await put(here.owner, limited('dora', { _criteria: null, _subresourceDesc: null }, 'SHARE'));
    const swapped = { _userType: 'door', _itemClass: 'Script' };
    const { _success } = await put(
      here.owner,
      limited('dora', { _criteria: swapped }, 'DELETE'),
      limited('dora', related(swapped), 'ASSIGN'),
    );
    expect(_success.map(({ _status }) => _status)).toEqual([200, 200]);
    const records = await recordsOf('dora');
    expect(records.map(({ _actions }) => _actions[0]).sort()).toEqual(['ASSIGN', 'DELETE', 'SHARE']);
    const whole = records.find(({ _actions: [action] }) => action === 'SHARE');
    expect(whole!._resourceDesc).toEqual({ _irn: EVERY_ITEM });
  });

  it('is rejected with the reason, beside valid entries of the same request', async () => {
    const tooMany = Object.fromEntries(Array.from({ length: 11 }, (_, n) => [`f${n}`, 1]));
    const invalid: [reason: string, limits: object, _irn?: string][] = [
      ['_criteria', { _criteria: { _name: 'x' } }],
      ['_criteria', { _criteria: {} }],
      ['_userType', { _criteria: { _userType: { $ne: 'x' } } }],
      ['_subresourceDesc', related({ $where: '1' })],
      ['_subresourceDesc', related({ 'a.b': 1 })],
      ['_subresourceDesc', related({ a: { b: 1 } })],
      ['fields', related(tooMany)],
      ['_type', { _subresourceDesc: { _type: 'version' } }],
      ['unknown fields', { _subresourceDesc: { _type: 'relateditem', _filter: {} } }],
      ['_irn', {}, 'itemsvc:nameduseritem:\u0001'],
      ['itemsvc:nameduseritem', { _criteria: { _userType: 'x' } }, 'filesvc:file:*'],
    ];
    const valid = limited('dora', {}, 'READ');
    const outside = [{ _criteria: { _userType: 'door' } }, related()].map((limits) => ({ ...valid, ...limits }));
    const entries = invalid.map(([, limits, _irn = EVERY_ITEM]) => ({ ...valid, _resourceDesc: { _irn, ...limits } }));
    const { _success, _failures } = await put(here.owner, ...outside, ...entries, valid);
    expect(_success).toMatchObject([valid]);
    const reasons = ['_criteria', '_subresourceDesc', ...invalid.map(([reason]) => reason)];
    expect(_failures).toMatchObject(
      reasons.map((reason, _index) => ({
        ...{ _index, code: 'INVALID_ENTRY', message: expect.stringContaining(reason) },
      })),
    );
  });

  it('is limited to 100 per subject in a namespace', async () => {
    const ofType = (n: number) => limited('dora', { _criteria: { _userType: `type ${n}` } }, 'READ');
    const many = Array.from({ length: 101 }, (_, n) => ofType(n));
    const { _success, _failures } = await put(here.owner, ...many);
    expect(_success).toHaveLength(100);
    expect(codes(_failures)).toEqual(['TOO_MANY_CRITERIA']);
    const others = [limited('dora', {}, 'READ'), limited('nora', related(), 'READ')];
    const again = await put(here.owner, many[0], many[100], ...others);
    expect(again._success).toHaveLength(3);
    expect(codes(again._failures)).toEqual(['TOO_MANY_CRITERIA']);
  });
});

describe('a grantor', () => {
  it('with criteria grants and revokes within them', async () => {
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

  it('with permissions on some related items grants permissions on these only', async () => {
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

  it('cannot revoke what its own criteria do not cover', async () => {
    await put(here.owner, limited('dora', {}, 'READ'), limited('dora', { _criteria: { _userType: 'window' } }, 'READ'));
    await put(here.owner, limited(here.benId, { _criteria: { _userType: 'door' } }, '*'));
    for (const { _id } of await recordsOf('dora')) await remove(here.ben, _id).expect(404);
    expect(await recordsOf('dora')).toHaveLength(2);
  });

  it('with all permissions under criteria does not count as an owner of the namespace', async () => {
    const onlySome = {
      ...limited('dora', {}, '*'),
      _resourceDesc: { _irn: '*:*:*', _criteria: { _userType: 'door' } },
    };
    await put(here.owner, onlySome);
    const reads = { ...limited(here.ownerId, {}, 'READ'), _resourceDesc: { _irn: '*:*:*' } };
    expect(codes((await put(here.platform, reads))._failures)).toEqual(['LAST_OWNER']);
  });
});
