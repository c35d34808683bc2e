import { describe, expect, it } from '@jest/globals';
import { newId } from '@dtplatform/mongo';
import { sendTwice } from '@dtplatform/testing';
import { findTelemetryItems } from '../src/readings/readings.store.js';
import { UNKNOWN } from './item-client.js';
import { iso, reading, readingClient, T0 } from './reading-client.js';
import { NS, openApp, OTHER } from './start-app.js';

const here = await openApp(NS, OTHER);
const { app } = here;
const { createOne, addVersion, post, list, found, collection, stored } = readingClient(here);
/** A caller with actions on the telemetry items that match. */
const limited = (
  user: string,
  _irn: string,
  _criteria: Record<string, string | number>,
  actions: ('READ' | 'CREATE')[] = ['READ', 'CREATE'],
) => app.holder(user, actions, { _irn, _subresourceDesc: { _type: 'relateditem', _criteria } });

describe('readings', () => {
  it('are stored and listed, with times in ISO 8601', async () => {
    const { _id, _userItemId, rows } = await collection();
    const [a, b] = rows;
    const body = [
      { _ts: T0, _tsMetadata: { _sourceId: 'a' }, temperature: 20.5, state: 'on', tags: ['x', { y: 1 }] },
      { _ts: '2026-01-01T00:00:01Z', _tsMetadata: { _telItemId: b._id }, temperature: 21 },
      { _ts: '2026-01-01T02:00:02.5+02:00', _tsMetadata: { _sourceId: 'a', _telItemId: a._id }, temperature: null },
      { _ts: '2026-01-02', _tsMetadata: { _sourceId: 'b' } },
    ];
    expect((await post(_userItemId, body).expect(201)).body).toEqual({ _total: 4 });
    const page = await found(_id);
    const of = (row: { _id: string; _sourceId: string }) => ({ _sourceId: row._sourceId, _telItemId: row._id });
    const id = expect.stringMatching(/^[0-9a-f]{24}$/);
    expect(page).toEqual({
      ...{ _offset: 0, _pageSize: 25, _total: 4 },
      _list: [
        {
          ...{ _id: id, _ts: '2026-01-01T00:00:00.000Z', _tsMetadata: of(a) },
          ...{ temperature: 20.5, state: 'on', tags: ['x', { y: 1 }] },
        },
        { _id: id, _ts: '2026-01-01T00:00:01.000Z', _tsMetadata: of(b), temperature: 21 },
        { _id: id, _ts: '2026-01-01T00:00:02.500Z', _tsMetadata: of(a), temperature: null },
        { _id: id, _ts: '2026-01-02T00:00:00.000Z', _tsMetadata: of(b) },
      ],
    });
    expect(await app.stored('reading_batches').countDocuments()).toBe(0);
  });

  it('share a bucket, whatever their order', async () => {
    const { _id, rows } = await collection();
    const body = [3, 2, 1, 0].map((minute) => reading(T0 + minute * 60_000, 'a', { minute }));
    await post(_id, body).expect(201);
    const buckets = app.mongo.db.collection('system.buckets.readings_seconds');
    expect(await buckets.countDocuments({ 'meta._telItemId': rows[0]._id })).toBe(1);
  });

  it('are filtered by time, telemetry item and values, sorted and in pages', async () => {
    const { _id, rows } = await collection();
    const body = Array.from({ length: 60 }, (_, n) => reading(T0 + Math.floor(n / 2) * 1000, n % 2 ? 'b' : 'a', { n }));
    await post(_id, body).expect(201);
    const numbers = async (query: Record<string, unknown>) =>
      (await found(_id, { page: { _pageSize: 100 }, ...query }))._list.map(({ n }: { n: number }) => n);
    const all = body.map((_one, n) => n);
    expect(await numbers({})).toEqual(all);
    expect(await numbers({ sort: { _ts: -1 } })).toEqual(
      [...all].sort((x, y) => Math.floor(y / 2) - Math.floor(x / 2) || y - x),
    );
    expect(await numbers({ sort: { n: -1 } })).toEqual([...all].reverse());
    expect(await numbers({ query: { _ts: { $gte: iso(T0 + 5000), $lt: T0 + 7000 } } })).toEqual([10, 11, 12, 13]);
    expect(await numbers({ query: { _ts: iso(T0 + 5000), '_tsMetadata._sourceId': 'b' } })).toEqual([11]);
    expect(await numbers({ query: { '_tsMetadata._telItemId': rows[0]._id, n: { $lt: 5 } } })).toEqual([0, 2, 4]);
    expect(await numbers({ query: { $or: [{ n: 3 }, { _ts: { $in: [T0, iso(T0)] } }] } })).toEqual([0, 1, 3]);
    expect(await numbers({ query: { _ts: { $not: { $gt: T0 } } } })).toEqual([0, 1]);
    expect(await numbers({ query: { '_tsMetadata._itemId': _id } })).toEqual([]);
    const pages = await Promise.all([0, 25, 50].map((_offset) => found(_id, { _offset, _pageSize: 25 })));
    expect(pages.flatMap(({ _list }) => _list.map(({ n }: { n: number }) => n))).toEqual(all);
    expect(pages.map(({ _total }) => _total)).toEqual([60, 60, 60]);
    expect(await found(_id, { _pageSize: 0, query: { n: { $gte: 50 } } })).toMatchObject({ _list: [], _total: 10 });
    const [only] = (await found(_id, { project: { n: 1, _id: 0 }, _pageSize: 1 }))._list;
    expect(only).toEqual({ n: 0 });
    const [without] = (await found(_id, { project: { n: 0 }, _pageSize: 1 }))._list;
    const _tsMetadata = { _sourceId: 'a', _telItemId: rows[0]._id };
    expect(without).toEqual({ _id: expect.any(String), _ts: iso(T0), _tsMetadata });
    const byId = (await found(_id, { query: { n: 7 } }))._list[0]._id;
    expect(await numbers({ query: { _id: byId } })).toEqual([7]);
  });

  it('are found by any time since 1970', async () => {
    const hours = [0, 1, 24, 24 * 29].map((hour) => hour * 3_600_000);
    const times = [...hours, ...[1980, 1999, 2015, 2037].map((year) => Date.UTC(year, 1, 1))];
    for (const _granularity of ['seconds', 'minutes', 'hours']) {
      const { _id } = await collection({ _tsProperties: { _granularity, _expiry: Number.MAX_SAFE_INTEGER } });
      await post(
        _id,
        times.map((ms) => reading(ms, 'a', { ms })),
      ).expect(201);
      const timesOf = async (_ts: unknown) =>
        (await found(_id, { query: { _ts } }))._list.map(({ ms }: { ms: number }) => ms);
      expect(await timesOf({ $exists: true })).toEqual(times);
      for (const at of hours) {
        expect(await timesOf({ $gte: at })).toEqual(times.filter((ms) => ms >= at));
        expect(await timesOf({ $gt: at, $ne: times[7] })).toEqual(times.filter((ms) => ms > at && ms !== times[7]));
        expect(await timesOf(iso(at))).toEqual([at]);
        expect(await timesOf({ $in: [at, times[6]], $not: { $lt: at } })).toEqual([at, times[6]]);
      }
    }
  });

  it('of the same time keep their order of arrival', async () => {
    const { _id } = await collection();
    for (let n = 0; n < 12; n += 2)
      await post(_id, [reading(T0, 'a', { n }), reading(T0, 'b'), reading(T0, 'a', { n: n + 1 })]).expect(201);
    const query = { '_tsMetadata._sourceId': 'a' };
    const numbers = async (more: object) =>
      (await found(_id, { query, ...more }))._list.map(({ n }: { n: number }) => n);
    const all = Array.from({ length: 12 }, (_, n) => n);
    expect(await numbers({})).toEqual(all);
    expect(await numbers({ sort: { _ts: 1 }, page: { _offset: 5, _pageSize: 3 } })).toEqual([5, 6, 7]);
    expect(await numbers({ sort: { _ts: -1 } })).toEqual(all.toReversed());
    expect(await numbers({ every: '1h', fn: 'last' })).toEqual([11]);
  });

  it.each<[string, object]>([
    ['_ts', { _ts: undefined }],
    ...[
      ...['yesterday', '2026-13-01T00:00:00Z', '1969-12-31T23:59:59Z', '2038-01-01T00:00:00Z', '2024-02-30'],
      ...['2023-02-29T12:00:00Z', -1, 1e15, null, {}],
    ].map((_ts): [string, object] => ['_ts', { _ts }]),
    ['_tsMetadata', { _tsMetadata: {} }],
    ['_tsMetadata._sourceId', { _tsMetadata: { _sourceId: 5 } }],
    ['_tsMetadata', { _tsMetadata: { _sourceId: 'unknown' } }],
    ['_tsMetadata', { _tsMetadata: { _telItemId: UNKNOWN } }],
    ...['a.b', '$a', '', 'x'.repeat(129)].map((name): [string, object] => ['', { [name]: 1 }]),
    ['_platform', { _platform: 1 }],
    ['', { nested: { 'a.b': 1 } }],
    ['', JSON.parse(`{"deep":${'['.repeat(9)}1${']'.repeat(9)}}`) as object],
    ['', Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`f${n}`, n]))],
  ])('are rejected for an invalid %s (%#)', async (location, more) => {
    const { _id } = await collection();
    const { body } = await post(_id, [reading(T0, 'a'), { ...reading(T0, 'a'), ...more }]).expect(400);
    expect(body.errors[0].location).toContain(`body.1${location && `.${location}`}`);
    expect(await stored({ '_tsMetadata._itemId': _id })).toEqual([]);
  });

  it('are rejected if they are too many or too large', async () => {
    const { _id } = await collection();
    await post(_id, []).expect(400);
    const readings = (count: number, text: string) => Array.from({ length: count }, () => reading(T0, 'a', { text }));
    await post(_id, readings(10_001, '')).expect(400);
    await post(_id, readings(1, 'x'.repeat(70_000))).expect(413);
    await post(_id, readings(200, 'x'.repeat(60_000))).expect(413);
  });

  it('are rejected for other classes, namespaces and versions', async () => {
    const other = await createOne();
    expect((await post(other._id, [reading(T0, 'a')]).expect(400)).body.code).toBe('NO_READINGS');
    await list(other._id).expect(400);
    const { _id } = await collection();
    await post(_id, [reading(T0, 'a')], { nsfilter: OTHER }).expect(404);
    await post(_id, [reading(T0, 'a')], { userItemVersionId: UNKNOWN }).expect(404);
  });

  it.each([{ _ts: 'soon' }, { _ts: '2024-04-31' }, { _ts: { $gt: {} } }, { _ts: { $near: 1 } }, { $where: '1' }])(
    'are not listed for the invalid query %j',
    async (query) => {
      await list((await collection())._id, { query }).expect(400);
    },
  );

  it('report unknown names in `_tsMetadata`', async () => {
    const { _id } = await collection();
    const body = [{ _ts: T0, _tsMetadata: { _sourceId: 'a', zone: 1 }, anything: { zone: 1 } }];
    expect((await post(_id, body).expect(201)).headers.ignored).toBe('zone');
    const response = await post(_id, body).set('prefer', 'handling=strict').expect(400);
    expect(response.body.errors).toEqual([{ location: 'body.0._tsMetadata.zone', message: 'is unknown' }]);
    expect((await found(_id))._total).toBe(1);
  });

  it('belong to the version of their telemetry items', async () => {
    const { _id, _tipId } = await collection();
    await post(_id, [reading(T0, 'a', { n: 1 })]).expect(201);
    await addVersion(_id);
    await post(_id, [reading(T0, 'a')]).expect(400);
    await post(_id, [reading(T0 + 1, 'a', { n: 2 })], { userItemVersionId: _tipId }).expect(201);
    expect((await found(_id))._total).toBe(0);
    expect((await found(_id, { userItemVersionId: _tipId }))._total).toBe(2);
  });

  it('are those of the telemetry items that match the criteria of a permission', async () => {
    const { _id, _irn } = await collection();
    await post(_id, [reading(T0, 'a'), reading(T0, 'b')]).expect(201);
    const reader = await app.caller('rita', NS, ['READ'], _irn);
    await post(_id, [reading(T0, 'a')], {}, reader).expect(403);
    expect((await found(_id, {}, reader))._total).toBe(2);
    const partly = await limited('paul', _irn, { floor: 2 });
    expect((await found(_id, {}, partly))._list).toMatchObject([{ _tsMetadata: { _sourceId: 'b' } }]);
    await post(_id, [reading(T0 + 1, 'b')], {}, partly).expect(201);
    await post(_id, [reading(T0 + 1, 'b'), reading(T0 + 1, 'a')], {}, partly).expect(400);
    expect((await found(_id))._total).toBe(3);
  });

  it('are stored without loading large telemetry items, or newer ones with the same source id', async () => {
    const { _id, _irn, _tipId, rows } = await collection({}, [{ _sourceId: 'a', floor: 2 }, { _sourceId: 'b' }]);
    const text = 'x'.repeat(7 * 1024 * 1024);
    const relatedItems = app.stored('related_items');
    await relatedItems.updateOne({ _id: rows[0]._id }, { $set: { text } });
    const _platform = { itemId: _id, versionId: _tipId };
    for (const _sourceId of ['a', 'a', 'c', 'd'])
      await relatedItems.insertOne({ _id: newId(), _platform, _sourceId, floor: 3, text });
    const item = (await app.stored('items').findOne({ _id })) as never;
    const version = { _id: _tipId as string, _version: 1 };
    const wanted = { ids: [rows[1]._id as string], sourceIds: ['a', 'unknown'], fields: ['floor'] };
    expect(await findTelemetryItems(app.mongo, { item, version }, wanted)).toEqual({
      byId: new Map([[rows[1]._id, { _id: rows[1]._id, _sourceId: 'b' }]]),
      bySourceId: new Map([['a', { _id: rows[0]._id, _sourceId: 'a', floor: 2 }]]),
    });
    const all = ['a', 'b', 'c', 'd'].map((_sourceId) => reading(T0, _sourceId));
    await post(_id, all).expect(201);
    expect((await found(_id))._list[0]._tsMetadata).toEqual({ _sourceId: 'a', _telItemId: rows[0]._id });
    // These criteria need the large field.
    const partly = await limited('tina', _irn, { text: 'short' });
    expect((await post(_id, all, {}, partly).expect(400)).body.code).toBe('PAGE_TOO_LARGE');
    expect((await post(_id, all.slice(0, 1), {}, partly).expect(400)).body.code).toBe('TELEMETRY_ITEM_MISSING');
  });

  it('are rejected for unreadable telemetry items as for missing ones', async () => {
    const { _id, _irn, rows } = await collection({}, [
      { _sourceId: 'a', floor: 2 },
      { _sourceId: 'a', floor: 1 },
      { _sourceId: 'b', floor: 1 },
      { _sourceId: 'b', floor: 2 },
    ]);
    const partly = await limited('vera', _irn, { floor: 2 });
    await limited('vera', _irn, { floor: 3 }, ['CREATE']);
    const rejected = async (source: object) => {
      const body = [{ _ts: T0, _tsMetadata: source }];
      const { code, message, errors } = (await post(_id, body, {}, partly).expect(400)).body;
      return { code, message, errors };
    };
    const unknown = await rejected({ _sourceId: 'unknown' });
    expect(unknown).toMatchObject({ code: 'TELEMETRY_ITEM_MISSING' });
    expect(await rejected({ _sourceId: 'b' })).toEqual(unknown);
    expect(await rejected({ _telItemId: rows[1]._id })).toEqual(unknown);
    expect(await rejected({ _telItemId: UNKNOWN })).toEqual(unknown);
    const own = [reading(T0, 'a', { n: 1 }), { _ts: T0 + 1, _tsMetadata: { _telItemId: rows[3]._id }, n: 2 }];
    await post(_id, own, {}, partly).expect(201);
    expect((await found(_id))._list).toMatchObject([
      { _tsMetadata: { _telItemId: rows[0]._id }, n: 1 },
      { _tsMetadata: { _telItemId: rows[3]._id }, n: 2 },
    ]);
    const looker = await limited('lars', _irn, { floor: 2 }, ['READ']);
    await limited('lars', _irn, { floor: 3 }, ['CREATE']);
    await post(_id, [reading(T0, 'a')], {}, looker).expect(403);
    expect((await post(_id, [reading(T0, 'b')], {}, looker).expect(400)).body).toMatchObject(unknown);
  });

  it('are stored once for an idempotency key', async () => {
    const { _id } = await collection();
    await sendTwice(() => post(_id, [reading(T0, 'a'), reading(T0, 'b')]));
    expect((await found(_id))._total).toBe(2);
  });

  it('are found within an index', async () => {
    const { _id, _tipId, rows } = await collection();
    await post(_id, [reading(T0, 'a')]).expect(201);
    const own = { '_tsMetadata._versionId': _tipId };
    const readings = app.mongo.db.collection('readings_seconds');
    for (const filter of [
      ...[{}, { _ts: { $gte: new Date(T0) } }, { '_tsMetadata._telItemId': rows[0]._id }].map((one) => ({
        $and: [own, one],
      })),
      ...[{ $and: [own, { '_tsMetadata._sourceId': 'a' }] }, { '_tsMetadata._itemId': _id }],
      { '_tsMetadata._until': { $lte: new Date() } },
    ]) {
      const plan = JSON.stringify(
        await readings.aggregate([{ $match: filter }, { $sort: { _ts: 1, _id: 1 } }]).explain(),
      );
      expect(plan).toContain('IXSCAN');
      expect(plan).not.toContain('COLLSCAN');
    }
    const bySource = { '_platform.versionId': _tipId, _sourceId: { $in: ['a', 'b'] } };
    const plan = await app.stored('related_items').find(bySource).explain();
    expect(JSON.stringify(plan)).toContain('"indexName":"source"');
  });
});
