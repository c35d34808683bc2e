import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { itemClient, ITEMS, NS, OTHER } from './item-client.js';
import { startApp } from './start-app.js';
import type { TestApp } from './start-app.js';

let app: TestApp;
let owner: { authorization: string };
let rows: { _id: string };
const client = itemClient(() => ({ app, owner }));

beforeAll(async () => {
  app = await startApp();
  owner = await app.caller('olga', NS);
  rows = await client.createOne();
  await post('', JSON.stringify([{ a: { b: 1 }, color: 'red' }, { color: 'blue' }])).expect(201);
  const others = { authorization: (await app.caller('otto', OTHER)).authorization };
  const theirs = await app.api
    .post(ITEMS)
    .query({ nsfilter: OTHER })
    .set(others)
    .send([
      {
        _name: 'x',
        _shortName: 'x',
        _description: '',
        _namespaces: [OTHER],
        _userType: 'x',
        _itemClass: 'NamedUserCollection',
      },
    ]);
  const path = `${ITEMS}/${theirs.body._list[0]._id}/relateditems`;
  await app.api
    .post(path)
    .query({ nsfilter: OTHER })
    .set(others)
    .send([{ color: 'theirs' }])
    .expect(201);
});
afterAll(() => app.stop());

const post = (path: string, body: string) =>
  app.api
    .post(`${ITEMS}/${rows._id}/relateditems${path}`)
    .query({ nsfilter: NS })
    .set({ ...owner, 'content-type': 'application/json' })
    .send(body);
const list = (parameters: Record<string, unknown>) =>
  app.api
    .get(`${ITEMS}/${rows._id}/relateditems`)
    .query({
      nsfilter: NS,
      ...Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, JSON.stringify(value)])),
    })
    .set(owner);
const nested = (depth: number, inside: unknown): unknown =>
  depth === 0 ? inside : { $and: [nested(depth - 1, inside)] };

describe('a query of related items', () => {
  it.each<[unknown, string]>([
    [{ $where: '1' }, '$where'],
    [{ $expr: { $eq: ['$a', 1] } }, '$expr'],
    [{ $jsonSchema: {} }, '$jsonSchema'],
    [{ a: { $where: '1' } }, '$where'],
    [{ a: { $near: [1, 2] } }, '$near'],
    [{ $or: [{ a: 1 }, { $and: [{ a: { $not: { $bitsAllSet: 1 } } }] }] }, '$bitsAllSet'],
    [{ $nor: [{ a: { $elemMatch: { b: { $function: 'x' } } } }] }, '$function'],
    [{ a: { $all: [{ $elemMatch: { $expr: 1 } }] } }, '$expr'],
    [{ a: { $in: [{ $gt: 1 }] } }, '$gt'],
    [{ a: { b: { $ne: 1 } } }, '$ne'],
  ])('with an operator that is not allowed is refused: %j', async (query, name) => {
    const { body } = await list({ query }).expect(400);
    expect(body).toMatchObject({ code: 'UNKNOWN_OPERATOR', message: expect.stringContaining(name) });
  });

  it.each<[string, unknown]>([
    ['deep', nested(11, { a: 1 })],
    ['wide', Object.fromEntries(Array.from({ length: 201 }, (_, n) => [`f${n}`, n]))],
    ['wide below', { $or: Array.from({ length: 201 }, (_, n) => ({ a: n })) }],
    ['long in a list', { a: { $in: Array.from({ length: 1001 }, (_, n) => n) } }],
    ['a runaway expression', { color: { $regex: '(a+)+$' } }],
    ['an array', []],
    ['a text', 'a'],
    ['a path of a prototype', JSON.parse('{"__proto__":{"$ne":1}}')],
    ['a path with an operator', { 'a.$where': 1 }],
    ['a path with a null character', { 'a\0': 1 }],
  ])('that is %s is refused', async (_name, query) => {
    await list({ query }).expect(400);
  });

  it('never widens the collection, the version or the namespace', async () => {
    const everything: Record<string, unknown>[] = [
      { _itemId: { $exists: true } },
      { _versionId: { $ne: 'x' } },
      { $or: [{ _itemId: { $ne: 'x' } }, { color: { $ne: 'x' } }] },
      { $nor: [{ color: 'none' }] },
      { _id: { $gt: '' } },
      { constructor: { $exists: false } },
    ];
    for (const query of everything) {
      const { body } = await list({ query }).expect(200);
      for (const { color } of body._list) expect(['red', 'blue']).toContain(color);
      expect(body._total).toBeLessThanOrEqual(2);
    }
  });

  it.each([
    { sort: { a: 'up' } },
    { sort: { $natural: 1 } },
    { sort: [1] },
    { sort: { a: { $meta: 'textScore' } } },
    { project: { a: { $meta: 'textScore' } } },
    { project: { a: '$_itemId' } },
    { query: { _platform: 1 } },
    { query: { $or: [{ '_platform.itemId': { $exists: true } }] } },
    { sort: { '_platform.itemId': 1 } },
    { project: { _platform: 1 } },
    { project: { '_platform.itemId': 0 } },
    { project: { 'a.$': 1 } },
    { page: { _pageSize: -1 } },
    { page: { _offset: 1.5 } },
    { page: [] },
  ])('with wrong parameters is refused: %j', async (parameters) => {
    await list(parameters).expect(400);
  });
});

