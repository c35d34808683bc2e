import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { schema } from '../src/store/schema.js';
import { startApp } from './start-app.js';
import type { Headers, TestApp } from './start-app.js';

describe('loads of the previous version', () => {
  let app: TestApp;
  let olga: Headers;
  const migrate = async () => {
    for (const { up } of schema.migrations) await up(app.mongo.db, new AbortController().signal);
  };
  const find = (_id: string) => app.loads.findOne<{ _work: Record<string, unknown> }>({ _id });
  /** A load as the previous version stores it. Its message is lost. */
  async function store({ status = 'QUEUED', ...work }: { status?: string } & Record<string, unknown>) {
    const { id, versionId } = app.files.add();
    await app.put(olga, [{ _fileId: id }]).expect(200);
    const _id = `${id}-${versionId}`;
    const { lease, firstFence, ...known } = (await find(_id))!._work;
    const _work = { ...known, claims: 0, ...work };
    await app.loads.updateOne({ _id }, { $set: { _status: status, _work } });
    await app.mongo.db.collection('outbox').deleteMany({});
    return { id, _id };
  }

  beforeAll(async () => {
    app = await startApp();
    olga = { authorization: await app.as('olga') };
  });
  beforeEach(() => {
    app.files.downloads.length = 0;
  });
  afterAll(() => app.stop());

  it('get a lease that ends when their heartbeat is overdue', async () => {
    const checkAt = Date.now() + 3_600_000;
    const queued = await store({ checkAt });
    const loading = await store({ status: 'LOADING', claims: 3, claim: 'held', checkAt });
    const ended = await store({ status: 'ERROR', claims: 1 });
    await migrate();
    await migrate();
    expect(await find(queued._id)).toMatchObject({ _work: { lease: { fence: 0, until: new Date(checkAt) } } });
    expect(await find(loading._id)).toMatchObject({ _work: { lease: { fence: 3, until: new Date(checkAt) } } });
    for (const { _id } of [queued, loading]) expect((await find(_id))!._work).not.toHaveProperty('checkAt');
    expect((await find(ended._id))!._work).not.toHaveProperty('lease');
    expect(await app.deps.loadStore.requeueLost()).toBe(0);
  });

  it('may be ended by their process until another one takes them over', async () => {
    const { id, _id } = await store({ status: 'LOADING', claims: 1, claim: 'held', checkAt: Date.now() + 3_600_000 });
    await migrate();
    expect((await find(_id))!._work.claim).toBe('held');
    await app.deps.loading.process(_id, { shutdown: new AbortController().signal, mayRetry: false });
    expect(await find(_id)).toMatchObject({ _status: 'LOADED', _work: { lease: { fence: 2 } } });
    expect((await find(_id))!._work).not.toHaveProperty('claim');
    expect(app.files.downloads).toEqual([id]);
  });

  it('are continued when they are lost, whether they were stored before the migration or after it', async () => {
    const checkAt = Date.now() - 1_000;
    const before = [await store({ checkAt }), await store({ status: 'LOADING', claims: 1, claim: 'held', checkAt })];
    const deadly = await store({ status: 'LOADING', claims: 20, claim: 'held', checkAt });
    await migrate();
    const after = await store({ checkAt });
    expect(await app.deps.loadStore.requeueLost()).toBe(4);
    await app.startWorker();
    for (const { id } of [...before, after]) await app.untilStatus(olga, id, 'LOADED');
    expect((await app.untilStatus(olga, deadly.id, 'ERROR'))._message).toBe('The load was started too often.');
  });

  it('can be requested again', async () => {
    const { id, _id } = await store({ status: 'ERROR', claims: 21 });
    await app.put(olga, [{ _fileId: id }]).expect(200);
    expect(await find(_id)).toMatchObject({ _work: { lease: { fence: 0 }, firstFence: 0 } });
    await app.deps.loading.process(_id, { shutdown: new AbortController().signal, mayRetry: false });
    await app.untilStatus(olga, id, 'LOADED');
  });
});
