import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { itemClient, ITEMS, NS, OTHER } from './item-client.js';
import { startApp } from './start-app.js';
import type { TestApp } from './start-app.js';

const fileId = () => randomBytes(12).toString('hex');

let app: TestApp;
let owner: { authorization: string };

beforeAll(async () => {
  app = await startApp();
  owner = await app.caller('olga', NS);
});
afterAll(() => app.stop());

describe('related items', () => {
  const collection = async (_itemClass = 'NamedUserCollection') => {
    const _version = { _userAttributes: {}, _userData: {} };
    const item = { _name: 'Rows', _shortName: 'rows', _description: '', _namespaces: [NS], _userType: 'rows' };
    const body = [{ ...item, _itemClass, _version }];
    return (await app.api.post(ITEMS).query({ nsfilter: NS }).set(owner).send(body).expect(201)).body._list[0];
  };
  const path = (id: string) => `${ITEMS}/${id}/relateditems`;
  const add = (id: string, body: unknown, query: object = {}) =>
    app.api
      .post(path(id))
      .query({ nsfilter: NS, ...query })
      .set(owner)
      .send(body as object);
  const list = async (id: string, parameters: Record<string, unknown> = {}, query: object = {}) => {
    const texts = Object.entries(parameters).map(([name, json]) => [name, JSON.stringify(json)]);
    const response = await app.api
      .get(path(id))
      .query({ nsfilter: NS, ...Object.fromEntries(texts), ...query })
      .set(owner)
      .expect(200);
    return response.body;
  };

  describe('of a file collection', () => {
    it('refer to files that the caller may read', async () => {
      const files = await collection('NamedFileCollection');
      const known = [fileId(), fileId()];
      known.forEach((id) => app.files.known.add(id));
      const entry = {
        _fileId: known[0],
        _fileVersionId: 'v1',
        _fileRepositoryId: 'r',
        filename: 'plan.ifc',
        srcId: 's',
        aspect: '3d',
        encoding: ['gzip'],
        contentType: 'application/x-step',
        floor: { level: 2 },
        _related: [{ _relatedUserItemDbId: files._id, _relatedToIds: ['a'] }],
      };
      const stray = { _id: 'mine', _metadata: 1 };
      const response = await add(files._userItemId, [
        { ...entry, ...stray },
        { _fileId: known[1] },
        { _fileId: known[0] },
      ]).expect(201);
      expect(response.body).toMatchObject({ _offset: 0, _pageSize: 3, _total: 3, _includeTotal: true, _failures: [] });
      const [first, second] = response.body._list;
      expect(first).toEqual({
        ...entry,
        _id: expect.stringMatching(/^[0-9a-f]{24}$/),
        _guid: expect.stringMatching(/^[0-9a-f-]{36}$/),
        _metadata: expect.objectContaining({ _createdById: 'olga' }),
      });
      expect(second._guid).not.toBe(first._guid);
      expect(app.files.asked.at(-1)).toMatchObject({ ids: known, token: owner.authorization.replace('Bearer ', '') });
      expect(await list(files._id)).toEqual({
        _offset: 0,
        _pageSize: 25,
        _total: 3,
        _includeTotal: true,
        _list: response.body._list,
      });
    });

    it('are refused as a whole when a file is missing', async () => {
      const files = await collection('NamedFileCollection');
      const known = fileId();
      app.files.known.add(known);
      for (const transactional of [false, true]) {
        const response = await add(files._id, [{ _fileId: known }, { _fileId: fileId() }], { transactional }).expect(
          400,
        );
        expect(response.body).toMatchObject({ code: 'FILE_MISSING', errors: [{ location: 'body.1._fileId' }] });
      }
      expect((await list(files._id))._total).toBe(0);
    });

    it.each([
      [[{}], 'body.0._fileId'],
      [[{ _fileId: 7 }], 'body.0._fileId'],
      [[{ _fileId: 'a', encoding: 'gzip' }], 'body.0.encoding'],
      [[{ _fileId: 'a', _related: [{}] }], 'body.0._related.0._relatedUserItemDbId'],
    ])('are refused as %j', async (body, location) => {
      const files = await collection('NamedFileCollection');
      const response = await add(files._id, body).expect(400);
      expect(response.body.errors[0].location).toBe(location);
    });
  });

  describe('of other collections', () => {
    it('store any fields in a user collection', async () => {
      const rows = await collection();
      const free = { a: 1, nested: { b: [1, { c: null }] }, encoding: 5, $odd: 1, 'dotted.key': 2 };
      const response = await add(rows._id, [free], { transactional: true }).expect(201);
      expect(response.body).not.toHaveProperty('_failures');
      expect(response.body._list[0]).toEqual({ ...free, _id: expect.any(String), _metadata: expect.anything() });
      expect((await list(rows._id))._list).toEqual(response.body._list);
    });

    it('need a source in a telemetry collection', async () => {
      const points = await collection('NamedTelemetryCollection');
      await add(points._id, [{ name: 'x' }]).expect(400);
      await add(points._id, [{ _sourceId: 'sensor-1', name: 'x' }]).expect(201);
    });

    it.each(['NamedCompositeItem', 'Script', 'UserConfig'])('are refused for a %s', async (itemClass) => {
      const item = await collection(itemClass);
      expect((await add(item._id, [{ a: 1 }]).expect(400)).body.code).toBe('NO_RELATED_ITEMS');
      await app.api.get(path(item._id)).query({ nsfilter: NS }).set(owner).expect(400);
    });

    it.each([[[]], [{}], ['x'], [[1]], [Array.from({ length: 1001 }, () => ({ a: 1 }))]])(
      'are refused unless they are 1 to 1000 objects',
      async (body) => {
        await add((await collection())._id, body).expect(400);
      },
    );

    it('leave out rows that are too large, or write nothing in a transactional call', async () => {
      const rows = await collection();
      const huge = { values: new Array(900_000).fill(1) };
      const partly = await add(rows._id, [{ a: 1 }, huge]).expect(201);
      expect(partly.body).toMatchObject({
        _total: 1,
        _failures: [{ index: 1, code: 'VERSION_TOO_LARGE', message: 'An entry can have at most 8 MiB.' }],
      });
      await add(rows._id, [{ a: 1 }, huge], { transactional: true }).expect(400);
      expect((await list(rows._id))._total).toBe(1);
    });
  });

  it('belong to a version: the tip, or the one that the call names', async () => {
    const rows = await collection();
    const first = rows._tipId;
    await add(rows._id, [{ of: 'first' }]).expect(201);
    const second = (
      await app.api.post(`${ITEMS}/${rows._id}/versions`).query({ nsfilter: NS }).set(owner).send({}).expect(201)
    ).body;
    expect(await list(rows._id)).toMatchObject({ _total: 0, _list: [] });

    await add(rows._id, [{ of: 'second' }]).expect(201);
    await add(rows._id, [{ of: 'first again' }], { userItemVersionId: first }).expect(201);
    const of = async (query: object) => (await list(rows._id, {}, query))._list.map((row: { of: string }) => row.of);
    expect(await of({})).toEqual(['second']);
    expect(await of({ userItemVersionId: second._id })).toEqual(['second']);
    expect(await of({ userItemVersionId: first })).toEqual(['first', 'first again']);

    const other = await collection();
    for (const userItemVersionId of [other._tipId, 'unknown']) {
      await add(rows._id, [{}], { userItemVersionId }).expect(404);
      await app.api.get(path(rows._id)).query({ nsfilter: NS, userItemVersionId }).set(owner).expect(404);
    }
  });

  it('are found by query, projected, sorted and paged', async () => {
    const rows = await collection();
    await add(
      rows._id,
      Array.from({ length: 40 }, (_, n) => ({ n, kind: n % 2 ? 'odd' : 'even' })),
    ).expect(201);
    const ns = ({ _list }: { _list: { n: number }[] }) => _list.map(({ n }) => n);
    expect(await list(rows._id)).toMatchObject({ _pageSize: 25, _total: 40 });
    const odd = await list(rows._id, {
      query: { kind: 'odd', n: { $gt: 5 } },
      sort: { n: -1 },
      page: { _pageSize: 3, _offset: 1 },
    });
    expect([ns(odd), odd._total]).toEqual([[37, 35, 33], 17]);
    expect((await list(rows._id, { project: { n: 1, _id: 0 }, page: { _pageSize: 1 } }))._list).toEqual([{ n: 0 }]);
    expect((await list(rows._id, { project: { _itemId: 1, _versionId: 1 }, page: { _pageSize: 1 } }))._list).toEqual([
      { _id: expect.any(String) },
    ]);

    const reject = (parameters: object) =>
      app.api
        .get(path(rows._id))
        .query({ nsfilter: NS, ...parameters })
        .set(owner)
        .expect(400);
    expect((await reject({ query: '{"$where":"1"}' })).body).toMatchObject({
      code: 'UNKNOWN_OPERATOR',
      message: '$where is not allowed.',
    });
    expect((await reject({ query: '{"$text":{"$search":"x"}}' })).body.code).toBe('TEXT_INDEX_MISSING');
    await reject({ page: '{"_offset":-1}' });
  });

  it('need an existing collection', async () => {
    await add('6b01e9fb590ff35d0952a9ce', [{ a: 1 }]).expect(404);
    await app.api.get(path('6b01e9fb590ff35d0952a9ce')).query({ nsfilter: NS }).set(owner).expect(404);
  });
});

describe('input', () => {
  let rows: { _id: string };
  const client = itemClient(() => ({ app, owner }));

  beforeAll(async () => {
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
        const rejected = await post(path, '[{}, {"a": 1, "_platform": {"itemId": "x"}}]').expect(400);
        expect(rejected.body.errors).toEqual([{ location: 'body.1._platform', message: 'is a reserved name' }]);
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
});
