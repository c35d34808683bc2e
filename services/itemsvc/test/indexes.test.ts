import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { UsageRecorded } from '@dtplatform/contracts';
import { newId } from '@dtplatform/mongo';
import { eventually } from '@dtplatform/testing';
import { createIndexBuilder } from '../src/indexes/indexes.store.js';
import { indexClient } from './index-client.js';
import type { Row } from './index-client.js';
import { itemClient, NS, OTHER } from './item-client.js';
import { startApp } from './start-app.js';
import type { TestApp } from './start-app.js';

const MIB = 1024 * 1024;
type Caller = { authorization: string };

let app: TestApp;
let owner: Caller;
const client = itemClient(() => ({ app, owner }));
const { send, index, addTo, found, list, ready, indexed } = indexClient(() => ({ app, owner }));

beforeAll(async () => {
  app = await startApp();
  owner = await app.caller('olga', NS);
  await app.startWorker();
});
afterAll(() => app.stop());

describe('indexes on related items', () => {
  it('are created, listed and removed', async () => {
    const { _id, _userItemId } = await client.createOne();
    const wanted = [
      { key: { kind: 1 }, options: { name: 'by kind', unique: true }, stray: 1 },
      { key: { 'size.height': -1 } },
      { key: { title: 'text', note: 'text' }, options: {} },
    ];
    const shown = [
      { key: { kind: 1 }, options: { name: 'by kind' } },
      { key: { 'size.height': -1 }, options: { name: 'size.height_-1' } },
      { key: { title: 'text', note: 'text' }, options: { name: 'title_text_note_text' } },
    ];
    const response = await index(_userItemId, ...wanted).expect(201);
    expect(response.body).toMatchObject({ _total: 3, _list: shown });
    // Again: they are there.
    expect((await index(_id, wanted[1]).expect(201)).body._list).toMatchObject([shown[1]]);
    await ready(_id);
    const { body } = await send('get', `${_id}/indexes`).expect(200);
    expect(body).toEqual({
      _offset: 0,
      _pageSize: 3,
      _total: 3,
      _list: shown.map((one) => ({ ...one, _status: 'READY' })),
    });
    await send('delete', `${_id}/indexes/${encodeURIComponent('by kind')}`).expect(204);
    await send('delete', `${_id}/indexes/none`).expect(404);
    expect((await send('get', `${_id}/indexes`).expect(200)).body._total).toBe(2);
  });

  it.each([
    [[]],
    [{}],
    [[{}]],
    [[{ key: {} }]],
    [[{ key: { a: 2 } }]],
    [[{ key: { a: '2dsphere' } }]],
    [[{ key: { a: 1, b: 1 } }]],
    [[{ key: { a: 1, b: 'text' } }]],
    [[{ key: { '': 1 } }]],
    [[{ key: { $where: 1 } }]],
    [[{ key: { 'a.$b': 1 } }]],
    [[{ key: { 'a..b': 1 } }]],
    [[{ key: { '$**': 1 } }]],
    [[{ key: { a: 1 }, options: { name: '' } }]],
    [[{ key: { a: 1 }, options: { name: 7 } }]],
    [[{ key: [1] }]],
    [Array.from({ length: 11 }, (_, n) => ({ key: { [`f${n}`]: 1 } }))],
  ])('are refused as %j', async (body) => {
    const { _id } = await client.createOne();
    await send('post', `${_id}/indexes`)
      .send(body as object)
      .expect(400);
    expect((await send('get', `${_id}/indexes`).expect(200)).body._total).toBe(0);
  });

  it('have different names, one of them is for text, and there are at most ten', async () => {
    const { _id } = await client.createOne();
    await index(_id, { key: { a: 1 }, options: { name: 'n' } }).expect(201);
    expect((await index(_id, { key: { b: 1 }, options: { name: 'n' } }).expect(400)).body.code).toBe('INDEX_EXISTS');
    await index(_id, { key: { a: 'text' } }).expect(201);
    expect((await index(_id, { key: { b: 'text' } }).expect(400)).body.code).toBe('INDEX_EXISTS');
    const more = (count: number) => Array.from({ length: count }, (_, n) => ({ key: { [`f${n}`]: 1 } }));
    expect((await index(_id, ...more(9)).expect(400)).body.code).toBe('TOO_MANY_INDEXES');
    await index(_id, ...more(8)).expect(201);
    const [one, other] = await Promise.all([index(_id, { key: { x: 1 } }), index(_id, { key: { y: 1 } })]);
    expect([one.status, other.status]).toEqual([400, 400]);
    await send('delete', `${_id}/indexes/n`).expect(204);
    await index(_id, { key: { x: 1 } }).expect(201);
  });

  it('need EDIT on the collection itself, and are there for collections only', async () => {
    const item = await client.createOne();
    const reader = await app.caller('rita', NS, ['READ']);
    const create = (caller: Caller, id = item._id) =>
      send('post', `${id}/indexes`, {}, caller).send([{ key: { a: 1 } }]);
    await create(reader).expect(403);
    await send('delete', `${item._id}/indexes/a_1`, {}, reader).expect(403);
    await send('get', `${item._id}/indexes`, {}, reader).expect(200);
    await create(await app.caller('otto', OTHER)).expect(404);
    await create(owner, '6b01e9fb590ff35d0952a9ce').expect(404);
    const script = await client.createOne({ _itemClass: 'Script', _version: { _userData: 'x' } });
    expect((await create(owner, script._id).expect(400)).body.code).toBe('NO_RELATED_ITEMS');
    await send('get', `${script._id}/indexes`).expect(400);
  });

  it('contain what is added, replaced and removed while they are built, and afterwards', async () => {
    const { _id } = await client.createOne();
    const before = await addTo(
      _id,
      Array.from({ length: 900 }, (_, n) => ({ n, kind: 'old' })),
    );
    const created = index(_id, { key: { kind: 1 } });
    const during = Array.from({ length: 6 }, (_, n) => addTo(_id, [{ n: 1000 + n, kind: 'new' }]));
    const put = send('put', `${_id}/relateditems/${before[899]!._id}`).send({ n: 899, kind: 'new' });
    await Promise.all([created.expect(201), ...during, put.expect(200)]);
    await ready(_id);
    expect((await found(_id, { query: { kind: 'new' } }))._total).toBe(7);
    expect((await found(_id, { query: { kind: 'old' } }))._total).toBe(899);
    await send('put', `${_id}/relateditems/${before[0]!._id}`).send({ kind: 'new' }).expect(200);
    await send('delete', `${_id}/relateditems/${before[1]!._id}`).expect(204);
    expect((await found(_id, { query: { kind: 'new' } }))._total).toBe(8);
    expect((await found(_id, { query: { kind: 'old' } }))._total).toBe(897);
    const page = await found(_id, { sort: { kind: 1 }, page: { _pageSize: 1 } });
    expect(page).toMatchObject({ _total: 905, _list: [{ kind: 'new' }] });
    for (const row of page._list)
      expect(Object.keys(row).sort()).toEqual(['_id', '_metadata', 'kind', 'n'].filter((key) => key in row));
  });

  it('are not shown, and neither are they counted as bytes', async () => {
    const { _id, _tipId } = await client.createOne();
    await indexed(_id, { key: { a: 1 } }, { key: { a: 'text' } });
    const sent = { a: 'text', _indexed: { s0: { i: 'x', v: 1 } }, _indexedLanguage: 'klingon', language: 'klingon' };
    const [row] = await addTo(_id, [sent]);
    expect(row).toEqual({ ...sent, _id: expect.any(String), _metadata: expect.anything() });
    expect((await found(_id))._list).toEqual([row]);
    expect((await found(_id, { query: { a: 'text' }, sort: { a: 1 } }))._list).toEqual([row]);
    expect((await found(_id, { query: { $text: { $search: 'text' } } }))._list).toEqual([row]);
    const sizes = async () => {
      const messages = await app.mongo.db.collection('outbox').find({ queue: 'metricsvc.usage' }).toArray();
      // A relay puts them into batches.
      const single = messages.flatMap(({ payload }) => payload.messages ?? [payload]);
      const changes = single.flatMap((message) => UsageRecorded.parse(message)._changes);
      return changes
        .filter(({ _metric, _dimensions }) => _dimensions.version === _tipId && _metric.endsWith('VersionSize'))
        .reduce((sum, { _amount }) => sum + _amount, 0);
    };
    await send('delete', _id).expect(204);
    await eventually(async () => {
      const { db } = app.mongo;
      expect(await db.collection('related_items').countDocuments({ '_platform.itemId': _id })).toBe(0);
      expect(await db.collection('related_indexes').countDocuments({ _itemId: _id })).toBe(0);
    });
    expect(await sizes()).toBe(0);
  });

  it('leave nothing of a removed index to the one that takes its place', async () => {
    const { _id } = await client.createOne();
    await indexed(_id, { key: { a: 1 } });
    await addTo(_id, [
      { a: 1, b: 2 },
      { a: 2, b: 1 },
    ]);
    await send('delete', `${_id}/indexes/a_1`).expect(204);
    await indexed(_id, { key: { b: 1 } });
    expect((await found(_id, { query: { b: 1 } }))._list).toMatchObject([{ a: 2 }]);
    expect((await found(_id, { sort: { b: 1 } }))._list).toMatchObject([{ b: 1 }, { b: 2 }]);
    await send('delete', `${_id}/indexes/b_1`).expect(204);
    const left = { '_platform.itemId': _id, '_platform.indexed.s0': { $exists: true } };
    await eventually(async () => expect(await app.mongo.db.collection('related_items').countDocuments(left)).toBe(0));
    expect((await found(_id, { query: { b: 1 }, sort: { a: 1 } }))._list).toMatchObject([{ a: 2 }]);
  });
});

