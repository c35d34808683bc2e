import { beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '@dtplatform/mongo';
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

const here = await openApp();
const { app } = here;
let namespace: string;
const { get, seriesOf } = metricClient(here, () => namespace);

beforeEach(() => {
  namespace = `tower_${newId()}`;
});

describe('a series', () => {
  it('has a point per hour with the value at its end, and repeats it in hours without changes', async () => {
    await app.send(namespace, [files(2)], { at: midnight + 1.5 * HOUR_MS });
    await app.send(namespace, [files(1)], { at: midnight + HOUR_MS });
    await app.send(namespace, [files(-3)], { at: midnight + 5 * HOUR_MS - 1 });
    await app.settled();
    const points = await seriesOf(FILE_COUNT, midnight, midnight + 7 * HOUR_MS);
    expect(values(points)).toEqual([0, 3, 3, 3, 0, 0, 0]);
    expect(points.map(({ timestamp }) => timestamp)).toEqual(
      [0, 1, 2, 3, 4, 5, 6].map((n) => iso(midnight + n * HOUR_MS)),
    );
  });

  it('starts with the value before the period', async () => {
    await app.send(namespace, [files(4)], { at: midnight - 70 * DAY_MS });
    await app.send(namespace, [files(6)], { at: midnight + HOUR_MS });
    await app.settled();
    expect(values(await seriesOf(FILE_COUNT, midnight, midnight + 2 * HOUR_MS))).toEqual([4, 10]);
    expect(values(await seriesOf(FILE_COUNT, midnight + 2 * HOUR_MS, midnight + 3 * HOUR_MS))).toEqual([10]);
  });

  it('counts late messages in their own hour', async () => {
    await app.send(namespace, [files(10)], { at: midnight + 3 * HOUR_MS });
    await app.settled();
    await app.send(namespace, [files(1)], { at: midnight + HOUR_MS });
    await app.settled();
    expect(values(await seriesOf(FILE_COUNT, midnight, midnight + 4 * HOUR_MS))).toEqual([0, 1, 1, 11]);
  });

  it('has a point for each day in UTC, across months and a leap year', async () => {
    await app.send(namespace, [files(1)], { at: Date.parse('2024-02-28T23:59:59.999Z') });
    await app.send(namespace, [files(2)], { at: Date.parse('2024-02-29T00:00:00Z') });
    await app.send(namespace, [files(4)], { at: Date.parse('2024-03-01T12:00:00Z') });
    await app.settled();
    const [from, to] = [Date.parse('2024-02-28'), Date.parse('2024-03-03')];
    const points = await seriesOf(FILE_COUNT, from, to, '&period.granularity=day');
    expect(points).toEqual([
      { timestamp: '2024-02-28T00:00:00.000Z', value: 1 },
      { timestamp: '2024-02-29T00:00:00.000Z', value: 3 },
      { timestamp: '2024-03-01T00:00:00.000Z', value: 7 },
      { timestamp: '2024-03-02T00:00:00.000Z', value: 7 },
    ]);
    const year = await seriesOf(FILE_COUNT, Date.parse('2024-01-01'), Date.parse('2025-01-01'));
    expect(year).toHaveLength(366 * 24);
    expect(year[59 * 24 - 1]!.value).toBe(1);
    expect(year[59 * 24]).toEqual({ timestamp: '2024-02-29T00:00:00.000Z', value: 3 });
    expect(year.at(-1)!.value).toBe(7);
  });

  it('covers the last seven days up to the current hour by default', async () => {
    await app.send(namespace, [files(8)]);
    await app.settled();
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
    await app.send(namespace, [files(1)], { at: Date.now() + 30 * DAY_MS });
    await app.settled();
    const points = await seriesOf(FILE_COUNT, Date.now() - HOUR_MS, Date.now() + DAY_MS);
    expect(points.length).toBeLessThanOrEqual(3);
    expect(points.at(-1)!.value).toBe(1);
    expect(await seriesOf(FILE_COUNT, Date.now() + 2 * HOUR_MS, Date.now() + DAY_MS)).toEqual([]);
  });

  it('accepts every notation of the dimensions', async () => {
    await app.send(namespace, [size('f1', 'v1', 12)], { at: midnight });
    await app.settled();
    const period = `period.from=${iso(midnight)}&period.to=${iso(midnight + HOUR_MS)}`;
    for (const path of [
      `${SIZE}/by-dimension;namespace=${namespace};file_id=f1?`,
      `${SIZE}/by-dimension;namespace=${namespace};file_id=f1/?`,
      `${SIZE}/;namespace=${namespace};file_id=f1?`,
      `${SIZE};namespace=${namespace};file_id=f1?`,
      `${SIZE}/by-dimension?namespace=${namespace}&file_id=f1&`,
      `${SIZE}/by-dimension;namespace=${namespace}?file_id=f1&nsfilter=${namespace}&`,
    ]) {
      const response = await get(path + period).expect(200);
      expect(response.body).toEqual({
        metricName: SIZE,
        dimensions: { namespace, file_id: 'f1' },
        metrics: [{ timestamp: iso(midnight), value: 12 }],
      });
    }
  });

  it('accepts every ISO 8601 form of a time', async () => {
    await app.send(namespace, [files(1)], { at: Date.parse('2025-06-01T10:00:00Z') });
    await app.settled();
    const points = async (from: string, to: string) => {
      const period = `period.from=${from}&period.to=${to}`;
      return (await get(`${FILE_COUNT};namespace=${namespace}?${period}`).expect(200)).body.metrics;
    };
    for (const [from, to] of [
      ['2025-06-01T10:00:00Z', '2025-06-01T11:00:00.000Z'],
      ['2025-06-01T12:00:00%2B02:00', '2025-06-01T11:00Z'],
      ['2025-06-01T10:30:00', '2025-06-01T10:30:00'],
    ] as const) {
      expect(await points(from, to)).toEqual([{ timestamp: '2025-06-01T10:00:00.000Z', value: 1 }]);
    }
    expect(await points('2025-06-01', '2025-06-02')).toHaveLength(24);
  });
});