describe('bodies of related items', () => {
  it.each(['', '/bulk'])('of wrong types, or what cannot be stored, are refused (%s)', async (path) => {
    for (const body of [
      '',
      '{',
      'null',
      '1',
      '"x"',
      '{}',
      '[null]',
      '[[]]',
      '[1]',
      '[{"__proto__":1}]',
      '[{"a":{"b\\u0000":1}}]',
    ]) {
      await post(path, body).expect(400);
    }
    await post(path, `[${'{"a":'.repeat(70)}1${'}'.repeat(70)}]`).expect(400);
    await post(path, `[{"a":[${'1,'.repeat(1_100_000)}1]}]`).expect(400);
    expect((await list({}).expect(200)).body._total).toBe(2);
  });

  it('of more than 10 MiB are a 413, before they are read', async () => {
    const huge = JSON.stringify([{ a: 'x'.repeat(11 * 1024 * 1024) }]);
    for (const path of ['', '/bulk']) await post(path, huge).expect(413);
  });

  it('keep all names but the reserved one', async () => {
    const free = { _itemId: 'a', _versionId: null, _revision: 'r', _indexed: [1], _indexedLanguage: 'x', _hidden: 7 };
    for (const path of ['', '/bulk']) {
      const [stored] = (await post(path, JSON.stringify([free])).expect(201)).body._list;
      const { body } = await list({ query: { _id: stored._id, ...free, '_hidden.a': null } }).expect(200);
      expect(body._list).toEqual([{ ...stored, ...free }]);
      const projected = await list({ query: { _id: stored._id }, project: { _revision: 1, _id: 0 } }).expect(200);
      expect(projected.body._list).toEqual([{ _revision: 'r' }]);
      const nested = { list: [{ _platform: 1 }], inside: { _platform: 2 } };
      await post(path, JSON.stringify([nested])).expect(201);
      const asked = { list: { $elemMatch: { _platform: 1 } }, 'inside._platform': 2 };
      expect((await list({ query: asked }).expect(200)).body._list).toMatchObject([nested]);
      const refused = await post(path, '[{}, {"a": 1, "_platform": {"itemId": "x"}}]').expect(400);
      expect(refused.body.errors).toEqual([{ location: 'body.1._platform', message: 'is a reserved name' }]);
      await app.api
        .delete(`${ITEMS}/${rows._id}/relateditems/${stored._id}`)
        .query({ nsfilter: NS })
        .set(owner)
        .expect(204);
      const [left] = (await list({ query: asked }).expect(200)).body._list;
      await app.api
        .delete(`${ITEMS}/${rows._id}/relateditems/${left._id}`)
        .query({ nsfilter: NS })
        .set(owner)
        .expect(204);
    }
  });

  it('keep names with dots and dollars as they are', async () => {
    const odd = { 'a.b': 1, $set: { $inc: 1 }, 'x.$y': [{ '.': 1, '': 2 }], constructor: 'c', toString: null };
    for (const path of ['', '/bulk']) {
      const [stored] = (await post(path, JSON.stringify([odd])).expect(201)).body._list;
      const { body } = await list({ query: { _id: stored._id } }).expect(200);
      expect(JSON.parse(JSON.stringify(body._list[0]))).toMatchObject(odd);
    }
  });
});