describe('the builder of indexes', () => {
  const related = () => app.mongo.db.collection<Row & { _id: string }>('related_items');
  /** A collection with an index that no worker fills. */
  const withIndex = async (fields: Row, rows: object[]) => {
    const { _id } = await client.createOne();
    for (const row of rows) await addTo(_id, [row]);
    const one = { _id: newId(), _itemId: _id, name: 'one', status: 'BUILDING', isMixed: false };
    const kinds = Object.entries(fields).map(([path, kind]) => ({ path, kind }));
    const stored = { ...one, fields: kinds, ...(kinds[0]!.kind !== 'text' && { slot: 0 }) };
    await app.mongo.db.collection<{ _id: string }>('related_indexes').insertOne(stored);
    return { itemId: _id as string, indexId: one._id };
  };

  it.each([[{ kind: 1 }], [{ kind: 'text', 'kind.a': 'text' }]])(
    'reads only the fields of an index (%j)',
    async (key) => {
      const heavy = 'x'.repeat(3 * MIB);
      const rows = Array.from({ length: 4 }, (_, n) => ({ kind: `k${n}`, heavy }));
      const { itemId, indexId } = await withIndex(key, rows);
      const { db } = app.mongo;
      await db.command({ profile: 2 });
      const builder = createIndexBuilder(app.mongo);
      expect([await builder.fillSome(indexId), await builder.fillSome(indexId)]).toEqual([true, false]);
      const slot = key.kind === 1 ? 0 : undefined;
      await builder.clearSome(itemId, indexId, slot, undefined);
      await db.command({ profile: 0 });
      const reads = await db.collection('system.profile').find({ 'command.find': 'related_items' }).toArray();
      await db.collection('system.profile').drop();
      expect(reads.map(({ responseLength }) => Number(responseLength))).toHaveLength(3);
      expect(Math.max(...reads.map(({ responseLength }) => Number(responseLength)))).toBeLessThan(10_000);
    },
  );

  it('fills few related items at once whose fields are large', async () => {
    const kind = 'x'.repeat(1.5 * MIB);
    const { itemId, indexId } = await withIndex({ kind: 1 }, Array(5).fill({ kind }));
    const filled = () => related().countDocuments({ '_platform.itemId': itemId, '_platform.indexed.s0.i': indexId });
    const builder = createIndexBuilder(app.mongo);
    await builder.fillSome(indexId);
    expect(await filled()).toBeGreaterThan(0);
    expect(await filled()).toBeLessThan(3);
    while (await builder.fillSome(indexId));
    expect(await filled()).toBe(5);
  });
});

