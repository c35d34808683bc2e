import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Scope } from '@dtplatform/permissions';
import { createLogger } from '@dtplatform/logging';
import {
  defineModel,
  deleteIfMatch,
  ensureIndexes,
  id,
  json,
  listPage,
  newId,
  number,
  part,
  scopeFilter,
  text,
  trusted,
  updateIfMatch,
} from '../src/index.js';
import { connectToFreshDatabase } from './support.js';

interface Thing {
  _id: string;
  _namespaces: string[];
  _revision: number;
  rank: number;
  name?: string;
  more?: unknown;
  part?: { more: unknown };
}

const thingModel = defineModel<Thing>('things', {
  _id: id,
  _namespaces: [String],
  _revision: number,
  rank: number,
  name: String,
  more: json,
  part: part<{ more: unknown }>({ more: json }),
});

const mongo = await connectToFreshDatabase();
const things = mongo.model(thingModel);
const thing = (rank: number, more: Partial<Thing> = {}): Thing => ({
  _id: newId(),
  _namespaces: ['a'],
  _revision: 0,
  rank,
  ...more,
});

beforeAll(() => things.insertMany(Array.from({ length: 30 }, (_, rank) => thing(rank))));
afterAll(async () => {
  await mongo.db.dropDatabase();
  await mongo.close();
});

describe('newId', () => {
  it('gives 24 hexadecimal digits, never the same twice', () => {
    const ids = Array.from({ length: 1000 }, newId);
    expect(new Set(ids).size).toBe(1000);
    expect(ids.every((one) => /^[0-9a-f]{24}$/.test(one))).toBe(true);
  });
});

