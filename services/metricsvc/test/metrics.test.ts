import { beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '@dtplatform/mongo';
import { createOutbox } from '@dtplatform/queue';
import { eventually } from '@dtplatform/testing';
import { METRIC_NAMES } from '../src/metrics/metric-catalogue.js';
import { namespaceJobs } from '../src/metrics/metrics.module.js';
import { recordUsage } from '../src/metrics/record-usage.job.js';
import { createUsageLedger } from '../src/metrics/usage.store.js';
import {
  DAY_MS,
  FILE_COUNT,
  files,
  HOUR_MS,
  iso,
  metricClient,
  midnight,
  SIZE,
  size,
  values,
} from './metric-client.js';
import { openApp } from './start-app.js';
import type { Change } from './start-app.js';

const COLLECTIONS = 'dtplatform.itemsvc.NamedUserCollectionCount';

const here = await openApp();
const { app } = here;
let namespace: string;
const { get, seriesOf, valueOf } = metricClient(here, () => namespace);

beforeEach(() => {
  namespace = `tower_${newId()}`;
});
/** Every notation of a series with a dimension; the period follows. */
const notations = (dimension: string) => [
  `/by-dimension;namespace=${namespace};${dimension}?`,
  `/by-dimension;namespace=${namespace};${dimension}/?`,
  `/;namespace=${namespace};${dimension}?`,
  `;namespace=${namespace};${dimension}?`,
  `/by-dimension?namespace=${namespace}&${dimension}&`,
  `/by-dimension;namespace=${namespace}?${dimension}&nsfilter=${namespace}&`,
];
const record = async (changes: Change[], at?: number) => {
  await app.send(namespace, changes, { at });
  await app.settled();
};

describe('the current value', () => {
  it('is 0 at first, and then the sum of all recorded changes', async () => {
    expect([await valueOf(FILE_COUNT), await valueOf(SIZE, '&file_id=none')]).toEqual([0, 0]);
    await app.send(namespace, [files(3), { _metric: COLLECTIONS, _dimensions: {}, _amount: 1 }]);
    await app.send(namespace, [files(2)]);
    await record([files(-1)]);
    const before = Date.now();
    const response = await get(`${FILE_COUNT}?namespace=${namespace}`).expect(200);
    const metrics = [{ timestamp: expect.any(String), value: 4 }];
    expect(response.body).toEqual({ metricName: FILE_COUNT, dimensions: { namespace }, metrics });
    const atMs = Date.parse(response.body.metrics[0].timestamp as string);
    expect(atMs).toBeGreaterThanOrEqual(before);
    expect(atMs).toBeLessThanOrEqual(Date.now());
    expect(await valueOf(COLLECTIONS)).toBe(1);
  });

  it('of every metric is listed to callers with a permission in the namespace', async () => {
    await record([files(3), size('f', 'v', 10), size('f', 'w', 5)]);
    const { body } = await get(`?namespace=${namespace}`).expect(200);
    expect(body).toMatchObject({ namespace, timestamp: expect.any(String) });
    const recorded: Record<string, number> = { [FILE_COUNT]: 3, [SIZE]: 15 };
    expect(body.metrics).toEqual(METRIC_NAMES.map((metricName) => ({ metricName, value: recorded[metricName] ?? 0 })));
    const stranger = await app.as('stranger');
    expect((await get(`?namespace=${namespace}`, stranger).expect(200)).body.metrics).toEqual([]);
  });

  it('counts each message once if several workers add it concurrently', async () => {
    const { mongo, log } = app.deps;
    const workers = [1, 2, 3].map(() => recordUsage(createUsageLedger(mongo, log)));
    const messages = [{ _namespace: namespace, _at: midnight, _changes: [files(1), size('f', 'v', 10)] }];
    const { signal } = new AbortController();
    const job = { attempt: 1, lastAttempt: false, isFirstStart: true, isDiscarded: false, signal, log };
    const ids = Array.from({ length: 60 }, () => newId());
    for (const half of [ids.slice(0, 30), ids.slice(30)])
      await Promise.all(workers.flatMap((work) => half.map((id) => work({ messages }, { ...job, id }))));
    expect(await valueOf(FILE_COUNT)).toBe(60);
    expect(await valueOf(SIZE, '&file_id=f&version=v')).toBe(600);
    expect(values(await seriesOf(FILE_COUNT, midnight, midnight + HOUR_MS))).toEqual([60]);
  });

  it('sets aside unsupported metrics until a version supports them', async () => {
    const _metric = 'dtplatform.filesvc.Unheard';
    const unheard = (file_id: string, _amount: number) => ({ ...size(file_id, 'v', _amount), _metric });
    await app.send(namespace, [unheard('a', 1), files(7), unheard('a', 2)], { at: midnight + 5 });
    await record([unheard('a', 4), unheard('b', 8)], midnight + 7);
    expect(await valueOf(FILE_COUNT)).toBe(7);
    const kept = app.mongo.db.collection('unknown_usage');
    const amounts = (await kept.find({ namespace }).toArray()).map(({ amount }) => amount as number);
    expect(amounts.sort()).toEqual([7, 8]);
    expect(await app.keptUsage()).toBeGreaterThanOrEqual(2);

    // Simulates an upgrade that adds the metric to the catalogue.
    await kept.updateMany({ namespace }, { $set: { metric: SIZE } });
    await eventually(async () => expect(await kept.countDocuments({ namespace })).toBe(0));
    expect(await valueOf(SIZE)).toBe(15);
    expect(await valueOf(SIZE, '&file_id=a&version=v')).toBe(7);
    expect(values(await seriesOf(SIZE, midnight - HOUR_MS, midnight + HOUR_MS))).toEqual([0, 15]);
  });
});

describe('dimensions', () => {
  beforeEach(async () => {
    const ofA = [size('file-a', 'version-1', 100), size('file-a', 'version-2', 20)];
    await record([...ofA, size('file-b', 'version-3', 3)]);
  });

  it('narrow a value, and are part of the response', async () => {
    expect(await valueOf(SIZE)).toBe(123);
    expect(await valueOf(SIZE, '&file_id=file-a')).toBe(120);
    const response = await get(`${SIZE}?namespace=${namespace}&file_id=file-a&version=version-2`).expect(200);
    expect(response.body.dimensions).toEqual({ namespace, file_id: 'file-a', version: 'version-2' });
    expect(values(response.body.metrics)).toEqual([20]);
    expect(values(await seriesOf(SIZE, Date.now() - 1, Date.now(), '', ';file_id=file-b'))).toEqual([3]);
  });

  it('return no points for a version without its owner, for every metric and notation', async () => {
    const none = async (metric: string, rest: string) => {
      const { body } = await get(metric + rest).expect(200);
      expect(body).toEqual({ metricName: metric, dimensions: expect.anything(), metrics: [] });
    };
    for (const metric of METRIC_NAMES) await none(metric, `?namespace=${namespace}&version=version-1`);
    for (const notation of notations('version=version-1')) await none(SIZE, notation);
  });

  it('ignore parameters that are not dimensions of the metric', async () => {
    expect(await valueOf(SIZE, '&collection=c&item=i&whatever=1')).toBe(123);
    expect(await valueOf(FILE_COUNT, '&file_id=file-a')).toBe(0);
  });

  it('accept a version number and the user item id of a collection', async () => {
    const metric = 'dtplatform.itemsvc.NamedUserCollectionVersionSize';
    const first = { _metric: metric, _dimensions: { collection: 'c1', version: 'v1' }, _amount: 55 };
    const second = { ...first, _dimensions: { collection: 'c2', version: 'v2' }, _aliases: { version: '1' } };
    await record([{ ...first, _aliases: { collection: 'floors_x1', version: '1' } }, second]);
    expect(await valueOf(metric)).toBe(110);
    const collections = ['floors_x1', 'floors_x1&version=1', 'c1&version=v1', 'c1&version=1'];
    for (const one of collections) expect(await valueOf(metric, `&collection=${one}`)).toBe(55);
    expect(await valueOf(metric, '&collection=c1&version=2')).toBe(0);
    const series = await seriesOf(metric, Date.now() - 1, Date.now(), '', ';collection=floors_x1;version=1');
    expect(values(series)).toEqual([55]);
  });

  it('are split before they are decoded', async () => {
    const strange = 'a;b=c/d é';
    await record([size(strange, 'v', 9)]);
    const dimensions = `;file_id=${encodeURIComponent(strange)}`;
    expect(values(await seriesOf(SIZE, Date.now() - 1, Date.now(), '', dimensions))).toEqual([9]);
  });
});

describe('every metric of the contract', () => {
  it('has a value and a series', async () => {
    expect(METRIC_NAMES).toHaveLength(32);
    await record(METRIC_NAMES.map((_metric, n) => ({ _metric, _dimensions: {}, _amount: n + 1 })));
    for (const [n, name] of METRIC_NAMES.entries()) {
      expect(await valueOf(name)).toBe(n + 1);
      expect(values(await seriesOf(name, Date.now() - 1, Date.now())).at(-1)).toBe(n + 1);
    }
  });

  it('is a 404 under any other name', async () => {
    for (const name of ['dtplatform.filesvc.Nothing', '__proto__', `${FILE_COUNT}.x`]) {
      await get(`${name}?namespace=${namespace}`).expect(404);
      const response = await get(`${name}/by-dimension;namespace=${namespace}`).expect(404);
      expect(response.body).toMatchObject({ status: 404, code: 'NOT_FOUND', message: 'The metric does not exist.' });
    }
  });
});

it('points require a permission of any kind in the namespace, until it is revoked', async () => {
  await record([files(1)]);
  const user = `ula-${namespace}`;
  const token = await app.as(user);
  const points = async () => {
    const { body } = await get(`${FILE_COUNT}?namespace=${namespace}`, token).expect(200);
    const series = await get(`${FILE_COUNT}/by-dimension;namespace=${namespace}`, token).expect(200);
    expect(body).toMatchObject({ metricName: FILE_COUNT, dimensions: { namespace } });
    return [body.metrics.length, series.body.metrics.length];
  };
  await app.grants.allow(user, 'elsewhere_1', '*:*:*', ['*']);
  expect(await points()).toEqual([0, 0]);
  await app.grants.allow(user, namespace, 'filesvc:file:1', ['READ']);
  expect(await points()).toEqual([1, 7 * 24]);
  await app.grants.revoke(user, namespace);
  expect(await points()).toEqual([0, 0]);
});

describe('an invalid request', () => {
  const series = `${FILE_COUNT}/by-dimension;namespace=n`;
  it('reports unknown names, or is rejected if strict', async () => {
    expect((await get(`${series};  file=a?startTime=yesterday`).expect(200)).headers.ignored).toBe('startTime, file');
    await get(`${series};%20file=a`).set('prefer', 'handling=strict').expect(400);
    await get(`${series}; file_id=a?period.from=2026-01-01`).set('prefer', 'handling=strict').expect(200);
  });
  it.each([
    ['with a namespace and another nsfilter', `${FILE_COUNT}?namespace=a&nsfilter=b`, 'query.nsfilter'],
    ['without a namespace, in a series', `${FILE_COUNT}/by-dimension`, 'query.namespace'],
    ['with an invalid namespace, in a series', `${FILE_COUNT}/by-dimension;namespace=%7f`, 'query.namespace'],
    ['with another nsfilter, in a series', `${series}?nsfilter=b`, 'query.nsfilter'],
    ['with a start that is not a time', `${series}?period.from=yesterday`, 'query.period.from'],
    ['with a day that does not exist', `${series}?period.from=2026-02-30T00:00:00Z`, 'query.period.from'],
    ['with a time before 1970', `${series}?period.from=1960-01-01`, 'query.period.from'],
    ['with a dimension without a value', `${series};file_id`, 'path'],
    ['with a repeated dimension', `${series};namespace=m`, 'path'],
    ['for a reversed period', `${series}?period.from=2026-01-02&period.to=2026-01-01`, 'PERIOD_BACKWARDS'],
    ['for a period in the future', `${series}?period.from=2999-01-01`, 'PERIOD_BACKWARDS'],
    ['for too many hours', `${series}?period.from=2020-01-01&period.to=2022-01-01`, 'PERIOD_TOO_LONG'],
    ['for too many days', `${series}?period.from=1970-01-01&period.granularity=day`, 'PERIOD_TOO_LONG'],
  ])('%s is rejected with its location or code', async (_what, path, expected) => {
    const { body } = await get(path).expect(400);
    expect(body.errors?.[0].location ?? body.code).toBe(expected);
    expect(JSON.stringify(body)).not.toContain('yesterday');
  });
});

describe('a series', () => {
  it('has a point per hour with the value at its end, also of late messages and of hours without changes', async () => {
    const add = (amount: number, hours: number) => record([files(amount)], midnight + hours * HOUR_MS - 1);
    await add(4, -70 * 24);
    await add(2, 1.5);
    await add(-3, 5);
    await add(1, 1);
    const points = await seriesOf(FILE_COUNT, midnight, midnight + 7 * HOUR_MS);
    const expected = [5, 7, 7, 7, 4, 4, 4].map((value, n) => ({ timestamp: iso(midnight + n * HOUR_MS), value }));
    expect(points).toEqual(expected);
    expect(values(await seriesOf(FILE_COUNT, midnight + 5 * HOUR_MS, midnight + 6 * HOUR_MS))).toEqual([4]);
  });

  it('has a point for each day in UTC, across months and a leap year', async () => {
    const times = ['2024-02-28T23:59:59.999Z', '2024-02-29T00:00:00Z', '2024-03-01T12:00:00Z'];
    for (const [n, time] of times.entries()) await record([files(2 ** n)], Date.parse(time));
    const [from, to] = [Date.parse('2024-02-28'), Date.parse('2024-03-03')];
    const points = await seriesOf(FILE_COUNT, from, to, '&period.granularity=day');
    expect(points).toEqual([1, 3, 7, 7].map((value, n) => ({ timestamp: iso(from + n * DAY_MS), value })));
    const year = await seriesOf(FILE_COUNT, Date.parse('2024-01-01'), Date.parse('2025-01-01'));
    expect(year).toHaveLength(366 * 24);
    expect(year[59 * 24 - 1]!.value).toBe(1);
    expect(year[59 * 24]).toEqual({ timestamp: '2024-02-29T00:00:00.000Z', value: 3 });
    expect(year.at(-1)!.value).toBe(7);
  });

  it('covers the last seven days up to the current hour by default', async () => {
    await record([files(8)]);
    const points = async (period = '') =>
      (await get(`${FILE_COUNT}/by-dimension;namespace=${namespace}${period}`).expect(200)).body.metrics;
    const hourly = await points();
    expect(hourly).toHaveLength(7 * 24);
    expect(Date.now() - Date.parse(hourly.at(-1).timestamp as string)).toBeLessThan(HOUR_MS + 60_000);
    expect(hourly.at(-1).value).toBe(8);
    expect(await points('?period.granularity=day')).toHaveLength(7);
    const earlier = await points(`?period.to=${iso(midnight)}`);
    expect(earlier).toHaveLength(7 * 24);
    expect(earlier.at(-1).timestamp).toBe(iso(midnight - HOUR_MS));
  });

  it('has no points in the future, and counts usage of clocks that run ahead as current', async () => {
    await record([files(1)], Date.now() + 30 * DAY_MS);
    const points = await seriesOf(FILE_COUNT, Date.now() - HOUR_MS, Date.now() + DAY_MS);
    expect(points.length).toBeLessThanOrEqual(3);
    expect(points.at(-1)!.value).toBe(1);
    expect(await seriesOf(FILE_COUNT, Date.now() + 2 * HOUR_MS, Date.now() + DAY_MS)).toEqual([]);
  });

  it('accepts every notation of the dimensions', async () => {
    await record([size('f1', 'v1', 12)], midnight);
    const period = `period.from=${iso(midnight)}&period.to=${iso(midnight + HOUR_MS)}`;
    for (const notation of notations('file_id=f1')) {
      const { body } = await get(SIZE + notation + period).expect(200);
      const metrics = [{ timestamp: iso(midnight), value: 12 }];
      expect(body).toEqual({ metricName: SIZE, dimensions: { namespace, file_id: 'f1' }, metrics });
    }
  });

  it('accepts every ISO 8601 form of a time', async () => {
    await record([files(1)], Date.parse('2025-06-01T10:00:00Z'));
    const points = async (from: string, to: string) => {
      const period = `period.from=${from}&period.to=${to}`;
      return (await get(`${FILE_COUNT};namespace=${namespace}?${period}`).expect(200)).body.metrics;
    };
    for (const [from, to] of [
      ['2025-06-01T10:00:00Z', '2025-06-01T11:00:00.000Z'],
      ['2025-06-01T12:00:00%2B02:00', '2025-06-01T11:00Z'],
      ['2025-06-01T10:30:00', '2025-06-01T10:30:00'],
    ] as const)
      expect(await points(from, to)).toEqual([{ timestamp: '2025-06-01T10:00:00.000Z', value: 1 }]);
    expect(await points('2025-06-01', '2025-06-02')).toHaveLength(24);
  });
});

describe('a deleted workspace', () => {
  const TOWER = 'tower';
  /** Adjacent in the order of ids. */
  const others = ['towe', 'tower_1', 'tower0', 'tower/1'];
  const series = app.mongo.db.collection<{ _id: string }>('series');
  const ids = async () => {
    const names = ['series', 'series_months', 'dimension_aliases', 'unknown_usage'];
    const found = names.map((name) => app.mongo.db.collection<{ _id: string }>(name).distinct('_id'));
    return (await Promise.all(found)).map((each) => each.sort());
  };
  const unknown = { _metric: 'dtplatform.filesvc.Later', _dimensions: {}, _amount: 1 };
  const use = (namespace: string) =>
    app.send(namespace, [files(2), { ...size('f', 'v', 10), _aliases: { version: '1' } }, unknown]);
  const message = namespaceJobs.messages['workspace.deleted.v1'];
  const deleted = { _id: 'a'.repeat(24), _namespaces: [TOWER, 'tower_unused'] };
  const announce = async () => {
    await app.mongo.transaction((session) => createOutbox(app.mongo).put(session, message, deleted));
    await app.settled();
  };

  it('removes its metrics for good, and no others', async () => {
    namespace = TOWER;
    await Promise.all(others.map(use));
    await app.settled();
    const before = await ids();
    expect(before.map(({ length }) => length).every((length) => length >= others.length)).toBe(true);
    await use(TOWER);
    await app.settled();
    expect(await valueOf(FILE_COUNT)).toBe(2);
    const counted = await series.findOne({ _id: `${TOWER}/${FILE_COUNT}` });
    // More than one batch.
    const more = Array.from({ length: 2_100 }, (_, n) => ({ ...counted!, _id: `${counted!._id}/${n}` }));
    await series.insertMany(more);

    await announce();
    expect(await ids()).toEqual(before);
    expect(await valueOf(FILE_COUNT)).toBe(0);

    // Other services record what they remove there.
    await app.send(TOWER, [files(-2), { ...size('f', 'v', -10), _aliases: { version: '1' } }, unknown]);
    await app.send('tower_1', [files(1)]);
    await app.settled();
    expect(await ids()).toEqual(before);
    expect(await series.findOne({ _id: `tower_1/${FILE_COUNT}` })).toMatchObject({ value: 3 });
    await announce();
    expect(await ids()).toEqual(before);
  });
});
