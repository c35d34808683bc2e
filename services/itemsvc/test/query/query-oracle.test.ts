import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Query } from 'mingo';
import { API, startApp } from '../start-app.js';
import type { TestApp } from '../start-app.js';

const NS = 'oracle_a1b2c3d4';
const RUNS = 100;
const ATTRIBUTES = '_versions._userAttributes';

type Shown = { _id: string; _versions: unknown[] };

const value = fc.constantFrom<unknown>(-1, 0, 1, 2, 3, 'a', 'ab', 'b', 'Door', true, false);
const attributes = fc.record(
  {
    n: fc.integer({ min: -2, max: 4 }),
    s: fc.constantFrom('a', 'ab', 'b', 'Door', 'door 12'),
    b: fc.boolean(),
    t: fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 3 }),
    o: fc.record({ k: fc.integer({ min: 0, max: 2 }), u: fc.constantFrom('x', 'y') }),
    rows: fc.array(fc.record({ x: fc.integer({ min: 0, max: 2 }), y: fc.constantFrom('p', 'q') }), { maxLength: 3 }),
  },
  { requiredKeys: [] },
);

const number = fc.integer({ min: -2, max: 4 });
const text = fc.constantFrom('a', 'ab', 'b', 'Door', 'door 12', 'x');
const numbers = fc.array(number, { maxLength: 3 });

/** What can be asked of a field that holds numbers, texts or lists of them. */
const test: fc.Arbitrary<unknown> = fc.oneof(
  value,
  fc.record({ $eq: value }),
  fc.record({ $ne: value }),
  fc.record({ $gt: number }),
  fc.record({ $gte: number, $lt: number }),
  fc.record({ $lte: text }),
  fc.record({ $in: fc.array(value, { maxLength: 3 }) }),
  fc.record({ $nin: fc.array(value, { maxLength: 3 }) }),
  fc.record({ $exists: fc.boolean() }),
  fc.record({ $type: fc.constantFrom('number', 'string', 'bool', 'array', 'object') }),
  fc.record({
    $not: fc.oneof(fc.record({ $gt: number }), fc.record({ $in: numbers }), fc.record({ $exists: fc.boolean() })),
  }),
  fc.record({ $mod: fc.tuple(fc.constantFrom(2, 3), fc.constantFrom(0, 1)) }),
  fc.record({ $regex: fc.constantFrom('^a', 'oor', '\\d+$', '^(a|b)$'), $options: fc.constantFrom('', 'i') }),
);
const listTest: fc.Arbitrary<unknown> = fc.oneof(
  fc.record({ $size: fc.integer({ min: 0, max: 3 }) }),
  fc.record({ $all: fc.array(number, { minLength: 1, maxLength: 2 }) }),
  fc.record({ $elemMatch: fc.record({ $gte: number, $lt: number }) }),
);
const rowsTest: fc.Arbitrary<unknown> = fc.record({
  $elemMatch: fc.record(
    { x: fc.oneof(number, fc.record({ $gte: number })), y: fc.constantFrom('p', 'q') },
    { requiredKeys: ['x'] },
  ),
});

