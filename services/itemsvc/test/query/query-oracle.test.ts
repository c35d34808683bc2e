import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Query } from 'mingo';
import { asJson, doors, itemClient } from '../item-client.js';
import { openApp } from '../start-app.js';

const NS = 'oracle_a1b2c3d4';
/** For the items whose versions and related items are listed. */
const OWNERS_NS = 'oracle_e5f6a7b8';
const RUNS = 30;
/** Concurrent queries, and queries that are compared with mingo per kind of list. */
const BATCH = 20;
const CASES = 200;
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
const plain = fc.oneof({ weight: 5, arbitrary: onValues(`${ATTRIBUTES}.`) }, asked('_userType', testOf(text)));
const condition = fc.oneof(
  { weight: 2, arbitrary: plain },
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
const query = queryOf(condition);

/** mingo differs from MongoDB in $mod of other types, and in lists within lists. */
const forMingo = (one: fc.Arbitrary<object>) => one.filter((is) => !/\$mod|\$type/.test(JSON.stringify(is)));
const itemQuery = queryOf(forMingo(plain));
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

/** @param path of a list below the owners; by default the list of items */
const list = async (parameters: Record<string, object>, path = '') => {
  const query = asJson({ page: { _pageSize: 1000 }, ...parameters });
  return (await (path ? owners : client).send('get', path, query).expect(200)).body as {
    _list: Shown[];
    _total: number;
  };
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

/** Two oracles for any query: MongoDB on the shown items, and mingo, an independent engine. */
describe('queries', () => {
  const byMingo = (criteria: object, entries: Entry[]) =>
    idsOf(entries.filter((entry) => new Query(criteria).test(entry)));

  /** Compares the results of many queries with those of mingo. */
  const expectMingo = (queries: fc.Arbitrary<object>, path: string, all: Entry[], more: object = {}) =>
    fc.assert(
      fc.asyncProperty(fc.array(queries, { minLength: BATCH, maxLength: BATCH }), async (batch) => {
        const found = await Promise.all(
          batch.map((conditions) => list({ query: { ...more, ...conditions }, project: { _id: 1 } }, path)),
        );
        const comparable = (ids: unknown[], place: number) => ({ query: JSON.stringify(batch[place]), ids });
        expect(found.map(({ _list }, place) => comparable(idsOf(_list), place))).toEqual(
          batch.map((conditions, place) => comparable(byMingo(conditions, all), place)),
        );
      }),
      { numRuns: CASES / BATCH },
    );

  it('show the latest version, or all with _versions.all', () => {
    expect(shown).toHaveLength(60);
    expect(new Set(shown.map(({ _versions }) => _versions.length))).toEqual(new Set([1]));
    expect(new Set(shownWithAll.map(({ _versions }) => _versions.length))).toEqual(new Set([1, 2, 3]));
  });

  it('find items by their latest version', async () => {
    await fc.assert(
      fc.asyncProperty(query, async (conditions) => {
        const { _list, _total } = await list({ query: conditions, project: { _id: 1 } });
        expect(idsOf(_list)).toEqual(idsOf(await findShown('shown', conditions)));
        expect(_total).toBe(_list.length);
      }),
      { numRuns: RUNS },
    );
  });

  it('find items by any version with _versions.all', async () => {
    await fc.assert(
      fc.asyncProperty(query, async (conditions) => {
        const { _list } = await list({ query: { '_versions.all': true, ...conditions }, project: { _id: 1 } });
        expect(idsOf(_list)).toEqual(idsOf(await findShown('shown_with_all', conditions)));
      }),
      { numRuns: RUNS },
    );
  });

  it.each([false, true])('find the same items as mingo (_versions.all: %s)', (all) =>
    expectMingo(itemQuery, '', all ? shownWithAll : shown, { '_versions.all': all }),
  );

  it('find the same versions as mingo', async () => {
    const { _id } = await owners.createOne({ _namespaces: [OWNERS_NS] });
    for (const _userAttributes of fc.sample(attributes, { numRuns: 30, seed: 8 }))
      await owners.addVersion(_id, { _userAttributes });
    const path = `/${_id}/versions`;
    const all = (await list({}, path))._list;
    expect(all).toHaveLength(31);
    await expectMingo(versionQuery, path, all);
  });

  it('find the same related items as mingo', async () => {
    const { _id } = await owners.createOne({ _namespaces: [OWNERS_NS] });
    const path = `/${_id}/relateditems`;
    await owners.addRows(_id, fc.sample(attributes, { numRuns: 60, seed: 9 }));
    await expectMingo(relatedQuery, path, (await list({}, path))._list);
  });

  it('project and sort items as MongoDB does', async () => {
    const fields = fc.constantFrom(
      ...['_name', '_userType', '_metadata', '_metadata._createdAt', '_versions', '_versions._version', 'missing'],
      ...['_versions._id', '_versions._userItemDbId', `${ATTRIBUTES}.n`, `${ATTRIBUTES}.o`, `${ATTRIBUTES}.rows.x`],
    );
    const projection = fc
      .record({
        paths: fc.uniqueArray(fields, { minLength: 1, maxLength: 3 }),
        flag: fc.constantFrom(0, 1),
        id: fc.boolean(),
      })
      .filter(({ paths }) => !paths.some((path) => paths.some((other) => other.startsWith(`${path}.`))))
      .map(({ paths, flag, id }) => ({
        ...Object.fromEntries(paths.map((path) => [path, flag])),
        ...(id ? {} : { _id: 0 }),
      }));
    const sort = fc.constantFrom(
      { _name: 1 },
      { _userType: -1 },
      { _userType: 1, _name: -1 },
      { _tipVersion: -1, _name: 1 },
    );
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
