import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { BSON, MongoServerError, newId } from '@dtplatform/mongo';
import { createOutbox, createTotals } from '@dtplatform/queue';
import { eventually } from '@dtplatform/testing';
import { createBatches } from '../src/readings/batches.store.js';
import { createReadingRemovals } from '../src/readings/reading-removals.store.js';
import { readingId, readingModels } from '../src/readings/readings.model.js';
import { newBatch } from '../src/readings/readings.store.js';
import { NS, OTHER } from './item-client.js';
import { reading, readingClient, T0 } from './reading-client.js';
import { startApp } from './start-app.js';
import type { TestApp } from './start-app.js';

const withId = ({ batch, content }: ReturnType<typeof newBatch>) => ({
  batch: { ...batch, firstId: `${newId().slice(0, 19)}00000` },
  content,
});

const drop = () => Promise.reject(new Error('All can be stored.'));

/** From their acceptance until they expire, or are removed. */
describe('readings', () => {
  let app: TestApp;
  let owner: { authorization: string };
  const { send, post, found, collection, placedIn, readingStore, stored, told } = readingClient(() => ({ app, owner }));

  beforeAll(async () => {
    app = await startApp();
    owner = await app.caller('olga', NS);
    await app.caller('olga', OTHER);
  });
  afterAll(() => app.stop());

  it('are stored by the worker when the process that accepted them died, each once', async () => {
    const { _id, _tipId, rows } = await collection();
    const { mongo } = app;
    const batches = createBatches(mongo);
    const item = (await mongo.db.collection('items').findOne({ _id: _id as never }))! as never;
    const placed = Array.from({ length: 100 }, (_, n) => ({
      ts: new Date(n === 0 ? 0 : T0 + n),
      source: { _telItemId: rows[n % 2]._id as string, _sourceId: rows[n % 2]._sourceId as string },
      values: { n },
    }));
    const { batch, content } = withId(newBatch({ item, version: { _id: _tipId as string, _version: 1 } }, placed));
    await mongo.transaction((session) => batches.put([{ batch, content }], session));
    // It died in the middle.
    const some = batch.readings.slice(0, 37).map((one, n) => ({ ...one, _id: readingId(batch.firstId, n) }));
    await mongo.db.collection('readings_seconds').insertMany(some);
    expect(await batches.recover(drop)).toBe(0);
    await mongo.db.collection('reading_batches').updateOne({}, { $set: { 'lease.until': new Date(0) } });
    const recovered = await Promise.all([batches.recover(drop), batches.recover(drop)]);
    expect(recovered.sort()).toEqual([0, 1]);
    const all = await stored({ '_tsMetadata._itemId': _id });
    expect(all.map(({ n }) => n as number).sort((x, y) => x - y)).toEqual(Array.from({ length: 100 }, (_, n) => n));
    expect(await mongo.db.collection('reading_batches').countDocuments()).toBe(0);
  });

  it('that cannot be stored do not keep others waiting, and are not counted', async () => {
    const { mongo } = app;
    const batches = createBatches(mongo);
    const { owner: of, placed } = await placedIn(await collection(), [T0, T0 + 1, T0 + 2, T0 + 3, T0 + 4]);
    // Their process dies before it stores them.
    await mongo.transaction((session) => readingStore().accept([{ owner: of, readings: placed }], session));
    const [batch] = await mongo.db.collection('reading_batches').find({ _itemId: of.item._id }).toArray();
    const { readings } = BSON.deserialize(batch!.content.buffer) as { readings: { deep?: unknown }[] };
    // The database refuses what is nested so deeply.
    readings[2]!.deep = JSON.parse('['.repeat(300) + ']'.repeat(300));
    const content = new BSON.Binary(BSON.serialize({ readings }));
    await mongo.db
      .collection('reading_batches')
      .updateOne({ _id: batch!._id }, { $set: { content, 'lease.until': new Date(0) } });
    const removals = createReadingRemovals({ mongo, outbox: createOutbox(mongo) });
    expect(await batches.recover((...rejected) => removals.drop(...rejected))).toBe(1);
    expect(await found(of.item._id)).toMatchObject({ _total: 4, _list: [{ n: 0 }, { n: 1 }, { n: 3 }, { n: 4 }] });
    expect(await createTotals(mongo).read('reading', [of.version._id])).toBe(4);
    expect(await batches.areWaiting(of.item._id)).toBe(false);
  });

  it('are kept while the database refuses the platform itself', async () => {
    const { mongo } = app;
    const batches = createBatches(mongo);
    const { owner: of, placed } = await placedIn(await collection(), [T0, T0 + 1]);
    await mongo.transaction((session) => batches.put([withId(newBatch(of, placed))], session));
    await mongo.db.collection('reading_batches').updateOne({}, { $set: { 'lease.until': new Date(0) } });
    const unauthorized = new MongoServerError({ code: 13, errmsg: 'not authorized' });
    const readings = mongo.model(readingModels.seconds).collection;
    const spy = jest.spyOn(readings, 'insertMany').mockRejectedValue(unauthorized);
    await expect(batches.recover(drop)).rejects.toMatchObject({ errors: [unauthorized] });
    spy.mockRestore();
    await mongo.db.collection('reading_batches').updateOne({}, { $set: { 'lease.until': new Date(0) } });
    expect(await batches.recover(drop)).toBe(1);
    expect(await stored({ '_tsMetadata._itemId': of.item._id })).toHaveLength(2);
  });

  it('of which some cannot be stored are removed with their version', async () => {
    const { mongo } = app;
    const { owner: of, placed } = await placedIn(await collection(), [T0]);
    const _versionId = newId();
    const { batch } = withId(newBatch({ ...of, version: { _id: _versionId, _version: 2 } }, placed));
    const [first] = batch.readings;
    await mongo.db.collection('readings_seconds').insertOne({ ...first!, _id: readingId(batch.firstId, 0) });
    await createReadingRemovals({ mongo, outbox: createOutbox(mongo) }).drop(batch, []);
    expect(await stored({ '_tsMetadata._versionId': _versionId })).toEqual([]);
  });

  it('stay when their process wakes up after another one has stored them', async () => {
    const { mongo } = app;
    const batches = createBatches(mongo);
    const { owner: of, placed } = await placedIn(await collection(), [T0, T0 + 1]);
    const prepared = withId(newBatch(of, placed));
    await mongo.transaction((session) => batches.put([prepared], session));
    const readings = mongo.model(readingModels.seconds).collection;
    const insertMany = readings.insertMany.bind(readings);
    let wake!: () => void;
    const asleep = new Promise<void>((resolve) => (wake = resolve));
    const spy = jest.spyOn(readings, 'insertMany').mockImplementationOnce(async (...args) => {
      await asleep;
      return insertMany(...args);
    });
    const late = batches.store([prepared.batch], performance.now());
    await mongo.db.collection('reading_batches').updateOne({}, { $set: { 'lease.until': new Date(0) } });
    expect(await batches.recover(drop)).toBe(1);
    wake();
    await late;
    spy.mockRestore();
    const left = await stored({ '_tsMetadata._itemId': of.item._id });
    // Those of a process that slept so long may be there twice.
    expect(new Set(left.map(({ n }) => n as number))).toEqual(new Set([0, 1]));
  });

  it('are refused once their telemetry item is deleted, also when it was found before', async () => {
    const { owner: of, placed } = await placedIn(await collection(), [T0]);
    const telItemId = placed[0]!.source._telItemId;
    await send('delete', `${of.item._id}/relateditems/${telItemId}`).expect(204);
    await expect(readingStore().insert(of, placed)).rejects.toMatchObject({ code: 'TELEMETRY_ITEM_MISSING' });
    expect(await stored({ '_tsMetadata._telItemId': telItemId })).toEqual([]);
    expect(await createTotals(app.mongo).read('reading', [of.version._id])).toBe(0);
  });

  it('are not removed uncounted when the worker stores them while others expire', async () => {
    const { mongo } = app;
    const now = Date.now();
    const hour = 3_600_000;
    const expiring = await collection({ _tsProperties: { _granularity: 'seconds', _expiry: 86_400 } });
    const { owner: of, placed } = await placedIn(expiring, [now - 20 * hour]);
    await readingStore().insert(of, placed);
    // Their process dies before it stores them.
    await mongo.transaction((session) => readingStore().accept([{ owner: of, readings: placed }], session));
    await mongo.db.collection('reading_batches').updateOne({}, { $set: { 'lease.until': new Date(0) } });
    const readings = mongo.model(readingModels.seconds).collection;
    const deleteMany = readings.deleteMany.bind(readings);
    const spy = jest.spyOn(readings, 'deleteMany').mockImplementationOnce(async (...args) => {
      await createBatches(mongo).recover(drop);
      return deleteMany(...args);
    });
    const removals = createReadingRemovals({ mongo, outbox: createOutbox(mongo) });
    const never = new AbortController().signal;
    await removals.removeExpired(never, now + 6 * hour);
    spy.mockRestore();
    await createBatches(mongo).recover(drop);
    await removals.removeExpired(never, now + 6 * hour);
    expect(await stored({ '_tsMetadata._itemId': of.item._id })).toEqual([]);
    expect(await createTotals(mongo).read('reading', [of.version._id])).toBe(0);
  });

  it('count in the metrics by their size, until they are removed', async () => {
    const { _id, _tipId } = await collection();
    await post(
      _id,
      Array.from({ length: 1234 }, (_, n) => reading(T0 + n, n % 2 ? 'a' : 'b', { n, text: 'ü' })),
    ).expect(201);
    await post(_id, [reading(T0, 'a', { n: 1.5 })]).expect(201);
    const sizeOf = (documents: object[]) => documents.reduce((sum, one) => sum + BSON.calculateObjectSize(one), 0);
    const bytes = sizeOf(await stored({ '_tsMetadata._itemId': _id }));
    expect(await told(_id)).toEqual({ [`${NS} ${_tipId}`]: bytes });
    const second = (await send('post', `${_id}/versions`).send({}).expect(201)).body;
    await send('post', `${_id}/relateditems`)
      .send([{ _sourceId: 'c' }])
      .expect(201);
    await post(_id, [reading(T0, 'c')]).expect(201);
    await send('put', _id)
      .send({ _name: 'n', _description: '', _userType: 'u', _namespaces: [NS, OTHER] })
      .expect(204);
    const third = sizeOf(await stored({ '_tsMetadata._versionId': second._id }));
    expect(await told(_id)).toEqual({
      [`${NS} ${_tipId}`]: bytes,
      [`${OTHER} ${_tipId}`]: bytes,
      [`${NS} ${second._id}`]: third,
      [`${OTHER} ${second._id}`]: third,
    });
    await send('delete', `${_id}/versions/${second._id}`).expect(204);
    expect(await told(_id)).toMatchObject({ [`${NS} ${second._id}`]: 0, [`${OTHER} ${second._id}`]: 0 });
    await send('delete', _id).expect(204);
    expect(Object.values(await told(_id))).toEqual([0, 0, 0, 0]);
  });

  it('expire: they cannot be read any more, and are removed with their size', async () => {
    const { _id, _tipId } = await collection({ _tsProperties: { _granularity: 'seconds', _expiry: 86_400 } });
    const now = Date.now();
    const hour = 3_600_000;
    expect((await post(_id, [reading(now - 25 * hour, 'a')]).expect(201)).body).toEqual({ _total: 1 });
    expect(await stored({ '_tsMetadata._itemId': _id })).toEqual([]);
    await post(_id, [reading(now - 20 * hour, 'a'), reading(now - 20 * hour, 'b'), reading(now, 'a')]).expect(201);
    expect(await found(_id)).toMatchObject({ _total: 3 });
    const removals = createReadingRemovals({ mongo: app.mongo, outbox: createOutbox(app.mongo) });
    const never = new AbortController().signal;
    await removals.removeExpired(never, now + 3 * hour);
    expect(await found(_id)).toMatchObject({ _total: 3 });
    await Promise.all(
      [removals.removeExpired(never, now + 6 * hour), removals.removeExpired(never, now + 6 * hour)].map((one) =>
        one.catch(() => undefined),
      ),
    );
    await removals.removeExpired(never, now + 6 * hour);
    const left = await stored({ '_tsMetadata._itemId': _id });
    expect(left).toHaveLength(1);
    expect(await told(_id)).toEqual({ [`${NS} ${_tipId}`]: BSON.calculateObjectSize(left[0]!) });
    expect(await createTotals(app.mongo).read('reading', [_tipId])).toBe(1);
    const soon = await collection({ _tsProperties: { _expiry: 1 } });
    await post(soon._id, [reading(Date.now(), 'a')]).expect(201);
    await eventually(async () => expect((await found(soon._id))._total).toBe(0));
  });

  describe('with a worker', () => {
    beforeAll(() => app.startWorker());

    it('of all granularities go with their item', async () => {
      for (const _granularity of ['seconds', 'minutes', 'hours']) {
        const { _id } = await collection({ _tsProperties: { _granularity } });
        await post(_id, [reading(T0, 'a')]).expect(201);
        const readings = app.mongo.db.collection(`readings_${_granularity}`);
        expect(await readings.countDocuments({ '_tsMetadata._itemId': _id })).toBe(1);
        await send('delete', _id).expect(204);
        await eventually(async () => expect(await readings.countDocuments({ '_tsMetadata._itemId': _id })).toBe(0));
      }
    });

    it('of a telemetry item go with it', async () => {
      const { _id, _tipId, rows } = await collection();
      await post(_id, [reading(T0, 'a'), reading(T0 + 1, 'b'), reading(T0 + 2, 'a')]).expect(201);
      await send('delete', `${_id}/relateditems/${rows[0]._id}`).expect(204);
      await eventually(async () =>
        expect(await found(_id)).toMatchObject({ _total: 1, _list: [{ _tsMetadata: { _sourceId: 'b' } }] }),
      );
      const [left] = await stored({ '_tsMetadata._itemId': _id });
      await eventually(async () =>
        expect(await createTotals(app.mongo).read('reading-bytes', [_tipId])).toBe(BSON.calculateObjectSize(left!)),
      );
      await post(_id, [reading(T0, 'a')]).expect(400);
    });
  });
});
