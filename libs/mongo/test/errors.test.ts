import { beforeAll, describe, expect, it } from '@jest/globals';
import { documentErrors, duplicateKeyOf, isDuplicateKey, isTimeLimitExceeded, mongoErrors } from '../src/index.js';
import { connectToFreshDatabase, failureOf, useDatabase } from './support.js';

const mongo = await useDatabase();
const things = mongo.db.collection<{ _id: string; namespace: string; name: string }>('things');

beforeAll(async () => {
  await things.createIndex({ namespace: 1, name: 1 }, { unique: true, name: 'unique_name' }, {});
  await things.insertOne({ _id: 'one', namespace: 'n', name: 'taken' });
});

describe('duplicate key', () => {
  it('reports the fields, for a single write', async () => {
    const error = await failureOf(things.insertOne({ _id: 'two', namespace: 'n', name: 'taken' }));
    expect(duplicateKeyOf(error)).toEqual({ index: 'unique_name', fields: ['namespace', 'name'] });
    expect(isDuplicateKey(error)).toBe(true);
    expect(isDuplicateKey(error, 'name')).toBe(true);
    expect(isDuplicateKey(error, 'unique_name')).toBe(true);
    expect(isDuplicateKey(error, '_id')).toBe(false);
    expect(mongoErrors(error)).toBeUndefined();
  });

  it('reports the index, for a bulk write', async () => {
    const documents = [
      { _id: 'three', namespace: 'n', name: 'free' },
      { _id: 'one', namespace: 'n', name: 'also free' },
    ];
    const error = await failureOf(things.insertMany(documents));
    expect(duplicateKeyOf(error)).toEqual({ index: '_id_', fields: [] });
    expect(isDuplicateKey(error, '_id_')).toBe(true);
  });
});

describe('mongoErrors', () => {
  it('maps an exceeded time limit to 503', async () => {
    const slow = things.find({ $where: 'sleep(1000) || true' }, { maxTimeMS: 20 }).toArray();
    const error = await failureOf(slow);
    expect(isTimeLimitExceeded(error)).toBe(true);
    expect(mongoErrors(error)).toMatchObject({ status: 503 });
  });

  it('ignores errors of others', () => {
    expect(mongoErrors(new Error('connection closed'))).toBeUndefined();
    expect(isDuplicateKey(new Error('E11000'))).toBe(false);
  });

  it('maps a closed client to 503', async () => {
    const closed = await connectToFreshDatabase();
    await closed.close();
    expect(mongoErrors(await failureOf(closed.ping()))).toMatchObject({ status: 503 });
  });
});

describe('documentErrors', () => {
  const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) });
  it.each([
    ['of a reserved key', () => ({ a: { _bsontype: 'ObjectId' } })],
    ['of NUL in a key', () => ({ 'a\0': 1 })],
    ['of 190 levels', () => nested(190)],
    ['of more than the driver sends', () => ({ a: 'x'.repeat(17 * 1024 * 1024) })],
    ['of more than 16 MiB', () => ({ a: 'x'.repeat(16 * 1024 * 1024) })],
  ])('maps a document %s to 400', async (_what, document) => {
    const free = mongo.db.collection('free');
    const error = await failureOf(free.insertOne(document() as object));
    expect(documentErrors(error)).toMatchObject({ status: 400, code: 'BAD_REQUEST' });
    expect(
      documentErrors(await failureOf(free.bulkWrite([{ insertOne: { document: document() as object } }]))),
    ).toMatchObject({
      status: 400,
    });
  });

  it('maps an update that makes a document too large to 400', async () => {
    const free = mongo.db.collection<{ _id: string }>('free');
    const half = 'x'.repeat(9 * 1024 * 1024);
    await free.insertOne({ _id: 'half', a: half } as { _id: string });
    const error = await failureOf(free.updateOne({ _id: 'half' }, { $set: { b: half } }));
    expect(documentErrors(error)).toMatchObject({ status: 400 });
  });

  it('ignores other errors', async () => {
    const taken = await failureOf(things.insertOne({ _id: 'one', namespace: 'm', name: 'n' }));
    expect(documentErrors(taken)).toBeUndefined();
    expect(documentErrors(undefined)).toBeUndefined();
    expect(documentErrors(await failureOf((async () => Buffer.alloc(1).writeInt8(0, 9))()))).toBeUndefined();
    expect(documentErrors(Object.assign(new Error('of a system call'), { code: 22 }))).toBeUndefined();
  });
});
