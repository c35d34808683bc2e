import { describe, expect, it } from '@jest/globals';
import { iso, reading, readingClient, T0 } from './reading-client.js';
import { NS, openApp } from './start-app.js';

const here = await openApp(NS);
const { post, list, found, collection } = readingClient(here);

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

  const hourly = [{ 't.avg': 1 }, { 't.avg': 0 }, { _ts: 0 }, { t: 1, _tsMetadata: 1 }, { _id: 1 }].map((project) => ({
    ...{ every: '1h', project },
  }));
  it.each<Record<string, unknown>>([
    ...['15', '0m', '367d', '1w'].map((every) => ({ every })),
    ...[{ every: '1h', fn: 'sum' }, { every: '1h', fn: '' }, { fn: 'last' }, ...hourly],
  ])('are rejected for %j', async (query) => {
    await list((await collection())._id, query).expect(400);
  });

  it('appear on exactly one page each', async () => {
    const sources = Array.from({ length: 200 }, (_, n) => ({ _sourceId: `s${n}` }));
    const { _id } = await collection({}, sources);
    await post(
      _id,
      sources.map(({ _sourceId }, n) => reading(T0 + n, _sourceId, { n: n % 3 })),
    ).expect(201);
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
    for (const fn of ['avg', 'min', 'max', 'last']) {
      expect((await found(_id, { every: '1m', fn }))._list).toEqual([{ ...about, ...values }]);
    }
    const counts = Object.fromEntries(Object.keys(values).map((name) => [name, 2]));
    expect((await found(_id, { every: '1m', fn: 'count' }))._list).toEqual([{ ...about, ...counts }]);
    const both = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { avg: value, last: value }]));
    expect((await found(_id, { every: '1m', fn: 'avg,last' }))._list).toEqual([{ ...about, ...both }]);
  });
});
