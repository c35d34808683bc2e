import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@dtplatform/testing';
import type { Component } from '../src/domain/component.js';
import { startApp } from './start-app.js';
import type { TestApp } from './start-app.js';

const MINUTE_MS = 60_000;
const calls: string[] = [];
const hanging = new Set<string>();
const released = new Set<string>();

const count: Component = { name: 'count', run: async (params) => calls.push((params as { key: string }).key) };
/** Hangs at its first call with a key, whatever the signal says. */
const hang: Component = {
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

describe('what survives', () => {
  let app: TestApp;
  let owner: { authorization: string };
  const start = async (key: string, more: object = {}) => {
    const tasks = [
      { _orchcomp: 'count', _sequenceno: 1, _actualparams: { key: `${key}: before` } },
      { _orchcomp: 'hang', _sequenceno: 2, _actualparams: { key } },
      { _orchcomp: 'count', _sequenceno: 3, _actualparams: { key: `${key}: after` } },
    ];
    const { id } = await app.create(owner, tasks, more);
    return app.run(owner, id);
  };
  const callsOf = (key: string) => calls.filter((call) => call.startsWith(key));
  const runs = () => app.deps.mongo.db.collection<{ _id: string }>('orchestrator_runs');

  beforeAll(async () => {
    app = await startApp({ components: [count, hang] });
    owner = await app.as('olga');
    await app.grants.allow('olga', 'tower_1', '*:*:*', ['*']);
  });
  afterAll(() => app.stop());

  it('a worker that ends in the middle: another goes on at the step that was reached', async () => {
    const first = await app.startWorker(0);
    const run = await start('ended');
    await eventually(() => expect(hanging).toContain('ended'), { timeoutMs: 20_000 });
    await first.stop();
    expect((await app.getRun(owner, run.id))._status).toBe('RUNNING');

    const second = await app.startWorker();
    await app.untilStatus(owner, run.id, 'COMPLETED');
    expect(callsOf('ended')).toEqual(['ended: before', 'ended', 'ended', 'ended: after']);
    await second.stop();
  });

  it('the loss of the queue: a run without a sign of life is put into it again', async () => {
    const worker = await app.startWorker();
    const run = await start('lost');
    await eventually(() => expect(hanging).toContain('lost'), { timeoutMs: 20_000 });
    // Redis forgets the job; the worker that had it shows no sign of life any more.
    const { redis, config } = app.deps;
    const keys = await redis.client.keys(`{${config.MONGO_DB}.datasourcesvc.runs}*`);
    await redis.client.del(...keys);
    await runs().updateOne({ _id: run.id }, { $set: { '_work.checkAt': Date.now() - 1 } });

    expect(await app.deps.lostRuns.recover()).toBe(1);
    await app.untilStatus(owner, run.id, 'COMPLETED');
    expect(callsOf('lost')).toEqual(['lost: before', 'lost', 'lost', 'lost: after']);
    await eventually(() => expect(released).toContain('lost'), { timeoutMs: 15_000 });
    await worker.stop();
  });

  it('a message that comes twice: a run that has ended does not run again', async () => {
    const worker = await app.startWorker();
    const { id } = await app.create(owner, [{ _orchcomp: 'count', _sequenceno: 1, _actualparams: { key: 'twice' } }]);
    const run = await app.run(owner, id);
    const completed = await app.untilStatus(owner, run.id, 'COMPLETED');
    await app.deps.execution.process(run.id, { mayRetry: false });
    expect(await app.getRun(owner, run.id)).toEqual(completed);
    expect(callsOf('twice')).toEqual(['twice']);
    await worker.stop();
  });

  it('two workers on one run: only who took it last may write', async () => {
    const run = await start('claimed');
    const first = app.deps.execution.process(run.id, { mayRetry: false });
    await eventually(() => expect(hanging).toContain('claimed'));
    await app.deps.execution.process(run.id, { mayRetry: false });
    const completed = await app.getRun(owner, run.id);
    expect(completed._status).toBe('COMPLETED');
    // The first is told by its next sign of life that the run is not its own any more.
    await first;
    expect(await app.getRun(owner, run.id)).toEqual(completed);
    expect(callsOf('claimed')).toEqual(['claimed: before', 'claimed', 'claimed', 'claimed: after']);
  });

  it('a run that waited in the queue keeps its place there', async () => {
    const run = await start('patient');
    expect(await app.deps.lostRuns.recover(Date.now() + 2 * MINUTE_MS)).toBe(1);
    expect((await app.getRun(owner, run.id))._status).toBe('QUEUED');
    const waiting = await app.deps.mongo.db.collection('outbox').countDocuments({ 'payload.runId': run.id });
    expect(waiting).toBe(1);
  });

  it('the time limit: it counts through all processes that work on a run', async () => {
    const run = await start('slow', { _timeout: '* * 30' });
    // A process began it 29 seconds ago and was killed.
    await runs().updateOne({ _id: run.id }, { $set: { _status: 'RUNNING', '_work.startedAt': Date.now() - 29_000 } });
    const processing = app.deps.execution.process(run.id, { mayRetry: false });
    await eventually(() => expect(hanging).toContain('slow'));
    await processing;
    const ended = await app.getRun(owner, run.id);
    expect(ended).toMatchObject({
      _status: 'ERROR',
      orchrunsteps: [
        { _status: 'COMPLETED' },
        { _status: 'ERROR', _statusmsg: 'The run took longer than its time limit.' },
        { _status: 'QUEUED' },
      ],
    });
  });

  it('a run that takes its process down each time ends after 20 times', async () => {
    const run = await start('deadly');
    await runs().updateOne({ _id: run.id }, { $set: { _status: 'RUNNING', '_work.claims': 20 } });
    await app.deps.execution.process(run.id, { mayRetry: false });
    expect(await app.getRun(owner, run.id)).toMatchObject({
      _status: 'ERROR',
      orchrunsteps: [{ _status: 'ERROR', _statusmsg: 'The run was begun too often.' }, {}, {}],
    });
    expect(callsOf('deadly')).toEqual([]);
  });

  it('a run of class INSTANT whose process was killed ends as ERROR', async () => {
    const answer = start('instant', { instant: true });
    answer.catch(() => undefined);
    await eventually(() => expect(hanging).toContain('instant'));
    const [{ _id } = { _id: '' }] = await runs().find({ '_work.instant': true, _status: 'RUNNING' }).toArray();
    await runs().updateOne({ _id }, { $set: { '_work.checkAt': Date.now() - 1 } });
    await app.deps.lostRuns.recover();
    expect(await app.getRun(owner, _id)).toMatchObject({
      _status: 'ERROR',
      orchrunsteps: [
        { _status: 'COMPLETED' },
        { _status: 'ERROR', _statusmsg: 'The process that worked on the run ended.' },
        {},
      ],
    });
    await answer;
  });
});
