import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { REFUSED_JSON } from '@dtplatform/testing';
import { mapQueryErrors } from '../src/query/filters.store.js';
import { createSearchStore } from '../src/search/search.store.js';
import { createVersionReads } from '../src/versions/version-reads.store.js';
import { API, startApp } from './start-app.js';
import type { TestApp } from './start-app.js';

const NS = 'tower_a1b2c3d4';
const RUNS = 60;

const operator = fc.constantFrom(
  ...[
    '$eq',
    '$ne',
    '$gt',
    '$in',
    '$nin',
    '$exists',
    '$type',
    '$all',
    '$elemMatch',
    '$size',
    '$mod',
    '$regex',
    '$options',
  ],
  ...['$and', '$or', '$nor', '$not', '$text', '$search', '$where', '$expr', '$slice', '$meta', '$ref', '$id'],
);
const field = fc.constantFrom(
  '_name',
  '_versions',
  '_versions.all',
  '_versions.0',
  '_versions.a',
  '_id',
  'a.b',
  'a..b',
  '',
  '$',
  '__proto__',
  '0',
);
const garbage = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<unknown>(null, true, 0, 1, -1, 1.5, 1e300, '', 'a', '(', '\0', '$where'),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.oneof(operator, field, fc.string({ maxLength: 4 })), tie('value'), { maxKeys: 3 }),
  ),
})).value;

interface Created {
  _id: string;
  _tipId: string;
  _versions: { _userAttributes: unknown }[];
}

let app: TestApp;
let owner: { authorization: string };

beforeAll(async () => {
  app = await startApp();
  owner = await app.caller('olga', NS);
});
afterAll(() => app.stop());

