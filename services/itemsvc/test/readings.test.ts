import { describe, expect, it } from '@jest/globals';
import { newId } from '@dtplatform/mongo';
import { sendTwice } from '@dtplatform/testing';
import { parseProjection } from '../src/query/parse-query.js';
import { choosesValues, Every, NewReading } from '../src/readings/reading.js';
import { findTelemetryItems } from '../src/readings/readings.store.js';
import { UNKNOWN } from './item-client.js';
import { iso, reading, readingClient, T0 } from './reading-client.js';
import { NS, openApp } from './start-app.js';

const here = await openApp(NS);
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
  it('are stored once for an idempotency key and listed, with times in ISO 8601', async () => {
    const { _id, _userItemId, rows } = await collection();
    const [a, b] = rows;
    const body = [
      { _ts: T0, _tsMetadata: { _sourceId: 'a' }, temperature: 20.5, state: 'on', tags: ['x', { y: 1 }] },
      { _ts: '2026-01-01T00:00:01Z', _tsMetadata: { _telItemId: b._id }, temperature: 21 },
      { _ts: '2026-01-01T02:00:02.5+02:00', _tsMetadata: { _sourceId: 'a', _telItemId: a._id }, temperature: null },
      { _ts: '2026-01-02', _tsMetadata: { _sourceId: 'b' } },
    ];
    expect((await sendTwice(() => post(_userItemId, body))).body).toEqual({ _total: 4 });
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
      const body = times.map((ms) => reading(ms, 'a', { ms }));
      await post(_id, body).expect(201);
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

  it('are all rejected if one is invalid or names no telemetry item', async () => {
    const { _id } = await collection();
    for (const [location, more] of [
      ['_ts', { _ts: 'yesterday' }],
      ['_tsMetadata', { _tsMetadata: { _sourceId: 'unknown' } }],
      ['_tsMetadata', { _tsMetadata: { _telItemId: UNKNOWN } }],
    ] as const) {
      const { body } = await post(_id, [reading(T0, 'a'), { ...reading(T0, 'a'), ...more }]).expect(400);
      expect(body.errors[0].location).toBe(`body.1.${location}`);
    }
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

  it('are rejected for other classes and versions', async () => {
    const other = await createOne();
    expect((await post(other._id, [reading(T0, 'a')]).expect(400)).body.code).toBe('NO_READINGS');
    await list(other._id).expect(400);
    const { _id } = await collection();
    await post(_id, [reading(T0, 'a')], { userItemVersionId: UNKNOWN }).expect(404);
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
    expect((await found(_id, {}, reader))._total).toBe(2);
    const partly = await limited('paul', _irn, { floor: 2 });
    expect((await found(_id, {}, partly))._list).toMatchObject([{ _tsMetadata: { _sourceId: 'b' } }]);
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

  it('are rejected for unreadable telemetry items just as for missing ones', async () => {
    const sources = ['a2', 'a1', 'b1', 'b2'].map(([_sourceId, floor]) => ({ _sourceId, floor: Number(floor) }));
    const { _id, _irn, rows } = await collection({}, sources);
    const partly = await limited('vera', _irn, { floor: 2 });
    await limited('vera', _irn, { floor: 3 }, ['CREATE']);
    const rejected = async (_tsMetadata: object) => {
      const { code, message, errors } = (await post(_id, [{ _ts: T0, _tsMetadata }], {}, partly).expect(400)).body;
      return { code, message, errors };
    };
    const unknown = await rejected({ _sourceId: 'unknown' });
    expect(unknown).toMatchObject({ code: 'TELEMETRY_ITEM_MISSING' });
    for (const source of [{ _sourceId: 'b' }, { _telItemId: rows[1]._id }, { _telItemId: UNKNOWN }])
      expect(await rejected(source)).toEqual(unknown);
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

  it('are found within an index', async () => {
    const { _id, _tipId, rows } = await collection();
    await post(_id, [reading(T0, 'a')]).expect(201);
    const readings = app.mongo.db.collection('readings_seconds');
    const ofVersion = [{}, { _ts: { $gte: new Date(T0) } }, { '_tsMetadata._telItemId': rows[0]._id }];
    for (const filter of [
      ...[...ofVersion, { '_tsMetadata._sourceId': 'a' }].map((one) => ({
        $and: [{ '_tsMetadata._versionId': _tipId }, one],
      })),
      ...[{ '_tsMetadata._itemId': _id }, { '_tsMetadata._until': { $lte: new Date() } }],
    ]) {
      const sorted = readings.aggregate([{ $match: filter }, { $sort: { _ts: 1, _id: 1 } }]);
      const plan = JSON.stringify(await sorted.explain());
      expect([plan.includes('IXSCAN'), plan.includes('COLLSCAN')]).toEqual([true, false]);
    }
    const bySource = { '_platform.versionId': _tipId, _sourceId: { $in: ['a', 'b'] } };
    const plan = await app.stored('related_items').find(bySource).explain();
    expect(JSON.stringify(plan)).toContain('"indexName":"source"');
  });
});

describe('a new reading', () => {
  it.each<[string, object]>([
    ...[undefined, null, 'yesterday', '1969-12-31T23:59:59Z', '2038-01-01T00:00:00Z', '2024-02-30', -1, 1e15].map(
      (_ts): [string, object] => ['_ts', { _ts }],
    ),
    ['_tsMetadata', { _tsMetadata: {} }],
    ['_tsMetadata._sourceId', { _tsMetadata: { _sourceId: 5 } }],
    ['_platform', { _platform: 1 }],
    ...['a.b', '$a', '', 'x'.repeat(129)].map((name): [string, object] => ['', { [name]: 1 }]),
    ['', { nested: { 'a.b': 1 } }],
    ['', JSON.parse(`{"deep":${'['.repeat(9)}1${']'.repeat(9)}}`) as object],
    ['', Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`f${n}`, n]))],
  ])('is rejected for its invalid %s (%#)', (path, more) => {
    const { error } = NewReading.safeParse({ ...reading(T0, 'a'), ...more });
    expect(error?.issues[0]?.path.join('.')).toBe(path);
  });
});

describe('down-sampled readings', () => {
  it('have one value per step and function', async () => {
    const { _id, rows } = await collection();
    const minute = 60_000;
    await post(_id, [
      reading(T0, 'a', { t: 1, state: 'off' }),
      reading(T0 + minute, 'a', { t: 3, state: 'on' }),
      reading(T0 + 14 * minute, 'a', { t: 8 }),
      reading(T0 + 15 * minute, 'a', { t: 100, extra: 5 }),
      reading(T0 + 1000, 'b', { t: -2 }),
    ]).expect(201);
    const source = (n: number) => ({ _sourceId: rows[n]._sourceId, _telItemId: rows[n]._id });
    const sampled = async (query: Record<string, unknown>) =>
      (await found(_id, { every: '15m', sort: { _ts: 1, '_tsMetadata._sourceId': 1 }, ...query }))._list;
    expect(await sampled({})).toEqual([
      { _ts: iso(T0), _tsMetadata: source(0), t: 4 },
      { _ts: iso(T0), _tsMetadata: source(1), t: -2 },
      { _ts: iso(T0 + 15 * minute), _tsMetadata: source(0), t: 100, extra: 5 },
    ]);
    expect((await sampled({ fn: 'min' }))[0].t).toBe(1);
    expect((await sampled({ fn: 'max' }))[0].t).toBe(8);
    const about = { _ts: iso(T0), _tsMetadata: source(0) };
    expect((await sampled({ fn: 'last' }))[0]).toEqual({ ...about, t: 8, state: 'on' });
    expect((await sampled({ fn: 'count' }))[0]).toEqual({ ...about, t: 3, state: 2 });
    expect((await sampled({ fn: 'avg,max,last,count' }))[0]).toEqual({
      ...about,
      t: { avg: 4, max: 8, last: 8, count: 3 },
      state: { avg: null, max: null, last: 'on', count: 2 },
    });
    const ofA = { every: '1h', query: { '_tsMetadata._sourceId': 'a' } };
    for (const project of [{ extra: 1 }, { t: 0, _id: 0 }])
      expect(await sampled({ ...ofA, project })).toEqual([{ ...about, extra: 5 }]);
    expect(await found(_id, { every: '15m', _pageSize: 1 })).toMatchObject({ _total: 3, _list: [{}] });
  });

  it.each(['15', '0m', '367d', '1w'])('cannot have steps of %s', (every) => {
    expect(Every.safeParse(every).success).toBe(false);
  });

  it.each([{ 't.avg': 1 }, { 't.avg': 0 }, { _ts: 0 }, { t: 1, _tsMetadata: 1 }, { _id: 1 }])(
    'cannot be projected to %j',
    (project) => expect(choosesValues(parseProjection(project)!)).toBe(false),
  );

  it('are rejected with invalid parameters, as other lists are', async () => {
    const { _id } = await collection();
    const hourly = [{ every: '1w' }, { every: '1h', fn: 'sum' }, { every: '1h', fn: '' }, { fn: 'last' }];
    const queries = [{ _ts: 'soon' }, { _ts: '2024-04-31' }, { _ts: { $gt: {} } }].map((query) => ({ query }));
    for (const query of [...hourly, { every: '1h', project: { _ts: 0 } }, ...queries])
      await list(_id, query).expect(400);
  });

  it('appear on exactly one page each', async () => {
    const sources = Array.from({ length: 200 }, (_, n) => ({ _sourceId: `s${n}` }));
    const { _id } = await collection({}, sources);
    const body = sources.map(({ _sourceId }, n) => reading(T0 + n, _sourceId, { n: n % 3 }));
    await post(_id, body).expect(201);
    for (const sort of [undefined, { n: -1 }, { _id: 1 }]) {
      const seen = new Set<string>();
      for (let _offset = 0; _offset < 200; _offset += 20) {
        const page = await found(_id, { every: '1m', _offset, _pageSize: 20, ...(sort && { sort }) });
        for (const { _tsMetadata } of page._list) seen.add(_tsMetadata._telItemId);
      }
      expect(seen.size).toBe(200);
    }
  });

  it('may have values of any name', async () => {
    const { _id, rows } = await collection();
    const values = {
      ...{ item: 5, source: 7, step: 2, field: 3, id: 4, t: 6, k: 8, v: 1 },
      ...{ fields: 9, meta: 10, avg: 11, values: 12 },
    };
    await post(_id, [reading(T0, 'a', values), reading(T0 + 1, 'a', values)]).expect(201);
    const about = { _ts: iso(T0), _tsMetadata: { _sourceId: 'a', _telItemId: rows[0]._id } };
    const sampled = async (fn: string) => (await found(_id, { every: '1m', fn }))._list;
    expect(await sampled('last')).toEqual([{ ...about, ...values }]);
    const both = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { avg: value, last: value }]));
    expect(await sampled('avg,last')).toEqual([{ ...about, ...both }]);
  });
});
