import { beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '@dtplatform/mongo';
import { eventually } from '@dtplatform/testing';
import { METRIC_NAMES } from '../src/metrics/metric-catalogue.js';
import { recordUsage } from '../src/metrics/record-usage.job.js';
import { createUsageLedger } from '../src/metrics/usage.store.js';
import { FILE_COUNT, files, HOUR_MS, metricClient, midnight, SIZE, size, values } from './metric-client.js';
import { openApp } from './start-app.js';

const COLLECTIONS = 'dtplatform.itemsvc.NamedUserCollectionCount';

const here = await openApp();
const { app } = here;
let namespace: string;
const { get, seriesOf, valueOf } = metricClient(here, () => namespace);

beforeEach(() => {
  namespace = `tower_${newId()}`;
});

describe('the current value', () => {
  it('is the sum of all recorded changes', async () => {
    await app.send(namespace, [files(3), { _metric: COLLECTIONS, _dimensions: {}, _amount: 1 }]);
    await app.send(namespace, [files(2)]);
    await app.send(namespace, [files(-1)]);
    await app.settled();
    const before = Date.now();
    const response = await get(`${FILE_COUNT}?namespace=${namespace}`).expect(200);
    expect(response.body).toEqual({
      metricName: FILE_COUNT,
      dimensions: { namespace },
      metrics: [{ timestamp: expect.any(String), value: 4 }],
    });
    const atMs = Date.parse(response.body.metrics[0].timestamp as string);
    expect(atMs).toBeGreaterThanOrEqual(before);
    expect(atMs).toBeLessThanOrEqual(Date.now());
    expect(await valueOf(COLLECTIONS)).toBe(1);
  });

  it('is 0 if nothing was ever recorded', async () => {
    expect(await valueOf(FILE_COUNT)).toBe(0);
    expect(await valueOf(SIZE, '&file_id=none')).toBe(0);
  });

  it('counts a message once, however often it is delivered', async () => {
    const id = await app.send(namespace, [files(5)]);
    await app.settled();
    await app.send(namespace, [files(5)], { id });
    await app.send(namespace, [files(5)], { id });
    await app.settled();
    expect(await valueOf(FILE_COUNT)).toBe(5);
    expect(values(await seriesOf(FILE_COUNT, Date.now() - HOUR_MS, Date.now())).at(-1)).toBe(5);
  });

  it('counts each message once if several workers add it concurrently', async () => {
    const { mongo, log } = app.deps;
    const workers = [1, 2, 3].map(() => recordUsage(createUsageLedger(mongo, log)));
    const messages = [{ _namespace: namespace, _at: midnight, _changes: [files(1), size('f', 'v', 10)] }];
    const { signal } = new AbortController();
    const job = { attempt: 1, lastAttempt: false, isFirstStart: true, signal, log };
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
    await app.send(namespace, [unheard('a', 4), unheard('b', 8)], { at: midnight + 7 });
    await app.settled();
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
    await app.send(namespace, [
      size('file-a', 'version-1', 100),
      size('file-a', 'version-2', 20),
      size('file-b', 'version-3', 3),
    ]);
    await app.settled();
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
    const query = `namespace=${namespace}&version=version-1`;
    const path = query.replace('&', ';');
    const none = async (metric: string, rest: string) =>
      expect((await get(metric + rest).expect(200)).body).toEqual({
        ...{ metricName: metric, dimensions: expect.anything(), metrics: [] },
      });
    for (const metric of METRIC_NAMES) await none(metric, `?${query}`);
    for (const rest of [`/by-dimension;${path}`, `/by-dimension?${query}`, `;${path}`, `/;${path}`])
      await none(SIZE, rest);
  });

  it('ignore parameters that are not dimensions of the metric', async () => {
    expect(await valueOf(SIZE, '&collection=c&item=i&whatever=1')).toBe(123);
    expect(await valueOf(FILE_COUNT, '&file_id=file-a')).toBe(0);
  });

  it('accept a version number and the user item id of a collection', async () => {
    const metric = 'dtplatform.itemsvc.NamedUserCollectionVersionSize';
    const first = { _metric: metric, _dimensions: { collection: 'c1', version: 'v1' }, _amount: 55 };
    const second = { ...first, _dimensions: { collection: 'c2', version: 'v2' }, _aliases: { version: '1' } };
    await app.send(namespace, [{ ...first, _aliases: { collection: 'floors_x1', version: '1' } }, second]);
    await app.settled();
    expect(await valueOf(metric)).toBe(110);
    for (const query of ['&collection=c1&version=v1', '&collection=floors_x1&version=1', '&collection=c1&version=1']) {
      expect(await valueOf(metric, query)).toBe(55);
    }
    expect(await valueOf(metric, '&collection=floors_x1')).toBe(55);
    expect(await valueOf(metric, '&collection=c1&version=2')).toBe(0);
    const series = await seriesOf(metric, Date.now() - 1, Date.now(), '', ';collection=floors_x1;version=1');
    expect(values(series)).toEqual([55]);
  });

  it('are split before they are decoded', async () => {
    const strange = 'a;b=c/d é';
    await app.send(namespace, [size(strange, 'v', 9)]);
    await app.settled();
    const dimensions = `;file_id=${encodeURIComponent(strange)}`;
    expect(values(await seriesOf(SIZE, Date.now() - 1, Date.now(), '', dimensions))).toEqual([9]);
  });
});

describe('every metric of the contract', () => {
  it('has a value and a series', async () => {
    expect(METRIC_NAMES).toHaveLength(32);
    await app.send(
      namespace,
      METRIC_NAMES.map((_metric, n) => ({ _metric, _dimensions: {}, _amount: n + 1 })),
    );
    await app.settled();
    for (const [n, name] of METRIC_NAMES.entries()) {
      expect(await valueOf(name)).toBe(n + 1);
      expect(values(await seriesOf(name, Date.now() - 1, Date.now())).at(-1)).toBe(n + 1);
    }
  });

  it('is a 404 under any other name', async () => {
    for (const name of ['dtplatform.filesvc.Nothing', 'FileCount', 'constructor', '__proto__', `${FILE_COUNT}.x`]) {
      await get(`${name}?namespace=${namespace}`).expect(404);
      const response = await get(`${name}/by-dimension;namespace=${namespace}`).expect(404);
      expect(response.body).toMatchObject({ status: 404, code: 'NOT_FOUND', message: 'The metric does not exist.' });
    }
  });
});

describe('permissions', () => {
  it('are required for points', async () => {
    await app.send(namespace, [files(1)]);
    await app.settled();
    const stranger = await app.as(`stranger-${namespace}`);
    const plain = await get(`${FILE_COUNT}?namespace=${namespace}`, stranger).expect(200);
    expect(plain.body).toEqual({ metricName: FILE_COUNT, dimensions: { namespace }, metrics: [] });
    const series = await get(`${FILE_COUNT}/by-dimension;namespace=${namespace}`, stranger).expect(200);
    expect(series.body.metrics).toEqual([]);
  });

  it('of any kind in the namespace allow reading, until they are revoked', async () => {
    await app.send(namespace, [files(1)]);
    await app.settled();
    const user = `ula-${namespace}`;
    const token = await app.as(user);
    const points = async () =>
      (await get(`${FILE_COUNT}?namespace=${namespace}`, token).expect(200)).body.metrics.length;
    await app.grants.allow(user, 'elsewhere_1', '*:*:*', ['*']);
    expect(await points()).toBe(0);
    await app.grants.allow(user, namespace, 'filesvc:file:1', ['READ']);
    expect(await points()).toBe(1);
    await app.grants.revoke(user, namespace);
    expect(await points()).toBe(0);
  });
});

describe('an invalid request', () => {
  const series = `${FILE_COUNT}/by-dimension;namespace=n`;
  it('reports unknown names, or is rejected if strict', async () => {
    const unknown = `${series};  file=a?startTime=yesterday`;
    expect((await get(unknown).expect(200)).headers.ignored).toBe('startTime, file');
    const { body } = await get(unknown).set('prefer', 'handling=strict').expect(400);
    expect(body.errors).toEqual([{ location: 'query.startTime', message: 'is unknown' }]);
    await get(`${series};%20file=a`).set('prefer', 'handling=strict').expect(400);
    await get(`${series}; file_id=a?period.from=2026-01-01`).set('prefer', 'handling=strict').expect(200);
  });
  it.each([
    ['without a namespace', FILE_COUNT, 'query.namespace'],
    ['with an invalid namespace', `${FILE_COUNT}?namespace=a%00b`, 'query.namespace'],
    ['with an invalid nsfilter', `${FILE_COUNT}?namespace=a&nsfilter=%09`, 'query.nsfilter'],
    ['with a namespace and another nsfilter', `${FILE_COUNT}?namespace=a&nsfilter=b`, 'query.nsfilter'],
    ['with an empty dimension', `${SIZE}?namespace=a&file_id=`, 'query.file_id'],
    ['without a namespace, in a series', `${FILE_COUNT}/by-dimension`, 'query.namespace'],
    ['with an invalid namespace, in a series', `${FILE_COUNT}/by-dimension;namespace=%7f`, 'query.namespace'],
    ['with another nsfilter, in a series', `${series}?nsfilter=b`, 'query.nsfilter'],
    ['with a start that is not a time', `${series}?period.from=yesterday`, 'query.period.from'],
    ['with a day that does not exist', `${series}?period.from=2026-02-30T00:00:00Z`, 'query.period.from'],
    ['with an end that is a number', `${series}?period.to=1767225600000`, 'query.period.to'],
    ['with a time before 1970', `${series}?period.from=1960-01-01`, 'query.period.from'],
    ['with another granularity', `${series}?period.granularity=minute`, 'query.period.granularity'],
    ['with a dimension without a value', `${series};file_id`, 'path'],
    ['with a repeated dimension', `${series};namespace=m`, 'path'],
  ])('%s is rejected with its location', async (_what, path, location) => {
    const response = await get(path).expect(400);
    expect(response.body.errors[0].location).toBe(location);
    expect(JSON.stringify(response.body)).not.toContain('yesterday');
  });

  it.each([
    ['reversed', 'period.from=2026-01-02&period.to=2026-01-01', 'PERIOD_BACKWARDS'],
    ['in the future', 'period.from=2999-01-01', 'PERIOD_BACKWARDS'],
    ['too long in hours', 'period.from=2020-01-01&period.to=2022-01-01', 'PERIOD_TOO_LONG'],
    ['too long in days', 'period.from=1970-01-01&period.to=9999-12-31&period.granularity=day', 'PERIOD_TOO_LONG'],
  ])('a period that is %s is rejected', async (_what, period, code) => {
    const response = await get(`${series}?${period}`).expect(400);
    expect(response.body.code).toBe(code);
  });

  it('with a broken escape in its path is rejected', async () => {
    await get(`${FILE_COUNT}/by-dimension;namespace=%E0%A4%A`).expect(400);
  });
});
