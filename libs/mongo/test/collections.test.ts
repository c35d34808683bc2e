import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Scope } from '@dtplatform/permissions';
import { createLogger } from '@dtplatform/logging';
import { defineModel, ensureIndexes, id, listPage, newId, scopeFilter, text, trusted } from '../src/index.js';
import { openThings, thing } from './things.js';
import type { Thing } from './things.js';

const { mongo, things } = await openThings();

describe('newId', () => {
  it('returns 24 hexadecimal digits, never the same twice', () => {
    const ids = Array.from({ length: 1000 }, newId);
    expect(new Set(ids).size).toBe(1000);
    expect(ids.every((one) => /^[0-9a-f]{24}$/.test(one))).toBe(true);
  });
});

describe('listPage', () => {
  const page = (offset: number, pageSize: number, more = {}) =>
    listPage(things, { rank: trusted({ $gte: 10 }) }, { paging: { offset, pageSize }, sort: { rank: 1 }, ...more });
  const ranks = async (...args: Parameters<typeof page>) => (await page(...args)).list.map(({ rank }) => rank);

  it.each([[false], [true]])('returns one page in order and the total (raw conditions: %s)', async (asIs) => {
    expect(await ranks(2, 3, { asIs })).toEqual([12, 13, 14]);
    expect(await ranks(18, 5, { asIs })).toEqual([28, 29]);
    expect(await ranks(20, 5, { asIs })).toEqual([]);
    for (const offset of [0, 18, 20, 40]) expect((await page(offset, 5, { asIs })).total).toBe(20);
  });

  it('returns only the total for a page of size 0', async () => {
    expect(await page(0, 0)).toEqual({ list: [], total: 20 });
  });

  it('uses a known total if the page does not imply it', async () => {
    const total = async () => 99;
    expect((await page(0, 5, { total })).total).toBe(99);
    expect((await page(15, 10, { total })).total).toBe(20);
  });

  it.each([[false], [true]])('rejects a page of more than 16 MiB (raw conditions: %s)', async (asIs) => {
    const stored = Array.from({ length: 3 }, (_, n) =>
      thing(1000 + n, { more: { text: 'x'.repeat(6 * 1024 * 1024) } }),
    );
    for (const one of stored) await things.insertMany([one]);
    const large = (pageSize: number, more = {}) =>
      listPage(things, { rank: trusted({ $gte: 1000 }) }, { paging: { offset: 0, pageSize }, asIs, ...more });
    await expect(large(3)).rejects.toMatchObject({ status: 400, code: 'PAGE_TOO_LARGE' });
    await expect(large(1000)).rejects.toMatchObject({ code: 'PAGE_TOO_LARGE' });
    expect((await large(2)).list).toHaveLength(2);
    expect((await large(3, { projection: { rank: 1 } })).list).toHaveLength(3);
    await things.deleteMany({ rank: trusted({ $gte: 1000 }) });
  });

  it('omits what the projection omits', async () => {
    const { list } = await listPage<Thing, Pick<Thing, 'rank'>>(
      things,
      {},
      { paging: { offset: 0, pageSize: 1 }, sort: { rank: 1 }, projection: { rank: 1, _id: 0 } },
    );
    expect(list).toEqual([{ rank: 0 }]);
  });
});

describe('scopeFilter', () => {
  const found = async (scope: Scope, idFields?: string[]) =>
    (await things.find(scopeFilter(scope, idFields)).lean()).map(({ name }) => name).sort();

  beforeAll(async () => {
    await things.deleteMany({});
    await things.insertMany([
      thing(1, { name: 'a1', _id: 'a1' }),
      thing(2, { name: 'a2', _id: 'a2' }),
      thing(3, { name: 'b1', _id: 'b1', _namespaces: ['b'] }),
      thing(4, { name: 'c1', _id: 'c1', _namespaces: ['c'] }),
    ]);
  });

  it('matches nothing for an empty scope', async () => {
    expect(await found({ all: [], some: [] })).toEqual([]);
    expect(
      (await listPage(things, scopeFilter({ all: [], some: [] }), { paging: { offset: 0, pageSize: 9 } })).total,
    ).toBe(0);
  });

  it('matches everything for a trusted client', async () => {
    expect(await found('everything')).toEqual(['a1', 'a2', 'b1', 'c1']);
  });

  it('matches all in some namespaces, and single resources in others', async () => {
    expect(await found({ all: ['b'], some: [] })).toEqual(['b1']);
    expect(await found({ all: ['b', 'c'], some: [] })).toEqual(['b1', 'c1']);
    expect(await found({ all: ['b'], some: [{ namespace: 'a', ids: ['a2', 'c1'] }] })).toEqual(['a2', 'b1']);
    expect(await found({ all: [], some: [{ namespace: 'a', ids: ['a1'] }] })).toEqual(['a1']);
  });

  it('uses other fields for the id', async () => {
    const scope = { all: [], some: [{ namespace: 'a', ids: ['a1'] }] };
    expect(await found(scope, ['name'])).toEqual(['a1']);
    expect(await found({ all: [], some: [{ namespace: 'a', ids: ['a2'] }] }, ['more', 'name'])).toEqual(['a2']);
  });
});

describe('ensureIndexes', () => {
  const lines: { msg: string; collection: string; index?: string }[] = [];
  const log = createLogger({
    service: 'test',
    level: 'warn',
    stream: { write: (line: string) => void lines.push(JSON.parse(line)) },
  });
  const planned = defineModel<{ _id: string }>('planned', { _id: id }, { open: true });
  planned.schema.index({ namespace: 1, name: 1 }, { unique: true, name: 'name' });
  const bare = defineModel<{ _id: string; name: string }>('bare', { _id: id, name: text });
  const models = [planned, bare];
  const names = async (collection: string) => (await mongo.db.collection(collection).indexes()).map(({ name }) => name);

  it('creates collections and indexes, repeatedly and concurrently', async () => {
    await Promise.all(Array.from({ length: 5 }, () => ensureIndexes(mongo, models, log)));
    await ensureIndexes(mongo, models, log);
    expect(await names('planned')).toEqual(['_id_', 'name']);
    expect(await names('bare')).toEqual(['_id_']);
  });

  it('rejects another definition under the same name', async () => {
    const conflicting = defineModel<{ _id: string }>('conflicting', { _id: id }, { open: true });
    await mongo.db.collection('conflicting').createIndex({ other: 1 }, { name: 'name' }, {});
    conflicting.schema.index({ namespace: 1 }, { name: 'name' });
    await expect(ensureIndexes(mongo, [conflicting], log)).rejects.toThrow(/name/);
  });

  it('reports undeclared indexes and collections, and keeps them', async () => {
    lines.length = 0;
    await mongo.db.collection('planned').createIndex({ forgotten: 1 }, { name: 'forgotten' }, {});
    await ensureIndexes(mongo, models, log);
    expect(lines).toContainEqual(expect.objectContaining({ collection: 'planned', index: 'forgotten' }));
    expect(lines).toContainEqual(
      expect.objectContaining({ collection: 'things', msg: 'no model declares this collection' }),
    );
    expect(await names('planned')).toEqual(['_id_', 'name', 'forgotten']);
  });
});
