import { afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { BSON, MongoServerError, newId } from '@dtplatform/mongo';
import { createOutbox, createTotals } from '@dtplatform/queue';
import { eventually } from '@dtplatform/testing';
import { createBatches } from '../src/readings/batches.store.js';
import { createReadingRemovals } from '../src/readings/reading-removals.store.js';
import { readingId, readingModels } from '../src/readings/readings.model.js';
import { newBatch } from '../src/readings/readings.store.js';
import { reading, readingClient, T0 } from './reading-client.js';
import { NS, openApp, OTHER } from './start-app.js';

const HOUR = 3_600_000;

const here = await openApp(NS, OTHER);
const { app } = here;
const { mongo } = app;
const { send, put, addRows, addVersion, post, found, collection, placedIn, readingStore, stored, recorded } =
  readingClient(here);
const batches = createBatches(mongo);
const removals = createReadingRemovals({ mongo, outbox: createOutbox(mongo) });
const waiting = app.stored('reading_batches');
const readingsInMongo = mongo.model(readingModels.seconds).collection;
const never = new AbortController().signal;

type Accepted = Parameters<typeof newBatch>;
const batchOf = (...accepted: Accepted) => {
  const { batch, content } = newBatch(...accepted);
  return { batch: { ...batch, firstId: `${newId().slice(0, 19)}00000` }, content };
};
const storedOf = (_itemId: string) => stored({ '_tsMetadata._itemId': _itemId });
const numbersOf = async (itemId: string) => (await storedOf(itemId)).map(({ n }) => n as number);
const count = (versionId: string) => createTotals(mongo).read('reading', [versionId]);
/** Accepts readings of a process that dies before it stores them. */
const acceptAndDie = ([owner, readings]: Accepted) =>
  mongo.transaction((session) => readingStore.accept([{ owner, readings }], session));
const expireLeases = () => waiting.updateMany({}, { $set: { 'lease.until': new Date(0) } });
const dropNone = () => Promise.reject(new Error('All can be stored.'));
const placedAt = async (times: number[], tsProperties = {}): Promise<Accepted> => {
  const { owner, placed } = await placedIn(await collection({ _tsProperties: tsProperties }), times);
  return [owner, placed];
};

afterEach(() => void jest.restoreAllMocks());

describe('accepted readings', () => {
  it('are stored once by the worker if their process dies halfway', async () => {
    const [owner, placed] = await placedAt(Array.from({ length: 100 }, (_, n) => (n === 0 ? 0 : T0 + n)));
    const { batch, content } = batchOf(owner, placed);
    await mongo.transaction((session) => batches.put([{ batch, content }], session));
    const some = batch.readings.slice(0, 37).map((one, n) => ({ ...one, _id: readingId(batch.firstId, n) }));
    await mongo.db.collection('readings_seconds').insertMany(some);
    expect(await batches.recover(dropNone)).toBe(0);
    await expireLeases();
    const recovered = await Promise.all([batches.recover(dropNone), batches.recover(dropNone)]);
    expect(recovered.sort()).toEqual([0, 1]);
    const numbers = (await numbersOf(owner.item._id)).sort((x, y) => x - y);
    expect(numbers).toEqual(Array.from({ length: 100 }, (_, n) => n));
    expect(await waiting.countDocuments()).toBe(0);
  });

  it('are stored without those that MongoDB rejects, which are not counted', async () => {
    const accepted = await placedAt([T0, T0 + 1, T0 + 2, T0 + 3, T0 + 4]);
    const [{ item, version }] = accepted;
    await acceptAndDie(accepted);
    const batch = (await mongo.db.collection('reading_batches').findOne({ _itemId: item._id }))!;
    const { readings } = BSON.deserialize(batch.content.buffer) as { readings: { deep?: unknown }[] };
    // MongoDB rejects such deep nesting.
    readings[2]!.deep = JSON.parse('['.repeat(300) + ']'.repeat(300));
    const content = new BSON.Binary(BSON.serialize({ readings }));
    await waiting.updateOne({ _itemId: item._id }, { $set: { content } });
    await expireLeases();
    expect(await batches.recover((...rejected) => removals.drop(...rejected))).toBe(1);
    expect(await found(item._id)).toMatchObject({ _total: 4, _list: [{ n: 0 }, { n: 1 }, { n: 3 }, { n: 4 }] });
    expect(await count(version._id)).toBe(4);
    expect(await batches.areWaiting(item._id)).toBe(false);
  });

  it('wait while MongoDB rejects the service itself', async () => {
    const accepted = await placedAt([T0, T0 + 1]);
    await mongo.transaction((session) => batches.put([batchOf(...accepted)], session));
    await expireLeases();
    const unauthorized = new MongoServerError({ code: 13, errmsg: 'not authorized' });
    const spy = jest.spyOn(readingsInMongo, 'insertMany').mockRejectedValue(unauthorized);
    await expect(batches.recover(dropNone)).rejects.toMatchObject({ errors: [unauthorized] });
    spy.mockRestore();
    await expireLeases();
    expect(await batches.recover(dropNone)).toBe(1);
    expect(await storedOf(accepted[0].item._id)).toHaveLength(2);
  });

  it('are removed with their deleted version when some cannot be stored', async () => {
    const [owner, placed] = await placedAt([T0]);
    const _versionId = newId();
    const { batch } = batchOf({ ...owner, version: { _id: _versionId, _version: 2 } }, placed);
    const [first] = batch.readings;
    await mongo.db.collection('readings_seconds').insertOne({ ...first!, _id: readingId(batch.firstId, 0) });
    await removals.drop(batch, []);
    expect(await stored({ '_tsMetadata._versionId': _versionId })).toEqual([]);
  });

  it('are not lost if their process resumes after another one has stored them', async () => {
    const accepted = await placedAt([T0, T0 + 1]);
    const prepared = batchOf(...accepted);
    await mongo.transaction((session) => batches.put([prepared], session));
    const insertMany = readingsInMongo.insertMany.bind(readingsInMongo);
    let wake!: () => void;
    const asleep = new Promise<void>((resolve) => (wake = resolve));
    jest.spyOn(readingsInMongo, 'insertMany').mockImplementationOnce(async (...args) => {
      await asleep;
      return insertMany(...args);
    });
    const late = batches.store([prepared.batch], performance.now());
    await expireLeases();
    expect(await batches.recover(dropNone)).toBe(1);
    wake();
    await late;
    // Stored twice after such a long sleep.
    expect(new Set(await numbersOf(accepted[0].item._id))).toEqual(new Set([0, 1]));
  });

  it('are rejected if their telemetry item was deleted after it was found', async () => {
    const [owner, placed] = await placedAt([T0]);
    const telItemId = placed[0]!.source._telItemId;
    await send('delete', `/${owner.item._id}/relateditems/${telItemId}`).expect(204);
    await expect(readingStore.insert(owner, placed)).rejects.toMatchObject({ code: 'TELEMETRY_ITEM_MISSING' });
    expect(await stored({ '_tsMetadata._telItemId': telItemId })).toEqual([]);
    expect(await count(owner.version._id)).toBe(0);
  });

  it('conflict with the deletion of their telemetry item', async () => {
    const [owner, readings] = await placedAt([T0]);
    const results: unknown[] = [];
    /** Accepts the readings in another transaction, without a retry. */
    const acceptMeanwhile = async () => {
      const session = mongo.db.client.startSession();
      session.startTransaction();
      results.push(await readingStore.accept([{ owner, readings }], session).catch((error: unknown) => error));
      await session.endSession();
    };
    const { transaction } = app.deps.mongo;
    const deletion = jest.spyOn(app.deps.mongo, 'transaction').mockImplementationOnce((work, options) =>
      transaction(async (session) => {
        const result = await work(session);
        for (let n = 0; n < 3; n++) await acceptMeanwhile();
        return result;
      }, options),
    );
    await send('delete', `/${owner.item._id}/relateditems/${readings[0]!.source._telItemId}`).expect(204);
    expect(deletion).toHaveBeenCalledTimes(1);
    expect(results).toEqual(Array(3).fill(expect.objectContaining({ codeName: 'WriteConflict' })));
  });

  it('are subtracted if the worker stores them while others expire', async () => {
    const now = Date.now();
    const accepted = await placedAt([now - 20 * HOUR], { _granularity: 'seconds', _expiry: 86_400 });
    const [{ item, version }] = accepted;
    await readingStore.insert(...accepted);
    await acceptAndDie(accepted);
    await expireLeases();
    const deleteMany = readingsInMongo.deleteMany.bind(readingsInMongo);
    jest.spyOn(readingsInMongo, 'deleteMany').mockImplementationOnce(async (...args) => {
      await batches.recover(dropNone);
      return deleteMany(...args);
    });
    await removals.removeExpired(never, now + 6 * HOUR);
    await batches.recover(dropNone);
    await removals.removeExpired(never, now + 6 * HOUR);
    expect(await storedOf(item._id)).toEqual([]);
    expect(await count(version._id)).toBe(0);
  });
});

describe('stored readings', () => {
  it('are recorded by their size in all namespaces, until they are removed', async () => {
    const { _id, _tipId } = await collection();
    const many = Array.from({ length: 1234 }, (_, n) => reading(T0 + n, n % 2 ? 'a' : 'b', { n, text: 'ü' }));
    await post(_id, many).expect(201);
    await post(_id, [reading(T0, 'a', { n: 1.5 })]).expect(201);
    const sizeOf = (documents: object[]) => documents.reduce((sum, one) => sum + BSON.calculateObjectSize(one), 0);
    const first = sizeOf(await storedOf(_id));
    expect(await recorded(_id)).toEqual({ [`${NS} ${_tipId}`]: first });
    const { _id: secondId } = await addVersion(_id);
    await addRows(_id, [{ _sourceId: 'c' }]);
    await post(_id, [reading(T0, 'c')]).expect(201);
    await put(_id, { _namespaces: [NS, OTHER] }).expect(204);
    const second = sizeOf(await stored({ '_tsMetadata._versionId': secondId }));
    expect(await recorded(_id)).toEqual({
      ...{ [`${NS} ${_tipId}`]: first, [`${OTHER} ${_tipId}`]: first },
      ...{ [`${NS} ${secondId}`]: second, [`${OTHER} ${secondId}`]: second },
    });
    await send('delete', `/${_id}/versions/${secondId}`).expect(204);
    expect(await recorded(_id)).toMatchObject({ [`${NS} ${secondId}`]: 0, [`${OTHER} ${secondId}`]: 0 });
    await send('delete', `/${_id}`).expect(204);
    expect(Object.values(await recorded(_id))).toEqual([0, 0, 0, 0]);
  });

  it('expire: they are hidden, and later removed and subtracted', async () => {
    const { _id, _tipId } = await collection({ _tsProperties: { _granularity: 'seconds', _expiry: 86_400 } });
    const now = Date.now();
    expect((await post(_id, [reading(now - 25 * HOUR, 'a')]).expect(201)).body).toEqual({ _total: 1 });
    expect(await storedOf(_id)).toEqual([]);
    await post(_id, [reading(now - 20 * HOUR, 'a'), reading(now - 20 * HOUR, 'b'), reading(now, 'a')]).expect(201);
    await removals.removeExpired(never, now + 3 * HOUR);
    expect(await found(_id)).toMatchObject({ _total: 3 });
    const remove = () => removals.removeExpired(never, now + 6 * HOUR);
    await Promise.allSettled([remove(), remove()]);
    await remove();
    const left = await storedOf(_id);
    expect(left).toHaveLength(1);
    expect(await recorded(_id)).toEqual({ [`${NS} ${_tipId}`]: BSON.calculateObjectSize(left[0]!) });
    expect(await count(_tipId)).toBe(1);
    const soon = await collection({ _tsProperties: { _expiry: 1 } });
    await post(soon._id, [reading(Date.now(), 'a')]).expect(201);
    await eventually(async () => expect((await found(soon._id))._total).toBe(0));
  });
});

describe('with a worker, stored readings', () => {
  beforeAll(() => app.startWorker());

  it.each(['seconds', 'minutes', 'hours'])('of granularity %s are removed with their item', async (_granularity) => {
    const { _id } = await collection({ _tsProperties: { _granularity } });
    await post(_id, [reading(T0, 'a')]).expect(201);
    const count = () => mongo.db.collection(`readings_${_granularity}`).countDocuments({ '_tsMetadata._itemId': _id });
    expect(await count()).toBe(1);
    await send('delete', `/${_id}`).expect(204);
    await eventually(async () => expect(await count()).toBe(0));
  });

  it('are removed and subtracted with their telemetry item', async () => {
    const { _id, _tipId, rows } = await collection();
    await post(_id, [reading(T0, 'a'), reading(T0 + 1, 'b'), reading(T0 + 2, 'a')]).expect(201);
    await send('delete', `/${_id}/relateditems/${rows[0]._id}`).expect(204);
    const ofB = { _total: 1, _list: [{ _tsMetadata: { _sourceId: 'b' } }] };
    await eventually(async () => expect(await found(_id)).toMatchObject(ofB));
    const [left] = await storedOf(_id);
    const bytes = () => createTotals(mongo).read('reading-bytes', [_tipId]);
    await eventually(async () => expect(await bytes()).toBe(BSON.calculateObjectSize(left!)));
    await post(_id, [reading(T0, 'a')]).expect(400);
  });
});
