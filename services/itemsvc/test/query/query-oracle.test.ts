import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Query } from 'mingo';
import { API, startApp } from '../start-app.js';
import type { TestApp } from '../start-app.js';

const NS = 'oracle_a1b2c3d4';
const RUNS = 120;
const ATTRIBUTES = '_versions._userAttributes';

type Shown = { _id: string; _versions: unknown[] };

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
const ofAttribute = (field: string, test: fc.Arbitrary<unknown>) => asked(`${ATTRIBUTES}.${field}`, test);

const anything = fc.oneof(number, text, fc.boolean());
const plain = fc.oneof(
  ofAttribute('n', testOf(number)),
  ofAttribute('s', testOf(text)),
  ofAttribute('b', testOf(fc.boolean())),
  ofAttribute('o.k', testOf(number)),
  ofAttribute('missing', testOf(anything)),
  asked('_userType', testOf(text)),
);
const condition = fc.oneof(
  plain,
  plain,
  ofAttribute('rows.x', testOf(number)),
  ofAttribute('t', testOf(number)),
  ofAttribute('t', fc.record({ $size: fc.nat({ max: 3 }) })),
  ofAttribute('t', fc.record({ $all: fc.array(number, { minLength: 1, maxLength: 2 }) })),
  ofAttribute('t', fc.record({ $elemMatch: fc.record({ $gte: number, $lt: number }) })),
  ofAttribute('rows', fc.record({ $elemMatch: fc.record({ x: testOf(number), y: code }) })),
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
const simpleQuery = queryOf(
  plain.filter((one) => Object.values(one).every((is) => !/\$mod|\$type/.test(JSON.stringify(is)))),
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
  const findShown = (name: string, filter: object, options: object = {}) =>
    app.deps.mongo.db
      .collection(name)
      .find(filter, { sort: { _id: 1 }, ...options })
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
  const byMingo = (criteria: object, items: Shown[]) => idsOf(items.filter((item) => new Query(criteria).test(item)));

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

  it.each([false, true])('agree with an independent engine (_versions.all: %s)', async (all) => {
    await fc.assert(
      fc.asyncProperty(simpleQuery, async (conditions) => {
        const { _list } = await list({ query: { '_versions.all': all, ...conditions }, project: { _id: 1 } });
        expect(idsOf(_list)).toEqual(byMingo(conditions, all ? shownWithAll : shown));
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
