import { afterAll, describe, expect, it } from '@jest/globals';
import { deleteKeys, eventually } from '@dtplatform/testing';
import { RUNS, startApp, step } from './start-app.js';
import type { TestComponent } from './start-app.js';

const calls: string[] = [];
const hanging = new Set<string>();
const released = new Set<string>();

const count: TestComponent = { name: 'count', run: async (params) => calls.push((params as { key: string }).key) };
/** Hangs at its first call with a key and ignores the signal. */
const hang: TestComponent = {
  name: 'hang',
  async run(params, { signal }) {
    const { key } = params as { key: string };
    signal.addEventListener('abort', () => released.add(key));
    calls.push(key);
    if (calls.filter((call) => call === key).length > 1) return 'second time';
    hanging.add(key);
    return new Promise(() => undefined);
  },
};

const app = await startApp({ components: [count, hang] });
const { owner } = app;
afterAll(() => app.stop());

describe('recovery', () => {
  const start = async (key: string, more: object = {}) => {
    const count = (when: string, n: number) => step('count', { key: `${key}: ${when}` }, n);
    const tasks = [count('before', 1), step('hang', { key }, 2), count('after', 3)];
    return app.run(owner, (await app.create(owner, tasks, more)).id);
  };
  const callsOf = (key: string) => calls.filter((call) => call.startsWith(key));

  it('continues the current step in another worker when a worker stops', async () => {
    const first = await app.startWorker({ SHUTDOWN_GRACE_MS: '1' });
    const run = await start('ended');
    await eventually(() => expect(hanging).toContain('ended'));
    await first.stop();
    expect((await app.getRun(owner, run.id))._status).toBe('RUNNING');

    const second = await app.startWorker();
    await app.untilStatus(owner, run.id, 'COMPLETED');
    expect(callsOf('ended')).toEqual(['ended: before', 'ended', 'ended', 'ended: after']);
    await second.stop();
  });

  it('continues the current step in another worker when its worker dies, and rejects later writes of the first', async () => {
    const run = await start('died');
    const first = app.processRuns();
    await eventually(() => expect(hanging).toContain('died'));
    await app.lose(run.id);
    const worker = await app.startWorker();
    const completed = await app.untilStatus(owner, run.id, 'COMPLETED');
    expect(callsOf('died')).toEqual(['died: before', 'died', 'died', 'died: after']);
    // Its next heartbeat finds the run lost.
    await first;
    expect(released).toContain('died');
    expect(await app.getRun(owner, run.id)).toEqual(completed);
    await worker.stop();
  });

  it('continues in the same process when Redis loses its data', async () => {
    const worker = await app.startWorker();
    const run = await start('alone');
    await eventually(() => expect(hanging).toContain('alone'));
    expect(await deleteKeys(app.deps.redis.client, `{${app.queuePrefix}.*`)).toBeGreaterThan(0);
    const later = await app.run(owner, (await app.create(owner, [step('wait', { ms: 0 })])).id);
    await app.untilStatus(owner, later.id, 'COMPLETED');
    expect(callsOf('alone')).toEqual(['alone: before', 'alone']);
    await app.api.delete(`${RUNS}/${run.id}?nsfilter=tower_1`).set(owner).expect(204);
    await eventually(() => expect(released).toContain('alone'), { timeoutMs: 15_000 });
    await worker.stop();
  });

  it('starts a queued run even if all messages about it are lost', async () => {
    const { id } = await app.create(owner, [step('count', { key: 'silent' })]);
    const run = await app.run(owner, id);
    await app.mongo.db.collection('outbox').deleteMany({});
    const worker = await app.startWorker();
    await app.untilStatus(owner, run.id, 'COMPLETED');
    expect(callsOf('silent')).toEqual(['silent']);
    await worker.stop();
  });

  it('executes each run once when several workers claim concurrently', async () => {
    const { id } = await app.create(owner, [step('count', { key: 'shared' })]);
    const runs = await Promise.all(Array.from({ length: 20 }, () => app.run(owner, id)));
    const counts = await Promise.all(Array.from({ length: 5 }, () => app.processRuns()));
    expect(counts.reduce((sum, count) => sum + count)).toBe(runs.length);
    expect(callsOf('shared')).toHaveLength(runs.length);
    for (const run of runs) expect(await app.getRun(owner, run.id)).toMatchObject({ _status: 'COMPLETED' });
  });

  it('applies the time limit across all processes that work on a run', async () => {
    const run = await start('slow', { _timeout: '* * 30' });
    // A process started it 29 seconds ago and was killed.
    await app.runs.updateOne({ _id: run.id }, { $set: { '_work.startedAt': Date.now() - 29_000 } });
    const processing = app.processRuns();
    await eventually(() => expect(hanging).toContain('slow'));
    await processing;
    expect(await app.getRun(owner, run.id)).toMatchObject({
      _status: 'ERROR',
      _statusmsg: 'The run took longer than its time limit.',
      orchrunsteps: [{ _status: 'COMPLETED' }, { _status: 'ERROR' }, { _status: 'QUEUED' }],
    });
  });

  it('ends a run that crashes its process 20 times', async () => {
    const run = await start('deadly');
    await app.runs.updateOne({ _id: run.id }, { $set: { '_work.lease.fence': 20 } });
    await app.processRuns();
    expect(await app.getRun(owner, run.id)).toMatchObject({
      _status: 'ERROR',
      orchrunsteps: [{ _status: 'ERROR', _statusmsg: 'The run was started too many times.' }, {}, {}],
    });
    expect(callsOf('deadly')).toEqual([]);
  });

  it('ends a run of class INSTANT as ERROR when its process is killed', async () => {
    const answer = start('instant', { instant: true });
    answer.catch(() => undefined);
    await eventually(() => expect(hanging).toContain('instant'));
    const [{ _id } = { _id: '' }] = await app.runs.find({ '_work.instant': true, _status: 'RUNNING' }).toArray();
    await app.lose(_id);
    await app.processRuns();
    expect(await app.getRun(owner, _id)).toMatchObject({
      _status: 'ERROR',
      _statusmsg: 'The process that was executing the run ended.',
      orchrunsteps: [{ _status: 'COMPLETED' }, { _status: 'ERROR' }, {}],
    });
    await answer;
  });
});