const condition = fc.oneof(
  fc
    .tuple(fc.constantFrom('n', 's', 'b', 'o.k', 'o.u', 'rows.x', 't', 'missing'), test)
    .map(([field, is]) => ({ [`${ATTRIBUTES}.${field}`]: is })),
  listTest.map((is) => ({ [`${ATTRIBUTES}.t`]: is })),
  rowsTest.map((is) => ({ [`${ATTRIBUTES}.rows`]: is })),
  fc.tuple(fc.constantFrom('_name', '_userType'), test).map(([field, is]) => ({ [field]: is })),
  fc
    .tuple(fc.constantFrom('_versions._version', '_tipVersion', '_versionsCount'), test)
    .map(([field, is]) => ({ [field]: is })),
  fc.tuple(number, text).map(([n, s]) => ({
    _versions: { $elemMatch: { '_userAttributes.n': { $gte: n }, '_userAttributes.s': { $ne: s } } },
  })),
  fc.record({ _versions: fc.record({ $size: fc.integer({ min: 1, max: 3 }) }) }),
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
const simpleQuery = queryOf(
  fc
    .tuple(
      fc.constantFrom(
        '_name',
        '_userType',
        ...['n', 's', 'b', 'o.k', 'o.u', 'missing'].map((field) => `${ATTRIBUTES}.${field}`),
      ),
      test,
    )
    .filter(([, is]) => !(typeof is === 'object' && is !== null && ('$mod' in is || '$type' in is)))
    .map(([field, is]) => ({ [field]: is })),
);

/**
 * For any query the service must find what the database finds when it is asked the same of the shown items, and what mingo
 * finds, an engine that shares no code with either.
 */
describe('queries', () => {
  let app: TestApp;
  let owner: { authorization: string };
  let shown: Shown[];
  let shownWithAll: Shown[];

  const list = async (parameters: Record<string, object>) => {
    const texts = Object.entries(parameters).map(([name, json]) => [name, JSON.stringify(json)]);
    const reply = await app.api
      .get(`${API}/nameduseritems`)
      .query({ nsfilter: NS, page: '{"_pageSize":1000}', ...Object.fromEntries(texts) })
      .set(owner);
    if (reply.status !== 200) throw new Error(JSON.stringify(reply.body));
    return reply.body as { _list: Shown[]; _total: number };
  };
  const keep = (name: string, items: Shown[]) =>
    app.deps.mongo.db.collection<Shown>(name).insertMany(structuredClone(items));
  const findShown = (name: string, asked: object, options: object = {}) =>
    app.deps.mongo.db
      .collection(name)
      .find(asked, { sort: { _id: 1 }, ...options })
      .toArray();

  beforeAll(async () => {
    app = await startApp();
    owner = await app.caller('olga', NS);
    // The same items in every run, so that a failure can be repeated.
    const samples = fc.sample(fc.array(attributes, { minLength: 1, maxLength: 3 }), { numRuns: 60, seed: 7 });
    const items = samples.map(([first], n) => ({
      _name: `item ${n}`,
      _shortName: `i${n}`,
      _description: '',
      _namespaces: [NS],
      _userType: ['a', 'b', 'Door'][n % 3],
      _itemClass: 'NamedUserCollection',
      _version: { _userAttributes: first },
    }));
    const created = await app.api
      .post(`${API}/nameduseritems`)
      .query({ nsfilter: NS })
      .set(owner)
      .send(items)
      .expect(201);
    const ids = (created.body._list as Shown[]).map(({ _id }) => _id);
    for (const [n, [, ...later]] of samples.entries()) {
      for (const _userAttributes of later) {
        const path = `${API}/nameduseritems/${ids[n]}/versions`;
        await app.api.post(path).query({ nsfilter: NS }).set(owner).send({ _userAttributes }).expect(201);
      }
    }
    shown = (await list({}))._list;
    shownWithAll = (await list({ query: { '_versions.all': true } }))._list;
    await keep('shown', shown);
    await keep('shown_with_all', shownWithAll);
  });
  afterAll(() => app.stop());

  const idsOf = (items: { _id: unknown }[]) => items.map(({ _id }) => _id);
  const byMingo = (asked: object, items: Shown[]) => idsOf(items.filter((item) => new Query(asked).test(item)));

  it('show one version, or all with _versions.all', () => {
    expect(shown).toHaveLength(60);
    expect(new Set(shown.map(({ _versions }) => _versions.length))).toEqual(new Set([1]));
    expect(new Set(shownWithAll.map(({ _versions }) => _versions.length))).toEqual(new Set([1, 2, 3]));
  });

  it('find by the latest version', async () => {
    await fc.assert(
      fc.asyncProperty(query, async (asked) => {
        const { _list, _total } = await list({ query: asked, project: { _id: 1 } });
        expect(idsOf(_list)).toEqual(idsOf(await findShown('shown', asked)));
        expect(_total).toBe(_list.length);
      }),
      { numRuns: RUNS },
    );
  });

  it('find by any version with _versions.all', async () => {
    await fc.assert(
      fc.asyncProperty(query, async (asked) => {
        const { _list } = await list({ query: { '_versions.all': true, ...asked }, project: { _id: 1 } });
        expect(idsOf(_list)).toEqual(idsOf(await findShown('shown_with_all', asked)));
      }),
      { numRuns: RUNS },
    );
  });

  it.each([false, true])('agree with an independent engine (_versions.all: %s)', async (all) => {
    await fc.assert(
      fc.asyncProperty(simpleQuery, async (asked) => {
        const { _list } = await list({ query: { '_versions.all': all, ...asked }, project: { _id: 1 } });
        expect(idsOf(_list)).toEqual(byMingo(asked, all ? shownWithAll : shown));
      }),
      { numRuns: RUNS },
    );
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
      { numRuns: 60 },
    );
  });
});
