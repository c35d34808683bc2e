import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Query } from 'mingo';
import fc from 'fast-check';
import { API, startApp } from '../start-app.js';
import type { TestApp } from '../start-app.js';

const NS = 'oracle_a1b2c3d4';
/** Of the items whose versions and related items are listed. */
const OWNERS_NS = 'oracle_e5f6a7b8';
const RUNS = 30;
/** Queries that run at the same time, and how many are compared with mingo for each kind of list. */
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

/** What can be asked of a field with such values. */
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
/** Conditions on attributes that are no lists. @param prefix where the attributes are */
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

/** mingo judges $mod of what is no number, and what lies in lists within lists, unlike the database. */
const forMingo = (one: fc.Arbitrary<object>) => one.filter((is) => !/\$mod|\$type/.test(JSON.stringify(is)));
const itemQuery = queryOf(forMingo(plain));
/** Versions and related items are not in a list, so lists in them are the only ones. */
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

/**
 * For any query the service must find what the database finds when it is asked the same of the shown items, and what mingo
 * finds, an engine that shares no code with either.
 */
describe('queries', () => {
  let app: TestApp;
  let owner: { authorization: string };
  let shown: Shown[];
  let shownWithAll: Shown[];

  const list = async (parameters: Record<string, object>, path = '', nsfilter = path ? OWNERS_NS : NS) => {
    const texts = Object.entries(parameters).map(([name, json]) => [name, JSON.stringify(json)]);
    const response = await app.api
      .get(`${API}/nameduseritems${path}`)
      .query({ nsfilter, page: '{"_pageSize":1000}', ...Object.fromEntries(texts) })
      .set(owner);
    if (response.status !== 200) throw new Error(JSON.stringify(response.body));
    return response.body as { _list: Shown[]; _total: number };
  };
  const send = async (path: string, body: object, nsfilter = NS) =>
    (await app.api.post(`${API}/nameduseritems${path}`).query({ nsfilter }).set(owner).send(body).expect(201)).body;
  const createItems = async (items: object[], nsfilter = NS): Promise<Entry[]> => {
    const common = { _name: 'item', _shortName: 'i', _description: '', _namespaces: [nsfilter], _userType: 'other' };
    const whole = items.map((item) => ({ ...common, _itemClass: 'NamedUserCollection', ...item }));
    return (await send('', whole, nsfilter))._list;
  };
  const createOwner = async () => (await createItems([{}], OWNERS_NS))[0]!;
  const keep = (name: string, items: Shown[]) =>
    app.deps.mongo.db.collection<Shown>(name).insertMany(structuredClone(items));
  const findShown = (name: string, filter: object, options: object = {}) =>
    app.deps.mongo.db
      .collection(name)
      .find(filter, { sort: { _id: 1 }, ...options })
      .toArray();

  beforeAll(async () => {
    app = await startApp();
    owner = await app.caller('olga', NS);
    await app.caller('olga', OWNERS_NS);
    // The same items in every run, so that a failure can be repeated.
    const samples = fc.sample(fc.array(attributes, { minLength: 1, maxLength: 3 }), { numRuns: 60, seed: 7 });
    const items = samples.map(([first], n) => ({
      _userType: ['a', 'b', 'Door'][n % 3],
      _name: `item ${n}`,
      _version: { _userAttributes: first },
    }));
    const ids = idsOf(await createItems(items));
    for (const [n, [, ...later]] of samples.entries()) {
      for (const _userAttributes of later) await send(`/${String(ids[n])}/versions`, { _userAttributes });
    }
    shown = (await list({}))._list;
    shownWithAll = (await list({ query: { '_versions.all': true } }))._list;
    await keep('shown', shown);
    await keep('shown_with_all', shownWithAll);
  });
  afterAll(() => app.stop());

  const byMingo = (criteria: object, entries: Entry[]) =>
    idsOf(entries.filter((entry) => new Query(criteria).test(entry)));

  /** For many queries, a list must find what mingo finds among all of its entries. */
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

  it('show one version, or all with _versions.all', () => {
    expect(shown).toHaveLength(60);
    expect(new Set(shown.map(({ _versions }) => _versions.length))).toEqual(new Set([1]));
    expect(new Set(shownWithAll.map(({ _versions }) => _versions.length))).toEqual(new Set([1, 2, 3]));
  });

  it('find by the latest version', async () => {
    await fc.assert(
      fc.asyncProperty(query, async (conditions) => {
        const { _list, _total } = await list({ query: conditions, project: { _id: 1 } });
        expect(idsOf(_list)).toEqual(idsOf(await findShown('shown', conditions)));
        expect(_total).toBe(_list.length);
      }),
      { numRuns: RUNS },
    );
  });

  it('find by any version with _versions.all', async () => {
    await fc.assert(
      fc.asyncProperty(query, async (conditions) => {
        const { _list } = await list({ query: { '_versions.all': true, ...conditions }, project: { _id: 1 } });
        expect(idsOf(_list)).toEqual(idsOf(await findShown('shown_with_all', conditions)));
      }),
      { numRuns: RUNS },
    );
  });

  it.each([false, true])('agree with an independent engine (_versions.all: %s)', (all) =>
    expectMingo(itemQuery, '', all ? shownWithAll : shown, { '_versions.all': all }),
  );

  it('of versions agree with it', async () => {
    const { _id } = await createOwner();
    for (const _userAttributes of fc.sample(attributes, { numRuns: 30, seed: 8 })) {
      await send(`/${_id}/versions`, { _userAttributes }, OWNERS_NS);
    }
    const path = `/${_id}/versions`;
    const all = (await list({}, path))._list;
    expect(all).toHaveLength(31);
    await expectMingo(versionQuery, path, all);
  });

  it('of related items agree with it', async () => {
    const { _id } = await createOwner();
    const path = `/${_id}/relateditems`;
    await send(path, fc.sample(attributes, { numRuns: 60, seed: 9 }), OWNERS_NS);
    await expectMingo(relatedQuery, path, (await list({}, path))._list);
  });

  it('project and sort', async () => {
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
