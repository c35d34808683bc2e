import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { schema } from '../src/store/schema.js';
import { RUNS, startApp } from './start-app.js';
import type { TestApp } from './start-app.js';

const task = { _orchcomp: 'wait', _sequenceno: 1, _actualparams: { ms: 0 } };

describe('jobs', () => {
  it('tell which attempt at the run they are for', async () => {
    const app = await startApp();
    const owner = await app.as('olga');
    await app.grants.allow('olga', 'tower_1', '*:*:*', ['*']);
    const { id: runId } = await app.run(owner, (await app.create(owner, [task])).id);
    await app.api.delete(`${RUNS}/${runId}?nsfilter=tower_1`).set(owner).expect(204);
    await app.api.post(`${RUNS}/${runId}/retry?nsfilter=tower_1`).set(owner).expect(200);
    const jobs = await app.mongo.db.collection('outbox').find().sort({ 'payload.retries': 1 }).toArray();
    expect(jobs.map(({ payload }) => payload)).toEqual([0, 1].map((retries) => ({ runId, retries })));
    await app.stop();
  });
});

describe('runs of the previous version', () => {
  let app: TestApp;
  let owner: { authorization: string };
  const migrate = async () => {
    for (const { up } of schema.migrations) await up(app.mongo.db, new AbortController().signal);
  };
  const find = (_id: string) => app.runs.findOne<{ _work: Record<string, unknown> }>({ _id });
  /** A run as the previous version stores it. Its message is lost. */
  async function store({ status = 'QUEUED', ...work }: { status?: string } & Record<string, unknown>): Promise<string> {
    const { id } = await app.create(owner, [task]);
    const run = await app.run(owner, id);
    const { lease, ...known } = (await find(run.id))!._work;
    const _work = { ...known, claims: 0, ...work };
    await app.runs.updateOne({ _id: run.id }, { $set: { _status: status, _work }, $unset: { _revision: 1 } });
    await app.mongo.db.collection('outbox').deleteMany({});
    return run.id;
  }

  beforeAll(async () => {
    app = await startApp();
    owner = await app.as('olga');
    await app.grants.allow('olga', 'tower_1', '*:*:*', ['*']);
  });
  afterAll(() => app.stop());

  it('get a lease that ends when their heartbeat is overdue, and a revision', async () => {
    const checkAt = Date.now() + 3_600_000;
    const queued = await store({ checkAt });
    const running = await store({ status: 'RUNNING', claims: 3, claim: 'held', startedAt: 1, checkAt });
    const ended = await store({ status: 'COMPLETED', claims: 1 });
    await migrate();
    await migrate();
    expect(await find(queued)).toMatchObject({
      _revision: 0,
      _work: { lease: { fence: 0, until: new Date(checkAt) } },
    });
    expect(await find(running)).toMatchObject({
      _work: { lease: { fence: 3, until: new Date(checkAt) }, startedAt: 1 },
    });
    for (const id of [queued, running]) expect((await find(id))!._work).not.toHaveProperty('checkAt');
    expect((await find(ended))!._work).not.toHaveProperty('lease');
    expect(await app.deps.runStore.requeueLost()).toBe(0);
  });

  it('may be ended by their process until another one takes them over', async () => {
    const checkAt = Date.now() + 3_600_000;
    const running = await store({ status: 'RUNNING', claims: 1, claim: 'held', checkAt });
    await migrate();
    expect((await find(running))!._work.claim).toBe('held');
    await app.deps.execution.process(running, { mayRetry: false });
    const completed = await find(running);
    expect(completed).toMatchObject({ _status: 'COMPLETED', _work: { lease: { fence: 2 } } });
    expect(completed!._work).not.toHaveProperty('claim');

    const cancelled = await store({ status: 'RUNNING', claims: 1, claim: 'held', checkAt });
    await app.api.delete(`${RUNS}/${cancelled}?nsfilter=tower_1`).set(owner).expect(204);
    for (const field of ['claim', 'checkAt', 'slots']) expect((await find(cancelled))!._work).not.toHaveProperty(field);
  });

  it('are continued when they are lost, whether they were stored before the migration or after it', async () => {
    const checkAt = Date.now() - 1_000;
    const before = [await store({ checkAt }), await store({ status: 'RUNNING', claims: 1, claim: 'held', checkAt })];
    const deadly = await store({ status: 'RUNNING', claims: 20, claim: 'held', checkAt });
    const instant = await store({ status: 'RUNNING', claims: 1, claim: 'held', checkAt, instant: true });
    await migrate();
    const after = await store({ checkAt });
    expect(await app.deps.runStore.requeueLost()).toBe(5);
    await app.startWorker();
    for (const id of [...before, after]) await app.untilStatus(owner, id, 'COMPLETED');
    const status = async (id: string) => (await app.untilStatus(owner, id, 'ERROR')).orchrunsteps[0]._statusmsg;
    expect(await status(deadly)).toBe('The run was started too often.');
    expect(await status(instant)).toBe('The process that worked on the run ended.');
  });
});