describe('an index changes no result', () => {
  const value = fc.oneof(
    fc.constantFrom<unknown>(null, true, false, 0, 1, 2, -1, 1.5, '', 'a', 'b', 'ab', 'x'.repeat(600)),
    fc.constantFrom<unknown>([], [1], [2, 'a'], [[1]], [{ b: 1 }], {}, { b: 1 }, { b: [1, 2] }, { b: { c: 1 } }),
  );
  const simple = fc.constantFrom<unknown>(null, true, false, 0, 1, 2, -1, 1.5, '', 'a', 'b', 'ab');
  const rowOf = (one: fc.Arbitrary<unknown>) => fc.record({ a: one, b: one, n: fc.nat(3) }, { requiredKeys: [] });
  const operand = fc.constantFrom<unknown>(null, true, false, 0, 1, 2, 'a', 'b', '', 'x'.repeat(600), [1], [], {
    b: 1,
  });
  const path = fc.constantFrom('a', 'b', 'a.b', 'a.b.c', 'a.0', 'n');
  const test = fc.oneof(
    operand,
    fc
      .tuple(fc.constantFrom('$eq', '$ne', '$gt', '$gte', '$lt', '$lte'), operand)
      .map(([key, one]) => ({ [key]: one })),
    fc.record({ $gte: operand, $lt: operand }),
    fc.array(operand, { maxLength: 3 }).map(($in) => ({ $in })),
    fc.array(operand, { maxLength: 3 }).map(($nin) => ({ $nin })),
    fc.constantFrom<unknown>({ $regex: '^a' }, { $regex: 'b' }, { $exists: true }, { $exists: false }, { $size: 1 }),
    fc.constantFrom<unknown>({ $not: { $gt: 0 } }, { $elemMatch: { $gt: 0 } }, { $all: [1] }, { $type: 'number' }),
  );
  const condition = fc.tuple(path, test).map(([key, one]): Row => ({ [key]: one }));
  const query = fc.oneof(
    condition,
    fc
      .tuple(fc.constantFrom('$and', '$or', '$nor'), fc.array(condition, { minLength: 1, maxLength: 3 }))
      .map(([key, parts]): Row => ({ [key]: parts })),
    fc.tuple(condition, condition).map(([one, other]): Row => ({ ...one, $or: [other, { n: 1 }] })),
  );
  const direction = fc.constantFrom(1 as const, -1 as const);
  const sort = fc.oneof(
    fc.constant({}),
    fc.tuple(path, direction).map(([key, one]): Row => ({ [key]: one })),
    fc.tuple(path, direction, direction).map(([key, one, other]): Row => ({ [key]: one, _id: other })),
  );

  it.each([
    ['of simple values', simple],
    ['of values of all kinds', value],
  ])('%s', async (_name, one) => {
    const [plain, fast] = [await client.createOne(), await client.createOne()];
    const rows = fc.sample(rowOf(one), 80).map((row, place) => ({ ...row, place }));
    await addTo(plain._id, rows);
    // One half is there before the indexes, the other one comes later.
    await addTo(fast._id, rows.slice(0, 40));
    await indexed(fast._id, ...['a', 'b', 'a.b', 'n'].map((key, n) => ({ key: { [key]: n % 2 ? 1 : -1 } })));
    await addTo(fast._id, rows.slice(40));
    const cases = fc.sample(fc.record({ query, sort }), 80);
    const page = { _pageSize: 100 };
    for (const parameters of cases) {
      const [expected, got] = await Promise.all([plain, fast].map(({ _id }) => found(_id, { ...parameters, page })));
      const places = (response: typeof got) => response!._list.map(({ place }) => place);
      expect([parameters, places(got), got!._total]).toEqual([parameters, places(expected), expected!._total]);
    }
  });
});

