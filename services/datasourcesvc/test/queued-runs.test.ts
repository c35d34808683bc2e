import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@dtplatform/testing';
import { slowComponent } from './slow-component.js';
import { ORCHESTRATORS, RUNS, startApp, step } from './start-app.js';

type Headers = { authorization: string };

const DAY_MS = 24 * 3_600_000;

const { slow, began } = slowComponent();
const app = await startApp({ components: [slow], namespaces: ['tower_1', 'bridge_2', 'park_3'] });
const { owner } = app;
const tasks = [step('wait', { ms: 0 })];
const guest = await app.as('gus');
await app.grants.allow('gus', 'park_3', '*:*:*', ['*']);
const start = (id: string, namespace = 'tower_1', headers: Headers = owner) => app.start(id, headers, namespace);
const cancel = (id: string, namespace = 'tower_1', headers: Headers = owner) =>
  app.api.delete(`${RUNS}/${id}?nsfilter=${namespace}`).set(headers);
afterEach(() => app.runs.deleteMany({}));
afterAll(() => app.stop());

describe('concurrent runs', () => {
  it('are limited per worker; others take what does not fit, and the message is kept while runs wait', async () => {
    const { id } = await app.create(owner, [step('slow')]);
    const run = (n: number) => app.run(owner, id, { _actualparams: [{ _sequenceno: 1, params: { key: `run ${n}` } }] });
    // Concurrent requests share a transaction, and so a message.
    await Promise.all([1, 2, 3, 4, 5, 6].map(run));
    const first = await app.startWorker({ RUNS_AT_ONCE: '2' });
    const [queue] = first.jobs.workers.filter((one) => one.queue === 'datasourcesvc.runs');
    const messages = async () => {
      const { waiting, active, delayed } = await queue!.counts();
      return waiting! + active! + delayed!;
    };
    // The first runs may be claimed before the message is handed over.
    await eventually(async () => expect(await messages()).toBeGreaterThan(0));
    const haveBegun = (count: number) => eventually(() => expect(began.size).toBe(count));
    const cancelOne = async () => cancel((await app.runs.findOne({ _status: 'RUNNING' }))!._id).expect(204);
    await haveBegun(2);
    const second = await app.startWorker({ RUNS_AT_ONCE: '2' });
    await haveBegun(4);
    expect(await messages()).toBeGreaterThan(0);
    await cancelOne();
    await haveBegun(5);
    expect(await messages()).toBeGreaterThan(0);
    await cancelOne();
    await haveBegun(6);
    for (let left = 4; left > 0; left--) await cancelOne();
    await eventually(async () => expect(await messages()).toBe(0));
    for (const worker of [first, second]) await worker.stop();
  });
});

describe('queued runs', () => {
  it('are limited to 20 per namespace under concurrent requests; more are a 429 until a run is cancelled or starts', async () => {
    const { id } = await app.create(owner, tasks);
    const responses = await Promise.all(Array.from({ length: 30 }, () => start(id)));
    const accepted = responses.filter(({ status }) => status === 200);
    const rejected = responses.filter(({ status }) => status === 429);
    expect([accepted.length, rejected.length]).toEqual([20, 10]);
    expect(rejected[0]!.body.code).toBe('TOO_MANY_QUEUED');
    expect(rejected[0]!.headers['retry-after']).toMatch(/^\d+$/);

    await cancel(accepted[0]!.body.id).expect(204);
    await start(id).expect(200);
    await start(id).expect(429);

    const create = async (namespaces: string[]) => {
      const { body } = await app.post({ _namespaces: namespaces }, owner, 'bridge_2').expect(200);
      return body.id as string;
    };
    await start(await create(['bridge_2']), 'bridge_2').expect(200);
    await start(await create(['bridge_2', 'tower_1']), 'bridge_2').expect(429);

    const worker = await app.startWorker();
    for (const { body } of accepted.slice(1)) await app.untilStatus(owner, body.id, 'COMPLETED');
    await start(id).expect(200);
    await worker.stop();
  });
});

describe('the history of runs', () => {
  const daysAgo = (days: number) => String(Date.now() - days * DAY_MS);

  it('keeps ended runs for the configured days, and all others', async () => {
    const { id } = await app.create(owner, tasks);
    const store = async (_status: string, days: number) => {
      const run = await app.run(owner, id);
      await app.runs.updateOne({ _id: run.id }, { $set: { _status, _updatedat: daysAgo(days) } });
      return run.id as string;
    };
    for (const status of ['COMPLETED', 'ERROR', 'CANCELLED']) await store(status, 11);
    const kept = [await store('COMPLETED', 9), await store('ERROR', 9)];
    for (const status of ['QUEUED', 'RUNNING']) kept.push(await store(status, 400));
    const worker = await app.startWorker({ RUNS_KEPT_DAYS: '10' });
    await eventually(async () => expect((await app.runs.distinct('_id')).toSorted()).toEqual(kept.toSorted()));
    await worker.stop();
  });

  it('removes many in batches, through an index', async () => {
    const run = await app.run(owner, (await app.create(owner, tasks)).id);
    const template = (await app.runs.findOne({ _id: run.id }))!;
    const ended = { _status: 'COMPLETED', _updatedat: daysAgo(20), _work: { namespace: 'tower_1' } };
    await app.runs.insertMany(Array.from({ length: 1_100 }, (_, n) => ({ ...template, ...ended, _id: `old${n}` })));
    const limit = Date.now() - 10 * DAY_MS;
    const { signal } = new AbortController();
    expect(await app.deps.runStore.removeEndedBefore(limit, signal)).toBe(1_100);
    expect(await app.deps.runStore.removeEndedBefore(limit, signal)).toBe(0);
    const old = { _status: { $in: ['COMPLETED', 'ERROR'] }, _updatedat: { $lt: String(limit) } };
    const plan = await app.runs.find(old).explain();
    expect(JSON.stringify(plan)).toContain('"indexName":"by_status"');
  });
});