describe('any input', () => {
  let item: Created;
  let composite: Created;

  beforeAll(async () => {
    const common = { _name: 'a', _shortName: 'a', _description: '', _namespaces: [NS], _userType: 'a' };
    const _version = { _userAttributes: { a: { b: [1, 'x', null] } } };
    const body = ['NamedUserCollection', 'NamedCompositeItem'].map((_itemClass) => ({
      ...common,
      _itemClass,
      _version,
    }));
    const created = await app.api
      .post(`${API}/nameduseritems`)
      .query({ nsfilter: NS })
      .set(owner)
      .send(body)
      .expect(201);
    [item, composite] = created.body._list;
    await app.api
      .post(`${API}/nameduseritems/${item._id}/relateditems`)
      .query({ nsfilter: NS })
      .set(owner)
      .send([{ a: 1 }])
      .expect(201);
  });

  const expectAnswer = ({ status, body }: { status: number; body: unknown }, success: number[]) => {
    if (success.includes(status)) return;
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
    expect(body).toMatchObject({
      status,
      code: expect.any(String),
      message: expect.any(String),
      requestId: expect.any(String),
    });
  };

  it('as parameters of lists, the answer is a list or a refusal in our format', async () => {
    const paths = [
      '/nameduseritems',
      `/nameduseritems/${item._id}/versions`,
      `/nameduseritems/${item._id}/relateditems`,
      `/nameduseritems/${item._id}/updatelogs`,
      `/nameduseritems/${composite._id}/relatedcollections`,
    ];
    const parameters = fc.dictionary(
      fc.constantFrom('query', 'project', 'sort', 'page', 'userItemVersionId'),
      garbage,
      { minKeys: 1, maxKeys: 2 },
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...paths), parameters, async (path, values) => {
        const texts = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, JSON.stringify(value)]));
        const response = await app.api
          .get(`${API}${path}`)
          .query({ nsfilter: NS, ...texts })
          .set(owner);
        expectAnswer(response, [200]);
      }),
      { numRuns: RUNS },
    );
  });

  it('in searches, the answer is a page or a refusal in our format', async () => {
    const operators = fc.constantFrom('$findInCollections', '$findWithRelated', '$distinctRelatedItemFields', '$where');
    const known = { collectionDesc: { _itemClass: 'NamedUserCollection' } };
    const wanted = fc.record({ query: garbage, options: garbage, fields: garbage, as: garbage }, { requiredKeys: [] });
    const part = fc.tuple(wanted, garbage, fc.boolean()).map(([more, desc, isGarbage]) => ({
      ...more,
      ...(isGarbage ? { collectionDesc: desc } : known),
      parent: known,
      related: [{ relatedDesc: isGarbage ? desc : { _relatedUserType: 'a' }, as: 'x', ...more }],
    }));
    await fc.assert(
      fc.asyncProperty(operators, part, async (operator, search) => {
        const body = JSON.stringify({ [operator]: search });
        const headers = { ...owner, 'content-type': 'application/json' };
        const path = `${API}/nameduseritems/search`;
        expectAnswer(await app.api.post(path).query({ nsfilter: NS }).set(headers).send(body), [200]);
      }),
      { numRuns: RUNS },
    );
  });

  const nested = (depth: number, inside: unknown): unknown =>
    depth === 0 ? inside : { $and: [nested(depth - 1, inside)] };
  const listed = (query: unknown) => ({ query: JSON.stringify(query) });
  it.each([
    ['an operator that is not on the list', listed({ a: { $where: '1' } }), 'UNKNOWN_OPERATOR', '$where'],
    [
      'one below $not, $elemMatch and $all',
      listed({ a: { $not: { $elemMatch: { $expr: 1 } } } }),
      'UNKNOWN_OPERATOR',
      '$expr',
    ],
    ['one at any depth', listed(nested(8, { $function: {} })), 'UNKNOWN_OPERATOR', '$function'],
    ['11 levels', listed(nested(11, { a: 1 })), 'QUERY_TOO_COMPLEX', ''],
    [
      '201 conditions',
      listed({ $or: Array.from({ length: 201 }, (_, n) => ({ [`f${n}`]: n })) }),
      'QUERY_TOO_COMPLEX',
      '',
    ],
    ['1001 values', listed({ a: { $in: Array(1001).fill(1) } }), 'INVALID_QUERY', '$in'],
    ['an expression that runs away', listed({ a: { $regex: '(a+)+$' } }), 'UNSAFE_REGULAR_EXPRESSION', ''],
    ['a prototype key', { query: '{"__proto__":{"a":1}}' }, 'BAD_REQUEST', ''],
    ['a sort by a prototype key', { sort: '{"__proto__":1}' }, 'BAD_REQUEST', ''],
    ['a projection of an operator', { project: '{"a":{"$slice":1}}' }, 'INVALID_PROJECTION', ''],
    ['a negative offset', { page: '{"_offset":-1}' }, 'BAD_REQUEST', ''],
    ['a page size that is no whole number', { page: '{"_pageSize":1.5}' }, 'BAD_REQUEST', ''],
  ])('%s is refused by every list', async (_what, parameters, code, names) => {
    const lists = ['', `/${item._id}/versions`, `/${item._id}/relateditems`, `/${composite._id}/relatedcollections`];
    for (const path of lists) {
      const query = { nsfilter: NS, query: '{}', ...parameters };
      const { status, body } = await app.api.get(`${API}/nameduseritems${path}`).query(query).set(owner);
      expect({ path, status, code: body.code, named: body.message.includes(names) }).toEqual({
        path,
        status: 400,
        code,
        named: true,
      });
    }
  });

  it.each(['', 'a\0b', 'tab\there', '\u0085', 'x'.repeat(129)])('namespaces cannot be %j', async (nsfilter) => {
    for (const path of ['nameduseritems', `nameduseritems/${item._id}`, 'telemetryconfigs', 'permissions']) {
      const name = path === 'permissions' ? '_namespace' : 'nsfilter';
      const query = { [name]: nsfilter };
      const { body } = await app.api.get(`${API}/${path}`).query(query).set(owner).expect(400);
      expect(body.errors[0].location).toBe(`query.${name}`);
    }
    const moved = { _name: 'n', _description: '', _userType: 'u', _namespaces: [NS, nsfilter] };
    const put = app.api.put(`${API}/nameduseritems/${item._id}`).query({ nsfilter: NS }).set(owner).send(moved);
    expect((await put.expect(400)).body.errors[0].location).toBe('body._namespaces.1');
  });

  it('namespaces in a query do not widen it', async () => {
    const foreign = await app.caller('fred', 'foreign_1');
    const queries = [{ _namespaces: NS }, { $or: [{ _namespaces: NS }, { _id: item._id }] }, { $nor: [{ _id: 'x' }] }];
    for (const query of queries) {
      for (const more of [{}, { '_versions.all': true }]) {
        const text = JSON.stringify({ ...query, ...more });
        const lists = app.api.get(`${API}/nameduseritems`).query({ nsfilter: 'foreign_1', query: text });
        expect((await lists.set(foreign).expect(200)).body).toMatchObject({ _total: 0, _list: [] });
      }
    }
  });

  it('keys with dots and dollars are refused in attributes, and prototype keys everywhere', async () => {
    const path = `${API}/nameduseritems/${item._id}/versions`;
    const add = (text: string) =>
      app.api
        .post(path)
        .query({ nsfilter: NS })
        .set({ ...owner, 'content-type': 'application/json' })
        .send(text);
    const _userAttributes = { constructor: { prototype: 1 }, '': 0, price$: 1 };
    const _userData = { 'a.b': 1, $set: { $where: 'x' }, ..._userAttributes };
    const added = await add(JSON.stringify({ _userAttributes, _userData })).expect(201);
    expect(added.body).toMatchObject({ _userAttributes, _userData });
    for (const wrong of [{ 'a.b': 1 }, { $where: 'x' }, { a: { b: [{ $set: 1 }] } }]) {
      const refused = await add(JSON.stringify({ _userAttributes: wrong })).expect(400);
      expect(refused.body.errors).toEqual([{ location: 'body._userAttributes', message: expect.any(String) }]);
    }
    const read = await app.api.get(`${path}/${added.body._id}`).query({ nsfilter: NS }).set(owner).expect(200);
    expect(read.body).toEqual(added.body);
    await add('{"_userAttributes":{"__proto__":{"a":1}}}').expect(400);
    await add('{"_userAttributes":{"a":{"\\u005f_proto__":1}}}').expect(400);
    await add('{"_userAttributes":{"a\\u0000":1}}').expect(400);
    await add(JSON.stringify({ _userData: 'x'.repeat(11 * 1024 * 1024) })).expect(413);
  });

  it.each([
    ['nsfilter twice', 400, (api: TestApp['api']) => api.get(`${API}/nameduseritems?nsfilter=${NS}&nsfilter=b`)],
    [
      'transactional that is no boolean',
      400,
      (api: TestApp['api']) => api.delete(`${API}/nameduseritems/x?nsfilter=${NS}&transactional=2`),
    ],
  ])('%s is a %i', async (_what, status, call) => {
    const response = await call(app.api).set(owner);
    expect(response.body).toMatchObject({ status, code: expect.any(String), requestId: expect.any(String) });
    expect(response.status).toBe(status);
  });

  it('a trailing slash makes no difference', async () => {
    await app.api.get(`${API}/nameduseritems/?nsfilter=${NS}`).set(owner).expect(200);
    await app.api.get(`${API}/nameduseritems/${item._id}/?nsfilter=${NS}`).set(owner).expect(200);
    await app.api.get(`${API}/telemetryconfigs/`).set(owner).expect(200);
  });
});

