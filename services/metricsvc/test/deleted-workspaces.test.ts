import { describe, expect, it } from '@jest/globals';
import { createOutbox } from '@dtplatform/queue';
import { namespaceJobs } from '../src/metrics/metrics.module.js';
import { FILE_COUNT, files, metricClient, size } from './metric-client.js';
import { openApp } from './start-app.js';

const NS = 'tower';
/** Adjacent in the order of ids. */
const others = ['towe', 'tower_1', 'tower0', 'tower/1'];
const here = await openApp();
const { app } = here;
const { valueOf } = metricClient(here, () => NS);

describe('a deleted workspace', () => {
  const series = app.mongo.db.collection<{ _id: string }>('series');
  const COLLECTIONS = ['series', 'series_months', 'dimension_aliases', 'unknown_usage'];
  const ids = async () => {
    const found = COLLECTIONS.map((name) => app.mongo.db.collection<{ _id: string }>(name).distinct('_id'));
    return (await Promise.all(found)).map((each) => each.sort());
  };
  const unknown = { _metric: 'dtplatform.filesvc.Later', _dimensions: {}, _amount: 1 };
  const use = (namespace: string) =>
    app.send(namespace, [files(2), { ...size('f', 'v', 10), _aliases: { version: '1' } }, unknown]);
  const announce = () =>
    app.mongo.transaction((session) =>
      createOutbox(app.mongo).put(session, namespaceJobs.messages['workspace.deleted.v1'], {
        _id: 'a'.repeat(24),
        _namespaces: [NS, 'tower_unused'],
      }),
    );

  it('removes its metrics for good, and no others', async () => {
    await Promise.all(others.map(use));
    await app.settled();
    const before = await ids();
    expect(before.map(({ length }) => length).every((length) => length >= others.length)).toBe(true);
    await use(NS);
    await app.settled();
    expect(await valueOf(FILE_COUNT)).toBe(2);
    const counted = await series.findOne({ _id: `${NS}/${FILE_COUNT}` });
    // More than one batch.
    const more = Array.from({ length: 2_100 }, (_, n) => ({ ...counted!, _id: `${counted!._id}/${n}` }));
    await series.insertMany(more);

    await announce();
    await app.settled();
    expect(await ids()).toEqual(before);
    expect(await valueOf(FILE_COUNT)).toBe(0);

    // Other services record what they remove there.
    await app.send(NS, [files(-2), { ...size('f', 'v', -10), _aliases: { version: '1' } }, unknown]);
    await app.send('tower_1', [files(1)]);
    await app.settled();
    expect(await ids()).toEqual(before);
    const left = await series.findOne({ _id: `tower_1/${FILE_COUNT}` });
    expect(left).toMatchObject({ value: 3 });
    await announce();
    await app.settled();
    expect(await ids()).toEqual(before);
  });
});
