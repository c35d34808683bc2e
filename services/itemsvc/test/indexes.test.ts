import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { newId } from '@dtplatform/mongo';
import { eventually } from '@dtplatform/testing';
import { createIndexBuilder } from '../src/indexes/indexes.store.js';
import { NewIndex } from '../src/indexes/related-index.js';
import { indexClient } from './index-client.js';
import type { Row } from './index-client.js';
import { itemClient } from './item-client.js';
import { NS, openApp } from './start-app.js';
import { sumsBy, usageInOutbox } from './usage-client.js';

const MIB = 1024 * 1024;

const here = await openApp(NS);
const { app } = here;
const { send, createOne, addRows, addVersion, rows, rowsOf } = itemClient(here);
const { index, shown, ready, indexed } = indexClient(here);
const relatedItems = app.stored('related_items');
await app.startWorker();

describe('indexes on related items', () => {
  it('are created once, listed and removed', async () => {
    const { _id, _userItemId } = await createOne();
    const wanted = [
      { key: { kind: 1 }, options: { name: 'by kind', unique: true }, stray: 1 },
      { key: { 'size.height': -1 } },
      { key: { title: 'text', note: 'text' }, options: {} },
    ];
    const _list = [
      { key: { kind: 1 }, options: { name: 'by kind' } },
      { key: { 'size.height': -1 }, options: { name: 'size.height_-1' } },
      { key: { title: 'text', note: 'text' }, options: { name: 'title_text_note_text' } },
    ];
    const response = await index(_userItemId, ...wanted).expect(201);
    expect(response.body).toMatchObject({ _total: 3, _list });
    expect((await index(_id, wanted[1]).expect(201)).body._list).toMatchObject([_list[1]]);
    await ready(_id);
    const page = { _offset: 0, _pageSize: 3, _total: 3 };
    expect(await shown(_id)).toEqual({ ...page, _list: _list.map((one) => ({ ...one, _status: 'READY' })) });
    await send('delete', `/${_id}/indexes/${encodeURIComponent('by kind')}`).expect(204);
    await send('delete', `/${_id}/indexes/none`).expect(404);
    expect((await shown(_id))._total).toBe(2);
  });

  it.each([
    ...[{}, { a: 2 }, { a: 1, b: 1 }, { a: 1, b: 'text' }, { $where: 1 }, { 'a.$b': 1 }, { 'a..b': 1 }, { '$**': 1 }],
  ])('cannot have the key %j', (key) => expect(() => NewIndex.parse({ key })).toThrow());

  it('have unique names and number at most ten, one of them for text', async () => {
    const { _id } = await createOne();
    const codeOf = async (...indexes: object[]) => (await index(_id, ...indexes).expect(400)).body.code;
    await index(_id, { key: { a: 1 }, options: { name: 'n' } }).expect(201);
    expect(await codeOf({ key: { b: 1 }, options: { name: 'n' } })).toBe('INDEX_EXISTS');
    await index(_id, { key: { a: 'text' } }).expect(201);
    expect(await codeOf({ key: { b: 'text' } })).toBe('INDEX_EXISTS');
    const more = (count: number) => Array.from({ length: count }, (_, n) => ({ key: { [`f${n}`]: 1 } }));
    expect(await codeOf(...more(9))).toBe('TOO_MANY_INDEXES');
    for (const wrong of [[], more(11), [...more(1), { key: {} }]]) await index(_id, ...wrong).expect(400);
    await index(_id, ...more(8)).expect(201);
    await Promise.all([codeOf({ key: { x: 1 } }), codeOf({ key: { y: 1 } })]);
    await send('delete', `/${_id}/indexes/n`).expect(204);
    await index(_id, { key: { x: 1 } }).expect(201);
  });

  it('are rejected for an item without related items', async () => {
    const { _id } = await createOne({ _itemClass: 'Script', _version: { _userData: 'x' } });
    expect((await index(_id, { key: { a: 1 } }).expect(400)).body.code).toBe('NO_RELATED_ITEMS');
    await send('get', `/${_id}/indexes`).expect(400);
  });

  it('reflect additions, replacements and removals while they are built, and afterwards', async () => {
    const { _id } = await createOne();
    const count = async (kind: string) => (await rowsOf(_id, { query: { kind } }))._total;
    const path = (row: { _id: string }) => `/${_id}/relateditems/${row._id}`;
    const before = await addRows(_id, Array(900).fill({ kind: 'old' }));
    const created = index(_id, { key: { kind: 1 } });
    const during = Array.from({ length: 6 }, (_, n) => addRows(_id, [{ n, kind: 'new' }]));
    const put = send('put', path(before[899])).send({ n: 899, kind: 'new' });
    await Promise.all([created.expect(201), ...during, put.expect(200)]);
    await ready(_id);
    expect([await count('new'), await count('old')]).toEqual([7, 899]);
    await send('put', path(before[0])).send({ kind: 'new' }).expect(200);
    await send('delete', path(before[1])).expect(204);
    expect([await count('new'), await count('old')]).toEqual([8, 897]);
    const page = await rowsOf(_id, { sort: { kind: 1 }, page: { _pageSize: 1 } });
    expect(page).toMatchObject({ _total: 905, _list: [{ kind: 'new' }] });
  });

  it('are neither shown with related items nor counted in their size', async () => {
    const { _id, _tipId } = await createOne();
    await indexed(_id, { key: { a: 1 } }, { key: { a: 'text' } });
    const sent = { a: 'text', _indexed: { s0: { i: 'x', v: 1 } }, _indexedLanguage: 'klingon', language: 'klingon' };
    const [row] = await addRows(_id, [sent]);
    expect(row).toEqual({ ...sent, _id: expect.any(String), _metadata: expect.anything() });
    for (const query of [{}, { a: 'text' }, { $text: { $search: 'text' } }])
      expect((await rowsOf(_id, { query }))._list).toEqual([row]);
    expect((await rowsOf(_id, { sort: { a: 1 } }))._list).toEqual([row]);
    await send('delete', `/${_id}`).expect(204);
    await eventually(async () => {
      expect(await relatedItems.countDocuments({ '_platform.itemId': _id })).toBe(0);
      expect(await app.stored('related_indexes').countDocuments({ _itemId: _id })).toBe(0);
    });
    const changes = await usageInOutbox(app);
    const sizes = changes.filter(
      ({ _metric, _dimensions }) => _dimensions.version === _tipId && _metric.endsWith('VersionSize'),
    );
    expect(sumsBy(sizes, () => 'all')).toEqual({ all: 0 });
  });

  it('are cleared before a new index takes the place of a removed one', async () => {
    const { _id } = await createOne();
    const found = async (parameters: Row) => (await rowsOf(_id, parameters))._list;
    await indexed(_id, { key: { a: 1 } });
    const two = [
      { a: 1, b: 2 },
      { a: 2, b: 1 },
    ];
    await addRows(_id, two);
    await send('delete', `/${_id}/indexes/a_1`).expect(204);
    await indexed(_id, { key: { b: 1 } });
    expect(await found({ query: { b: 1 } })).toMatchObject([{ a: 2 }]);
    expect(await found({ sort: { b: 1 } })).toMatchObject([{ b: 1 }, { b: 2 }]);
    await send('delete', `/${_id}/indexes/b_1`).expect(204);
    const left = { '_platform.itemId': _id, '_platform.indexed.s0': { $exists: true } };
    await eventually(async () => expect(await relatedItems.countDocuments(left)).toBe(0));
    expect(await found({ query: { b: 1 }, sort: { a: 1 } })).toMatchObject([{ a: 2 }]);
  });
});