describe('listPage', () => {
  const page = (offset: number, pageSize: number, more = {}) =>
    listPage(things, { rank: trusted({ $gte: 10 }) }, { paging: { offset, pageSize }, sort: { rank: 1 }, ...more });
  const ranks = async (...args: Parameters<typeof page>) => (await page(...args)).list.map(({ rank }) => rank);

  it.each([[false], [true]])('gives one page in order and the total (conditions as they are: %s)', async (asIs) => {
    expect(await ranks(2, 3, { asIs })).toEqual([12, 13, 14]);
    expect(await ranks(18, 5, { asIs })).toEqual([28, 29]);
    expect(await ranks(20, 5, { asIs })).toEqual([]);
    for (const offset of [0, 18, 20, 40]) expect((await page(offset, 5, { asIs })).total).toBe(20);
  });

  it('gives nothing but the total for a page of size 0', async () => {
    expect(await page(0, 0)).toEqual({ list: [], total: 20 });
  });

  it('takes a known total where the page does not show it', async () => {
    const total = async () => 99;
    expect((await page(0, 5, { total })).total).toBe(99);
    expect((await page(15, 10, { total })).total).toBe(20);
  });

  it.each([[false], [true]])('refuses a page of more than 16 MiB (conditions as they are: %s)', async (asIs) => {
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

  it('leaves out what the projection leaves out', async () => {
    const { list } = await listPage<Thing, Pick<Thing, 'rank'>>(
      things,
      {},
      { paging: { offset: 0, pageSize: 1 }, sort: { rank: 1 }, projection: { rank: 1, _id: 0 } },
    );
    expect(list).toEqual([{ rank: 0 }]);
  });
});

describe('a model', () => {
  it('validates what it writes, and knows all paths', async () => {
    await expect(things.insertMany([{ ...thing(1), rank: 'first' } as never])).rejects.toThrow(/rank/);
    await expect(things.insertMany([{ ...thing(1), unknown: 1 } as never])).rejects.toThrow(/unknown/);
    await expect(things.updateOne({ _id: 'x' }, { $set: { unknown: 1 } })).rejects.toThrow(/unknown/);
  });

  it('stores an empty text', async () => {
    const entryModel = defineModel<{ _id: string; name: string }>('entries', { _id: id, name: text });
    const entries = mongo.model(entryModel);
    await entries.insertMany([{ _id: 'x', name: '' }]);
    expect(await entries.findById('x').lean()).toEqual({ _id: 'x', name: '' });
    await expect(entries.insertMany([{ _id: 'y' } as never])).rejects.toThrow(/name/);
  });

  it('stores free-form values as they are', async () => {
    const more = { empty: {}, none: [], 'a.b': { $set: 1 }, nothing: null };
    const stored = thing(100, { more });
    await things.insertMany([stored]);
    expect(await things.findById(stored._id).lean()).toEqual(stored);
    await things.deleteOne({ _id: stored._id });
  });

  const CALLERS_KEYS = ['prototype', 'constructor', '$__', '$isMongooseMap', 'isMongooseBuffer', '_doc', '$set', 'a.b'];
  const callersJson = CALLERS_KEYS.flatMap((key) =>
    [1, 'x', { name: 'Object', a: [] }, { name: 'Date', b: [1, {}] }].map((value) => ({
      [key]: value,
      inside: [{ [key]: value }],
    })),
  );
  it.each([...callersJson, { $__: 1, _doc: { other: 1 } }])(
    'stores what callers name as Mongoose does: %j',
    async (more) => {
      const [inserted, updated, found, written, created] = Array.from({ length: 5 }, () =>
        thing(100, { more: { old: 1 } }),
      );
      await things.insertMany([{ ...inserted!, more, part: { more } }, updated!, found!, written!]);
      await things.create([{ ...created!, more, part: { more } }]);
      await things.updateOne({ _id: updated!._id }, { $set: { more, part: { more } } });
      await updateIfMatch(things, found!._id, { $set: { more, part: { more } } }, { precondition: undefined });
      await things.bulkWrite([
        { updateOne: { filter: { _id: written!._id }, update: { $set: { more, part: { more } } } } },
      ]);
      const stored = await things.find({ rank: 100 }).lean();
      await things.deleteMany({ rank: 100 });
      expect(stored.map((one) => [one.more, one.part])).toEqual(Array.from({ length: 5 }, () => [more, { more }]));
    },
  );

  it('leaves out fields of free-form values that are undefined', async () => {
    const stored = thing(100, { more: { a: undefined, b: [{ c: undefined, at: new Date(0) }] } });
    await things.insertMany([stored]);
    expect((await things.findById(stored._id).lean())!.more).toStrictEqual({ b: [{ at: new Date(0) }] });
    await things.deleteOne({ _id: stored._id });
  });

  it('compares with operators of a caller as plain values', async () => {
    const callers = JSON.parse('{"$ne": "nobody"}') as string;
    await expect(things.findOne({ name: callers })).rejects.toThrow(/Cast to string failed/);
    await expect(things.countDocuments({ name: trusted({ $ne: 'nobody' }) })).resolves.toBe(30);
  });
});

describe('a revision', () => {
  it('rises with every update, by one', async () => {
    const { _id } = (await things.findOne({ rank: 0 }).lean())!;
    await things.updateOne({ _id }, { $set: { name: 'one' } });
    await things.findOneAndUpdate({ _id }, [{ $set: { name: 'two' } }], { updatePipeline: true });
    await things.updateMany({ _id }, { $set: { name: 'three' } }, { upsert: true });
    const document = (await things.findById(_id))!;
    document.set('name', 'four');
    await document.save();
    expect(await things.findById(_id).lean()).toMatchObject({ name: 'four', _revision: 4 });
    await things.bulkWrite([
      { updateOne: { filter: { _id }, update: { $set: { name: 'five' } } } },
      { updateMany: { filter: { _id }, update: [{ $set: { name: 'six' } }] } },
    ]);
    expect(await things.findById(_id).lean()).toMatchObject({ name: 'six', _revision: 6 });
  });

  it('is raised without a change of the given update', async () => {
    const { _id } = (await things.findOne({ rank: 3 }).lean())!;
    const pipeline = [{ $set: { name: 'one' } }];
    const update = { $set: { name: 'two' } };
    for (const _round of [1, 2]) {
      await things.updateOne({ _id }, pipeline, { updatePipeline: true });
      await things.updateOne({ _id }, update);
    }
    expect(await things.findById(_id).lean()).toMatchObject({ name: 'two', _revision: 4 });
    expect([pipeline, update]).toEqual([[{ $set: { name: 'one' } }], { $set: { name: 'two' } }]);
  });

  it('is a condition of the write: of many writers that expect the same one, one succeeds', async () => {
    const { _id } = (await things.findOne({ rank: 1 }).lean())!;
    const write = (name: string) => updateIfMatch(things, _id, { $set: { name } }, { precondition: [0] });
    const results = await Promise.allSettled(Array.from({ length: 10 }, (_, n) => write(String(n))));
    const done = results.filter(({ status }) => status === 'fulfilled');
    const refused = results.filter((result) => result.status === 'rejected' && result.reason.status === 412);
    expect([done.length, refused.length]).toEqual([1, 9]);
    expect((await things.findById(_id).lean())!._revision).toBe(1);
  });

  it('is a condition of a deletion', async () => {
    const { _id } = (await things.findOne({ rank: 2 }).lean())!;
    await expect(deleteIfMatch(things, _id, { precondition: [7] })).rejects.toMatchObject({ status: 412 });
    await expect(deleteIfMatch(things, _id, { precondition: [] })).rejects.toMatchObject({ status: 412 });
    expect(await deleteIfMatch(things, _id, { precondition: [7, 0] })).toMatchObject({ _id, rank: 2 });
    expect(await deleteIfMatch(things, _id, { precondition: [7, 0] })).toBeUndefined();
    expect(await deleteIfMatch(things, _id, { precondition: undefined })).toBeUndefined();
  });

  it('is 0 for a document from before there were revisions', async () => {
    const _id = newId();
    await things.collection.insertOne({ _id, _namespaces: [], rank: 3 } as never);
    await expect(updateIfMatch(things, _id, { $set: { name: 'x' } }, { precondition: [1] })).rejects.toMatchObject({
      status: 412,
    });
    expect(await updateIfMatch(things, _id, { $set: { name: 'x' } }, { precondition: [0] })).toMatchObject({
      _revision: 1,
    });
    await things.deleteOne({ _id });
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

  it('takes other fields for the id', async () => {
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

  it('creates collections and indexes, several times and several at once', async () => {
    await Promise.all(Array.from({ length: 5 }, () => ensureIndexes(mongo, models, log)));
    await ensureIndexes(mongo, models, log);
    expect(await names('planned')).toEqual(['_id_', 'name']);
    expect(await names('bare')).toEqual(['_id_']);
  });

  it('refuses another definition under the same name', async () => {
    const conflicting = defineModel<{ _id: string }>('conflicting', { _id: id }, { open: true });
    await mongo.db.collection('conflicting').createIndex({ other: 1 }, { name: 'name' }, {});
    conflicting.schema.index({ namespace: 1 }, { name: 'name' });
    await expect(ensureIndexes(mongo, [conflicting], log)).rejects.toThrow(/name/);
  });

  it('reports indexes and collections that no model declares, and keeps them', async () => {
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