describe('text', () => {
  it('that cannot be kept is a 400 that names the place in a parameter of JSON', async () => {
    const list = (parameters: object) =>
      app.api
        .get(`${API}/nameduseritems`)
        .query({ nsfilter: NS, ...parameters })
        .set(owner);
    for (const name of ['query', 'project', 'sort', 'page']) {
      for (const value of REFUSED_JSON) {
        const { status, body } = await list({ [name]: `{"a": ${value}}` });
        expect([value, status, body.errors]).toEqual([
          value,
          400,
          [{ location: `query.${name}`, message: expect.stringMatching(/^has .*: a\b/) }],
        ]);
      }
    }
    const { body } = await list({ query: '{"$or": [{"b": 1}, {"a": 1e999}]}' }).expect(400);
    expect(body.errors[0].message).toMatch(/: \$or\[1\]\.a$/);
  });
});

describe('queries that the database refuses', () => {
  beforeAll(async () => {
    await app.deps.mongo.db.collection('items').insertOne({ a: 'x' });
  });

  const ask = (filter: object, options: object = {}) =>
    mapQueryErrors(() => app.deps.mongo.db.collection('items').find(filter, options).toArray());

  it('get 400 QUERY_TOO_SLOW past the time limit', async () => {
    await expect(ask({ $where: 'sleep(500) || true' }, { maxTimeMS: 20 })).rejects.toMatchObject({
      status: 400,
      code: 'QUERY_TOO_SLOW',
    });
  });

  it('get 400 TEXT_INDEX_MISSING without a text index', async () => {
    await expect(ask({ $text: { $search: 'x' } })).rejects.toMatchObject({ status: 400, code: 'TEXT_INDEX_MISSING' });
  });

  it('get 400 INVALID_QUERY for an unknown operator', async () => {
    await expect(ask({ $unknown: 1 })).rejects.toMatchObject({ status: 400, code: 'INVALID_QUERY' });
  });

  it('get 400 QUERY_TOO_SLOW in every step of a search', async () => {
    const { mongo } = app.deps;
    const id = 'a'.repeat(24);
    await mongo.db
      .collection<{ _id: string }>('slow')
      .insertOne({ _id: id, ...{ _platform: { itemId: id, versionId: id }, _related: [], _tip: { _id: id } } });
    const body = 'function () { sleep(3000); return true; }';
    const slowly = [{ $match: { $expr: { $function: { body, args: [], lang: 'js' } } } }];
    for (const name of ['items', 'related_items']) {
      await mongo.db.collection(name).drop();
      await mongo.db.createCollection(name, { viewOn: 'slow', pipeline: slowly });
    }
    const owner = {
      item: { _id: id, _userItemId: id, _itemClass: 'NamedUserCollection' as const },
      version: { _id: id, _version: 1 },
    };
    const search = createSearchStore(mongo);
    const steps = [
      createVersionReads(mongo).choose(id, { numbers: [], ids: [id] }),
      search.relationsOf(owner, [id]),
      search.read([id], undefined),
      search.distinct({ owner, allowed: 'all' }, undefined, 'a'),
    ];
    const tooSlow = { status: 'rejected', reason: expect.objectContaining({ status: 400, code: 'QUERY_TOO_SLOW' }) };
    expect(await Promise.allSettled(steps)).toEqual(steps.map(() => tooSlow));
  });
});