describe('the index builder', () => {
  /** A collection with an index that no worker fills. */
  const withIndex = async (fields: Row, all: object[]) => {
    const { _id } = await createOne();
    for (const row of all) await addRows(_id, [row]);
    const one = { _id: newId(), _itemId: _id, name: 'one', status: 'BUILDING', isMixed: false };
    const kinds = Object.entries(fields).map(([path, kind]) => ({ path, kind }));
    await app.stored('related_indexes').insertOne({ ...one, fields: kinds, ...(fields.kind === 1 && { slot: 0 }) });
    return { itemId: _id as string, indexId: one._id };
  };
  const builder = createIndexBuilder(app.mongo);

  it.each([[{ kind: 1 }], [{ kind: 'text', 'kind.a': 'text' }]])(
    'reads only the fields of the index %j',
    async (key) => {
      const heavy = 'x'.repeat(3 * MIB);
      const all = Array.from({ length: 4 }, (_, n) => ({ kind: `k${n}`, heavy }));
      const { itemId, indexId } = await withIndex(key, all);
      const reads = await app.profile(['related_items'], async () => {
        expect([await builder.fillSome(indexId), await builder.fillSome(indexId)]).toEqual([true, false]);
        await builder.clearSome(itemId, indexId, key.kind === 1 ? 0 : undefined, undefined);
      });
      const finds = reads.filter(({ command }) => 'find' in command);
      const lengths = finds.map(({ responseLength }) => responseLength);
      expect(lengths).toHaveLength(3);
      expect(Math.max(...lengths)).toBeLessThan(10_000);
    },
  );

  it('limits the bytes of a batch', async () => {
    const kind = 'x'.repeat(1.5 * MIB);
    const { itemId, indexId } = await withIndex({ kind: 1 }, Array(5).fill({ kind }));
    const filled = () => relatedItems.countDocuments({ '_platform.itemId': itemId, '_platform.indexed.s0.i': indexId });
    await builder.fillSome(indexId);
    expect(await filled()).toBeGreaterThan(0);
    expect(await filled()).toBeLessThan(3);
    while (await builder.fillSome(indexId));
    expect(await filled()).toBe(5);
  });
});

