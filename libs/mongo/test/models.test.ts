import { describe, expect, it } from '@jest/globals';
import {
  absent,
  after,
  before,
  deleteIfMatch,
  exists,
  noneOf,
  not,
  notAfter,
  oneOf,
  updateIfMatch,
} from '../src/index.js';
import { openThings, thing } from './things.js';

const { things } = await openThings();

describe('model', () => {
  const CALLERS_KEYS = ['prototype', 'constructor', '$__', '$isMongooseMap', 'isMongooseBuffer', '_doc', '$set', 'a.b'];
  const callersJson = CALLERS_KEYS.flatMap((key) =>
    [1, 'x', { name: 'Object', a: [] }, { name: 'Date', b: [1, {}] }].map((value) => ({
      [key]: value,
      inside: [{ [key]: value }],
    })),
  );
  it.each([...callersJson, { $__: 1, _doc: { other: 1 } }])('stores names that Mongoose reserves: %j', async (more) => {
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
  });

  it('omits undefined fields of free-form values', async () => {
    const stored = thing(100, { more: { a: undefined, b: [{ c: undefined, at: new Date(0) }] } });
    await things.insertMany([stored]);
    expect((await things.findById(stored._id).lean())!.more).toStrictEqual({ b: [{ at: new Date(0) }] });
    await things.deleteOne({ _id: stored._id });
  });

  it("compares with a caller's operators as plain values", async () => {
    const callers = JSON.parse('{"$ne": "nobody"}') as string;
    await expect(things.findOne({ name: callers })).rejects.toThrow(/Cast to string failed/);
    await expect(things.countDocuments({ name: not('nobody') })).resolves.toBe(30);
  });

  it.each([
    ['oneOf', { rank: oneOf([0, 1, 99]) }, [0, 1]],
    ['oneOf of a set', { rank: oneOf(new Set([0, 1, 99])) }, [0, 1]],
    ['oneOf of nothing', { rank: oneOf([]) }, []],
    ['noneOf and before', { $and: [{ rank: noneOf([0, 1]) }, { rank: before(4) }] }, [2, 3]],
    ['notAfter', { rank: notAfter(2) }, [0, 1, 2]],
    ['after', { rank: after(27) }, [28, 29]],
    ['not and before', { $and: [{ rank: not(1) }, { rank: before(3) }] }, [0, 2]],
    ['exists', { _id: exists(), rank: before(2) }, [0, 1]],
    ['absent', { name: absent(), rank: before(2) }, [0, 1]],
  ])("applies a store's operators: %s", async (_name, filter, ranks) => {
    const found = await things.find(filter).sort({ rank: 1 }).lean();
    expect(found.map(({ rank }) => rank)).toEqual(ranks);
  });
});

describe('revision', () => {
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

  it('is raised without modifying the given update', async () => {
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

  it('is a condition of the write: of many concurrent writers, one succeeds', async () => {
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
});