describe('$text', () => {
  it('finds what the text index of the collection contains, in the version of the call', async () => {
    const { _id, _tipId, _userItemId } = await client.createOne();
    await addTo(_id, [
      { title: 'Fire doors of the tower', note: 'checked' },
      { title: 'Windows', note: ['a fire escape', { deep: 'door' }], tags: ['fire'] },
      { title: 'Walls', note: { text: 'fire' } },
    ]);
    const search = ($search: string, query: object = {}) => found(_id, { query: { $text: { $search } } }, query);
    const distinct = async () => {
      const query = { $text: { $search: 'fire' } };
      const $distinctRelatedItemFields = { collectionDesc: { _userItemId }, query, fields: ['title'] };
      const { body } = await send('post', 'search').send({ $distinctRelatedItemFields }).expect(200);
      return body._list[0]._versions[0]._relatedItems._list[0].title as string[];
    };
    expect((await list(_id, { query: { $text: { $search: 'fire' } } }).expect(400)).body.code).toBe(
      'TEXT_INDEX_MISSING',
    );
    await indexed(_id, { key: { title: 'text', note: 'text' } });
    expect((await search('fire'))._list.map(({ title }) => title)).toEqual(['Fire doors of the tower', 'Windows']);
    expect(await distinct()).toEqual(['Fire doors of the tower', 'Windows']);
    expect((await search('door'))._total).toBe(1);
    expect((await search('"fire escape"'))._total).toBe(1);
    expect((await search('fire -windows'))._total).toBe(1);
    await addTo(_id, [{ title: 'A fire extinguisher', n: 1 }]);
    const both = await found(_id, { query: { $text: { $search: 'fire' }, n: { $gte: 1 } }, sort: { title: -1 } });
    expect(both).toMatchObject({ _total: 1, _list: [{ n: 1 }] });
    await send('post', `${_id}/versions`).send({}).expect(201);
    expect((await search('fire'))._total).toBe(0);
    expect((await search('fire', { userItemVersionId: _tipId }))._total).toBe(3);
    await list(_id, { query: { $text: { $search: 'fire', $language: 'klingon' } } }).expect(400);
    await list(_id, { query: { $or: [{ $text: { $search: 'fire' } }, { n: 1 }] } }).expect(400);
  });

  it('finds nothing of other collections, tenants or related items that the caller may not read', async () => {
    const [mine, theirs] = [await client.createOne(), await client.createOne()];
    for (const { _id } of [mine, theirs]) await indexed(_id, { key: { title: 'text' } });
    await addTo(mine._id, [{ title: 'secret' }]);
    await addTo(theirs._id, [
      { title: 'secret', color: 'red' },
      { title: 'secret', color: 'blue' },
    ]);
    const query = { query: { $text: { $search: 'secret' } } };
    expect((await found(mine._id, query))._total).toBe(1);
    const _resourceDesc = {
      _irn: `itemsvc:nameduseritem:${theirs._id}`,
      _subresourceDesc: { _type: 'relateditem' as const, _criteria: { color: 'red' } },
    };
    const _user = { _type: 'user' as const, _id: 'sara' };
    await app.grants.grant([{ _namespace: NS, _resourceDesc, _user, _actions: ['READ'] }]);
    const sara = { authorization: await app.as('sara') };
    const response = await send('get', `${theirs._id}/relateditems`, { query: JSON.stringify(query.query) }, sara);
    expect([response.status, response.body._list]).toMatchObject([200, [{ color: 'red' }]]);
    await send('get', `${mine._id}/relateditems`, { query: JSON.stringify(query.query) }, sara).expect(404);
  });
});