describe('any query in any sort order finds the same with indexes', () => {
  const value = fc.oneof(
    fc.constantFrom<unknown>(null, true, false, 0, 1, 2, -1, 1.5, '', 'a', 'b', 'ab', 'x'.repeat(600)),
    fc.constantFrom<unknown>([], [1], [2, 'a'], [[1]], [{ b: 1 }], {}, { b: 1 }, { b: [1, 2] }, { b: { c: 1 } }),
  );
  const simple = fc.constantFrom<unknown>(null, true, false, 0, 1, 2, -1, 1.5, '', 'a', 'b', 'ab');
  const rowOf = (one: fc.Arbitrary<unknown>) => fc.record({ a: one, b: one, n: fc.nat(3) }, { requiredKeys: [] });
  const operand = fc.constantFrom<unknown>(null, true, false, 0, 1, 2, 'a', 'b', '', 'x'.repeat(600), [1], [], {
    b: 1,
  });
  const pair = <T>(keys: fc.Arbitrary<string>, values: fc.Arbitrary<T>) =>
    fc.tuple(keys, values).map(([key, one]): Row => ({ [key]: one }));
  const path = fc.constantFrom('a', 'b', 'a.b', 'a.b.c', 'a.0', 'n');
  const test = fc.oneof(
    operand,
    pair(fc.constantFrom('$eq', '$ne', '$gt', '$gte', '$lt', '$lte'), operand),
    fc.record({ $gte: operand, $lt: operand }),
    pair(fc.constantFrom('$in', '$nin'), fc.array(operand, { maxLength: 3 })),
    fc.constantFrom<unknown>({ $regex: '^a' }, { $regex: 'b' }, { $exists: true }, { $exists: false }, { $size: 1 }),
    fc.constantFrom<unknown>({ $not: { $gt: 0 } }, { $elemMatch: { $gt: 0 } }, { $all: [1] }, { $type: 'number' }),
  );
  const condition = pair(path, test);
  const query = fc.oneof(
    condition,
    pair(fc.constantFrom('$and', '$or', '$nor'), fc.array(condition, { minLength: 1, maxLength: 3 })),
    fc.tuple(condition, condition).map(([one, other]): Row => ({ ...one, $or: [other, { n: 1 }] })),
  );
  const direction = fc.constantFrom(1 as const, -1 as const);
  const byPath = pair(path, direction);
  const sort = fc.oneof(
    fc.constant({}),
    byPath,
    fc.tuple(byPath, direction).map(([one, _id]): Row => ({ ...one, _id })),
  );

  it.each([
    ['simple values', simple],
    ['values of all types', value],
  ])('among %s', async (_name, one) => {
    const [plain, fast] = [await createOne(), await createOne()];
    const all = fc.sample(rowOf(one), 80).map((row, place) => ({ ...row, place }));
    await addRows(plain._id, all);
    // One half exists before the indexes, the other is added later.
    await addRows(fast._id, all.slice(0, 40));
    await indexed(fast._id, ...['a', 'b', 'a.b', 'n'].map((key, n) => ({ key: { [key]: n % 2 ? 1 : -1 } })));
    await addRows(fast._id, all.slice(40));
    const cases = fc.sample(fc.record({ query, sort }), 80);
    const page = { _pageSize: 100 };
    for (const parameters of cases) {
      const [expected, got] = await Promise.all([plain, fast].map(({ _id }) => rowsOf(_id, { ...parameters, page })));
      const places = (response: { _list: Row[] }) => response._list.map(({ place }) => place);
      expect([parameters, places(got), got._total]).toEqual([parameters, places(expected), expected._total]);
    }
  });
});

