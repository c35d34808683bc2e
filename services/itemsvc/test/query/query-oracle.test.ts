import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Query } from 'mingo';
import { asJson, doors, itemClient } from '../item-client.js';
import { openApp } from '../start-app.js';

const NS = 'oracle_a1b2c3d4';
/** For the items whose versions and related items are listed. */
const OWNERS_NS = 'oracle_e5f6a7b8';
const RUNS = 30;
const ATTRIBUTES = '_versions._userAttributes';

type Shown = { _id: string; _versions: unknown[] };
type Entry = { _id: string };
const idsOf = (entries: { _id: unknown }[]) => entries.map(({ _id }) => _id);

const number = fc.integer({ min: -1, max: 3 });
const text = fc.constantFrom('a', 'ab', 'b', 'Door', 'door 12');
const code = fc.constantFrom('p', 'q');
const attributes = fc.record(
  {
    n: number,
    s: text,
    b: fc.boolean(),
    t: fc.array(number, { maxLength: 3 }),
    o: fc.record({ k: number, u: code }),
    rows: fc.array(fc.record({ x: number, y: code }), { maxLength: 3 }),
  },
  { requiredKeys: [] },
);

/** Tests of a field with such values. */
const testOf = (value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> => {
  const some = fc.array(value, { maxLength: 3 });
  const positive = fc.oneof(
    fc.record({ $eq: value }),
    fc.record({ $gt: value }),
    fc.record({ $gte: value, $lt: value }),
    fc.record({ $lte: value }),
    fc.record({ $in: some }),
  );
  return fc.oneof(
    value,
    positive,
    fc.record({ $ne: value }),
    fc.record({ $nin: some }),
    fc.record({ $exists: fc.boolean() }),
    fc.record({ $not: fc.oneof(positive, fc.record({ $exists: fc.boolean() })) }),
    fc.record({ $type: fc.constantFrom('number', 'string', 'bool', 'array', 'object') }),
    fc.record({ $mod: fc.tuple(fc.constantFrom(2, 3), fc.constantFrom(0, 1)) }),
    fc.record({ $regex: fc.constantFrom('^a', 'oor', '\\d+$', '^(a|b)$'), $options: fc.constantFrom('', 'i') }),
  );
};
const asked = (field: string, test: fc.Arbitrary<unknown>) => test.map((is) => ({ [field]: is }));

const anything = fc.oneof(number, text, fc.boolean());
/** Conditions on attributes that are not lists. @param prefix path of the attributes */
const onValues = (prefix: string) =>
  fc.oneof(
    asked(`${prefix}n`, testOf(number)),
    asked(`${prefix}s`, testOf(text)),
    asked(`${prefix}b`, testOf(fc.boolean())),
    asked(`${prefix}o.k`, testOf(number)),
    asked(`${prefix}missing`, testOf(anything)),
  );
const onLists = (prefix: string) =>
  fc.oneof(
    asked(`${prefix}rows.x`, testOf(number)),
    asked(`${prefix}t`, testOf(number)),
    asked(`${prefix}t`, fc.record({ $size: fc.nat({ max: 3 }) })),
    asked(`${prefix}t`, fc.record({ $all: fc.array(number, { minLength: 1, maxLength: 2 }) })),
    asked(`${prefix}t`, fc.record({ $elemMatch: fc.record({ $gte: number, $lt: number }) })),
    asked(`${prefix}rows`, fc.record({ $elemMatch: fc.record({ x: testOf(number), y: code }) })),
  );
const condition = fc.oneof(
  { weight: 2, arbitrary: onValues(`${ATTRIBUTES}.`) },
  asked('_userType', testOf(text)),
  { weight: 6, arbitrary: onLists(`${ATTRIBUTES}.`) },
  asked('_versions._version', testOf(number)),
  asked('_versionsCount', testOf(number)),
  asked('_versions', fc.record({ $size: fc.integer({ min: 1, max: 3 }) })),
  asked('_versions', fc.record({ $not: fc.record({ $size: fc.integer({ min: 1, max: 3 }) }) })),
  fc.tuple(testOf(number), testOf(text)).map(([n, s]) => ({
    _versions: { $elemMatch: { '_userAttributes.n': n, '_userAttributes.s': s } },
  })),
);

const queryOf = (one: fc.Arbitrary<object>) =>
  fc.letrec<{ query: object }>((tie) => ({
    query: fc.oneof(
      { maxDepth: 3, depthIdentifier: 'query' },
      one,
      one,
      fc.tuple(one, one).map(([a, b]) => ({ ...a, ...b })),
      fc.record({ $and: fc.array(tie('query'), { minLength: 1, maxLength: 3 }) }),
      fc.record({ $or: fc.array(tie('query'), { minLength: 1, maxLength: 3 }) }),
      fc.record({ $nor: fc.array(tie('query'), { minLength: 1, maxLength: 2 }) }),
    ),
  })).query;
const itemQuery = queryOf(condition);

/** mingo differs from MongoDB in $mod of other types, and in lists within lists. */
const forMingo = (one: fc.Arbitrary<object>) => one.filter((is) => !/\$mod|\$type/.test(JSON.stringify(is)));
/** Versions and related items are not in a list, so lists in them are not nested. */
const versionQuery = queryOf(
  forMingo(
    fc.oneof(
      { weight: 3, arbitrary: onValues('_userAttributes.') },
      { weight: 3, arbitrary: onLists('_userAttributes.') },
      asked('_version', testOf(number)),
      asked('_isTip', testOf(fc.boolean())),
    ),
  ),
);
const relatedQuery = queryOf(forMingo(fc.oneof(onValues(''), onLists(''))));

const here = await openApp(NS, OWNERS_NS);
const { app } = here;
const [client, owners] = [itemClient(here, NS), itemClient(here, OWNERS_NS)];

type List = { _list: Shown[]; _total: number };
/** @param path of a list below the owners; by default the list of items */
const list = async (parameters: Record<string, object>, path = '') => {
  const query = asJson({ page: { _pageSize: 1000 }, ...parameters });
  return (await (path ? owners : client).send('get', path, query).expect(200)).body as List;
};
const findShown = (name: string, filter: object, options: object = {}) =>
  app
    .stored(name)
    .find(filter, { sort: { _id: 1 }, ...options })
    .toArray();

// The same items in every run, so that a failure can be repeated.
const samples = fc.sample(fc.array(attributes, { minLength: 1, maxLength: 3 }), { numRuns: 60, seed: 7 });
const drafts = samples.map(([_userAttributes], n) =>
  doors({ _namespaces: [NS], _userType: ['a', 'b', 'Door'][n % 3], _name: `item ${n}`, _version: { _userAttributes } }),
);
const created: Entry[] = (await client.create(drafts).expect(201)).body._list;
for (const [n, [, ...later]] of samples.entries())
  for (const _userAttributes of later) await client.addVersion(created[n]!._id, { _userAttributes });
const shown = (await list({}))._list;
const shownWithAll = (await list({ query: { '_versions.all': true } }))._list;
await app.stored('shown').insertMany(structuredClone(shown));
await app.stored('shown_with_all').insertMany(structuredClone(shownWithAll));

/** The oracles are MongoDB on the shown items, and mingo, an independent engine. */
describe('queries', () => {
  /** Compares the results of many queries, several at a time. */
  const expectSame = (
    queries: fc.Arbitrary<object>,
    find: (conditions: object) => Promise<List>,
    oracle: (conditions: object) => Promise<Entry[]> | Entry[],
  ) =>
    fc.assert(
      fc.asyncProperty(fc.array(queries, { minLength: 10, maxLength: 10 }), async (batch) => {
        const one = async (conditions: object) => {
          const [{ _list, _total }, expected] = await Promise.all([find(conditions), oracle(conditions)]);
          const query = JSON.stringify(conditions);
          expect({ query, _total, ids: idsOf(_list) }).toEqual({
            query,
            _total: expected.length,
            ids: idsOf(expected),
          });
        };
        await Promise.all(batch.map(one));
      }),
      { numRuns: 10 },
    );
  const byMingo = (entries: Entry[]) => (conditions: object) =>
    entries.filter((entry) => new Query(conditions).test(entry));

  it.each([
    ['shown', 'their latest version', false],
    ['shown_with_all', 'any version', true],
  ])('find %s by %s', (name, _versions, all) =>
    expectSame(
      itemQuery,
      (conditions) => list({ query: { '_versions.all': all, ...conditions }, project: { _id: 1 } }),
      (conditions) => findShown(name, conditions),
    ),
  );

  it('show the latest version, or all with _versions.all', () => {
    const counts = (items: Shown[]) => new Set(items.map(({ _versions }) => _versions.length));
    expect([shown.length, counts(shown), counts(shownWithAll)]).toEqual([60, new Set([1]), new Set([1, 2, 3])]);
  });

  it('find the same versions and related items as mingo', async () => {
    const { _id } = await owners.createOne({ _namespaces: [OWNERS_NS] });
    await owners.addRows(_id, fc.sample(attributes, { numRuns: 60, seed: 9 }));
    const rows = `/${_id}/relateditems`;
    const relatedItems = (await list({}, rows))._list;
    await expectSame(relatedQuery, (query) => list({ query }, rows), byMingo(relatedItems));

    for (const _userAttributes of fc.sample(attributes, { numRuns: 30, seed: 8 }))
      await owners.addVersion(_id, { _userAttributes });
    const path = `/${_id}/versions`;
    const versions = (await list({}, path))._list;
    expect([relatedItems.length, versions.length]).toEqual([60, 31]);
    await expectSame(versionQuery, (query) => list({ query }, path), byMingo(versions));
  });

  it('project and sort items as MongoDB does', async () => {
    const fields = fc.constantFrom(
      ...['_name', '_userType', '_metadata', '_metadata._createdAt', '_versions', '_versions._version', 'missing'],
      ...['_versions._id', '_versions._userItemDbId', `${ATTRIBUTES}.n`, `${ATTRIBUTES}.o`, `${ATTRIBUTES}.rows.x`],
    );
    const projection = fc
      .tuple(fc.uniqueArray(fields, { minLength: 1, maxLength: 3 }), fc.constantFrom(0, 1), fc.boolean())
      .filter(([paths]) => !paths.some((path) => paths.some((other) => other.startsWith(`${path}.`))))
      .map(([paths, flag, id]) => ({
        ...Object.fromEntries(paths.map((path) => [path, flag])),
        ...(id ? {} : { _id: 0 }),
      }));
    const sort = fc.constantFrom({ _userType: -1 }, { _userType: 1, _name: -1 }, { _tipVersion: -1, _name: 1 });
    await fc.assert(
      fc.asyncProperty(projection, sort, fc.boolean(), async (project, order, all) => {
        const { _list } = await list({ query: { '_versions.all': all }, project, sort: order });
        const tie = Object.values(order).at(-1);
        const options = { projection: project, sort: { ...order, _id: tie } };
        expect(_list).toEqual(await findShown(all ? 'shown_with_all' : 'shown', {}, options));
      }),
      { numRuns: RUNS },
    );
  });
});
