import { afterAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@dtplatform/testing';
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

  it('aborts the running step in another process at once and runs no further steps', async () => {
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
  });

  it('aborts the step of a retried run', async () => {
    const run = await start('retried');
    for (const attempt of [1, 2]) {
      await hasBegun('retried');
      expect((await app.getRun(owner, run.id))._attempts).toBe(attempt);
      await cancel(run.id).expect(204);
      await eventually(() => expect(aborted).toContain('retried'), { timeoutMs: 3_000 });
      began.delete('retried');
      aborted.delete('retried');
      if (attempt === 1) await app.api.post(`${RUNS}/${run.id}/retry?nsfilter=tower_1`).set(owner).expect(200);
    }
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
});