describe('If-Match', () => {
  it('runs only the expected orchestrator', async () => {
    const { id } = await app.create(owner, tasks);
    await start(id).set('if-match', '"1"').expect(412);
    const { headers, body } = await start(id).set('if-match', '"0"').expect(200);
    expect(headers.etag).toBe('"0"');
    expect(body).not.toHaveProperty('_revision');
  });

  it('lets one of many concurrent callers cancel a run, and none if it has changed', async () => {
    const { id } = await app.create(owner, tasks);
    const cancelledBy = async (count: number, beforehand?: () => Promise<unknown>) => {
      const { headers, body } = await start(id).expect(200);
      await beforehand?.();
      const calls = Array.from({ length: count }, () => cancel(body.id).set('if-match', headers.etag!));
      return { id: body.id, statuses: (await Promise.all(calls)).map(({ status }) => status).sort() };
    };
    // Without a condition the others would be rejected as well: the run has ended.
    expect((await cancelledBy(5)).statuses).toEqual([204, 409, 409, 409, 409]);
    const changed = await cancelledBy(3, () => app.deps.runStore.claimQueued(1));
    expect(changed.statuses).toEqual([412, 412, 412]);
    expect((await app.getRun(owner, changed.id))._status).toBe('RUNNING');
    await cancel(changed.id).set('if-match', '"1"').expect(204);
  });
});

describe('the namespace of a run', () => {
  const create = async (more: object = {}) =>
    (await app.create(owner, tasks, { _namespaces: ['tower_1', 'bridge_2'], ...more })).id as string;
  const allow = (id: string, namespace: string, actions: ('READ' | 'RUN')[]) =>
    app.grants.allow('gus', namespace, `datasourcesvc:orchestrator:${id}`, actions);

  it("must be one of the orchestrator's in which the caller holds RUN, whatever it may do elsewhere", async () => {
    const id = await create({ instant: true });
    await allow(id, 'bridge_2', ['READ', 'RUN']);
    for (const [caller, namespace] of [
      [guest, 'park_3'],
      [guest, 'nowhere'],
      [owner, 'park_3'],
      [await app.as('platform-services', 'trusted'), 'park_3'],
    ] as const) {
      expect((await start(id, namespace, caller).expect(400)).body.code).toBe('NAMESPACE_NOT_LISTED');
    }
    // Not checked for callers who may not read the orchestrator.
    await start(id, 'park_3', await app.as('nina')).expect(404);
    expect(await app.runs.countDocuments({ _orchid: id })).toBe(0);
    await start(id, 'tower_1', guest).expect(403);
    await start(id, 'bridge_2', guest).expect(200);
    await start(id).expect(200);
  });

  it('is where cancelling requires RUN, too', async () => {
    const id = await create();
    await allow(id, 'bridge_2', ['READ', 'RUN']);
    const run = await app.run(owner, id);
    await cancel(run.id, 'bridge_2', guest).expect(403);
    await allow(id, 'tower_1', ['RUN']);
    await cancel(run.id, 'bridge_2', guest).expect(204);
  });

  it('finds it only for calls in that namespace, as for the orchestrator', async () => {
    const id = await create();
    const run = await app.run(owner, id);
    for (const [namespace, status] of [
      ['park_3', 404],
      ['nowhere', 404],
      ['bridge_2', 200],
    ] as const)
      for (const path of [`${ORCHESTRATORS}/${id}`, `${RUNS}/${run.id}`])
        await app.api.get(`${path}?nsfilter=${namespace}`).set(owner).expect(status);
    const events = { ...owner, accept: 'text/event-stream' };
    await app.api.get(`${RUNS}/${run.id}?nsfilter=park_3`).set(events).expect(404);
    await app.api.post(`${RUNS}/${run.id}/retry?nsfilter=park_3`).set(owner).expect(404);
    await cancel(run.id, 'park_3').expect(404);
    await cancel(run.id, 'bridge_2').expect(204);
  });

  it("must still be the orchestrator's when the run is retried", async () => {
    const id = await create();
    const { body: run } = await start(id, 'bridge_2').expect(200);
    await cancel(run.id, 'bridge_2').expect(204);
    await app.put(id, { _namespaces: ['tower_1'] }).expect(200);
    const { body } = await app.api.post(`${RUNS}/${run.id}/retry?nsfilter=bridge_2`).set(owner).expect(409);
    expect(body.code).toBe('ORCHESTRATOR_DELETED');
  });
});
