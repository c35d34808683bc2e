import { afterAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@dtplatform/testing';
import { createCancellations } from '../src/orchrun/cancellations.client.js';
import { slowComponent } from './slow-component.js';
import { RUNS, startApp, step } from './start-app.js';
import type { TestComponent } from './start-app.js';

const { slow, began, aborted } = slowComponent();
const ran = new Set<string>();
const mark: TestComponent = { name: 'mark', run: async (params) => ran.add((params as { key: string }).key).size };

const app = await startApp({ components: [slow, mark] });
const { owner } = app;
afterAll(() => app.stop());

describe('cancelling a run', () => {
  const cancel = (id: string, headers = owner) => app.api.delete(`${RUNS}/${id}?nsfilter=tower_1`).set(headers);
  const start = async (key: string, more: object = {}) => {
    const tasks = [step('wait', { ms: 0 }), step('slow', { key }, 2), step('mark', { key }, 3)];
    const { id } = await app.create(owner, tasks, more);
    return app.run(owner, id);
  };
  const hasBegun = (key: string) => eventually(() => expect(began).toContain(key));

  it('cancels a queued run before any of its steps run', async () => {
    const run = await start('queued');
    await cancel(run.id).expect(204);
    expect(await app.getRun(owner, run.id)).toMatchObject({
      _status: 'CANCELLED',
      orchrunsteps: [{ _status: 'CANCELLED' }, { _status: 'CANCELLED' }, { _status: 'CANCELLED' }],
    });
    await app.startWorker();
    const later = await start('later');
    await hasBegun('later');
    await cancel(later.id).expect(204);
    expect(began).not.toContain('queued');
  });

  it('aborts the running step in another process at once, also of a retried run, and runs no further steps', async () => {
    const run = await start('running');
    await hasBegun('running');
    expect(await app.getRun(owner, run.id)).toMatchObject({
      _status: 'RUNNING',
      orchrunsteps: [{ _status: 'COMPLETED' }, { _status: 'RUNNING' }, { _status: 'QUEUED' }],
    });
    await cancel(run.id).expect(204);
    // Sooner than the next heartbeat, which would notice it too.
    await eventually(() => expect(aborted).toContain('running'), { timeoutMs: 3_000 });
    expect(await app.getRun(owner, run.id)).toMatchObject({
      _status: 'CANCELLED',
      orchrunsteps: [{ _status: 'COMPLETED' }, { _status: 'CANCELLED' }, { _status: 'CANCELLED' }],
    });
    expect(ran).not.toContain('running');
    began.delete('running');
    aborted.delete('running');
    await app.api.post(`${RUNS}/${run.id}/retry?nsfilter=tower_1`).set(owner).expect(200);
    await hasBegun('running');
    await cancel(run.id).expect(204);
    await eventually(() => expect(aborted).toContain('running'), { timeoutMs: 3_000 });
  });

  it('stops a worker that missed the announcement at its next heartbeat', async () => {
    const run = await start('deaf');
    await hasBegun('deaf');
    const cancelled = { $set: { _status: 'CANCELLED' }, $unset: { '_work.lease.until': 1 } } as const;
    await app.runs.updateOne({ _id: run.id }, cancelled);
    await eventually(() => expect(aborted).toContain('deaf'), { timeoutMs: 15_000 });
    expect((await app.getRun(owner, run.id))._status).toBe('CANCELLED');
  });

  it('ends a run of class INSTANT and returns it as CANCELLED', async () => {
    const answer = start('instant', { instant: true });
    await hasBegun('instant');
    const { body } = await app.api.get(`${RUNS}?nsfilter=tower_1&_status=RUNNING`).set(owner).expect(200);
    await cancel(body._list[0].id).expect(204);
    expect(await answer).toMatchObject({ _status: 'CANCELLED' });
  });

  it('returns 409 for a run that has ended and changes nothing', async () => {
    const { id } = await app.create(owner, [step('mark', { key: 'ended' })]);
    const run = await app.run(owner, id);
    const completed = await app.untilStatus(owner, run.id, 'COMPLETED');
    const response = await cancel(run.id).expect(409);
    expect(response.body.code).toBe('RUN_ENDED');
    expect(await app.getRun(owner, run.id)).toEqual(completed);
  });

  it('is announced to the workers of that attempt only', async () => {
    const { redis, log } = app.deps;
    const cancellations = await createCancellations({ redis, redisUrl: app.env.REDIS_URL!, log });
    const heard: string[] = [];
    const listen = (name: string, retries: number) =>
      cancellations.onCancelled({ runId: 'run', retries }, () => heard.push(name));
    const unsubscribe = [listen('first', 0), listen('second', 1), listen('second too', 1)];
    let isSubscribed = false;
    cancellations.onCancelled({ runId: 'ready', retries: 0 }, () => (isSubscribed = true));
    await eventually(async () => {
      await cancellations.announce({ runId: 'ready', retries: 0 });
      expect(isSubscribed).toBe(true);
    });

    const announce = async (cancelled: { runId: string; retries: number }, expected: string[]) => {
      heard.length = 0;
      await cancellations.announce({ runId: 'other', retries: 1 });
      await cancellations.announce(cancelled);
      await eventually(() => expect(heard).toContain(expected.at(-1)));
      expect(heard).toEqual(expected);
    };
    await announce({ runId: 'run', retries: 0 }, ['first']);
    await announce({ runId: 'run', retries: 1 }, ['second', 'second too']);
    unsubscribe[1]!();
    await announce({ runId: 'run', retries: 1 }, ['second too']);
    await cancellations.close();
  });
});
