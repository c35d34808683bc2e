import { afterAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@dtplatform/testing';
import { RUNS, startApp, step } from './start-app.js';

const DAY_MS = 24 * 3_600_000;
const daysAgo = (days: number) => String(Date.now() - days * DAY_MS);

const app = await startApp({ environment: { RUNS_KEPT_DAYS: '10' } });
const { owner } = app;
afterAll(() => app.stop());

describe('the history of runs', () => {
  it('keeps ended runs for the configured days, and all others', async () => {
    const { id } = await app.create(owner, [step('wait', { ms: 0 })]);
    const store = async (_status: string, days: number) => {
      const run = await app.run(owner, id);
      await app.runs.updateOne({ _id: run.id }, { $set: { _status, _updatedat: daysAgo(days) } });
      return run.id as string;
    };
    const old = [await store('COMPLETED', 11), await store('ERROR', 11), await store('CANCELLED', 400)];
    const kept = [
      await store('COMPLETED', 9),
      await store('ERROR', 9),
      await store('QUEUED', 400),
      await store('RUNNING', 400),
    ];
    await app.mongo.db.collection('outbox').deleteMany({});
    const worker = await app.startWorker();
    await eventually(
      async () => {
        const left = await app.runs.find({}, { projection: { _id: 1 } }).toArray();
        expect(left.map(({ _id }) => _id).toSorted()).toEqual(kept.toSorted());
      },
      { timeoutMs: 10_000 },
    );
    await app.api.get(`${RUNS}/${old[0]}?nsfilter=tower_1`).set(owner).expect(404);
    await worker.stop();
  });

  it('removes many in batches, through an index', async () => {
    const { id } = await app.create(owner, [step('wait', { ms: 0 })]);
    const run = await app.run(owner, id);
    const template = (await app.runs.findOne({ _id: run.id }))!;
    const copies = Array.from({ length: 1_100 }, (_, place) => {
      const { slots: _slots, lease: _lease, ...work } = (template as never as { _work: Record<string, unknown> })._work;
      return { ...template, _id: `old${place}`, _status: 'COMPLETED', _updatedat: daysAgo(20), _work: work };
    });
    await app.runs.insertMany(copies);
    const limit = Date.now() - 10 * DAY_MS;
    expect(await app.deps.runStore.removeEndedBefore(limit, new AbortController().signal)).toBe(1_100);
    expect(await app.deps.runStore.removeEndedBefore(limit, new AbortController().signal)).toBe(0);
    const plan = await app.runs
      .find({ _status: { $in: ['COMPLETED', 'ERROR'] }, _updatedat: { $lt: String(limit) } })
      .explain();
    expect(JSON.stringify(plan)).toContain('"indexName":"by_status"');
  });
});