describe('$text', () => {
  it('finds texts of indexed fields, in the version of the call', async () => {
    const { _id, _tipId, _userItemId } = await createOne();
    await addRows(_id, [
      { title: 'Fire doors of the tower', note: 'checked' },
      { title: 'Windows', note: ['a fire escape', { deep: 'door' }], tags: ['fire'] },
      { title: 'Walls', note: { text: 'fire' } },
    ]);
    const search = ($search: string, query: object = {}) => rowsOf(_id, { query: { $text: { $search } } }, query);
    const distinct = async () => {
      const query = { $text: { $search: 'fire' } };
      const $distinctRelatedItemFields = { collectionDesc: { _userItemId }, query, fields: ['title'] };
      const { body } = await send('post', '/search').send({ $distinctRelatedItemFields }).expect(200);
      return body._list[0]._versions[0]._relatedItems._list[0].title as string[];
    };
    const early = await rows(_id, { query: { $text: { $search: 'fire' } } }).expect(400);
    expect(early.body.code).toBe('TEXT_INDEX_MISSING');
    await indexed(_id, { key: { title: 'text', note: 'text' } });
    expect((await search('fire'))._list.map(({ title }: Row) => title)).toEqual(['Fire doors of the tower', 'Windows']);
    expect(await distinct()).toEqual(['Fire doors of the tower', 'Windows']);
    expect((await search('door'))._total).toBe(1);
    expect((await search('"fire escape"'))._total).toBe(1);
    expect((await search('fire -windows'))._total).toBe(1);
    await addRows(_id, [{ title: 'A fire extinguisher', n: 1 }]);
    const both = await rowsOf(_id, { query: { $text: { $search: 'fire' }, n: { $gte: 1 } }, sort: { title: -1 } });
    expect(both).toMatchObject({ _total: 1, _list: [{ n: 1 }] });
    await addVersion(_id);
    expect((await search('fire'))._total).toBe(0);
    expect((await search('fire', { userItemVersionId: _tipId }))._total).toBe(3);
    await rows(_id, { query: { $text: { $search: 'fire', $language: 'klingon' } } }).expect(400);
    await rows(_id, { query: { $or: [{ $text: { $search: 'fire' } }, { n: 1 }] } }).expect(400);
  });

  it('finds nothing in other collections, and nothing that the caller may not read', async () => {
    const [mine, theirs] = [await createOne(), await createOne()];
    for (const { _id } of [mine, theirs]) await indexed(_id, { key: { title: 'text' } });
    await addRows(mine._id, [{ title: 'secret' }]);
    await addRows(theirs._id, [
      { title: 'secret', color: 'red' },
      { title: 'secret', color: 'blue' },
    ]);
    const query = { query: { $text: { $search: 'secret' } } };
    expect((await rowsOf(mine._id, query))._total).toBe(1);
    const _subresourceDesc = { _type: 'relateditem' as const, _criteria: { color: 'red' } };
    const sara = await app.holder('sara', ['READ'], { _irn: theirs._irn, _subresourceDesc });
    expect((await rowsOf(theirs._id, query, {}, sara))._list).toMatchObject([{ color: 'red' }]);
    await rows(mine._id, query, {}, sara).expect(404);
  });
});
