import { afterAll, describe, expect, it } from '@jest/globals';
import { AppError } from '@dtplatform/errors';
import { eventually } from '@dtplatform/testing';
import { RUNS, startApp, step } from './start-app.js';
import type { TestComponent } from './start-app.js';

type Headers = { authorization: string };

const calls: string[] = [];
const broken = new Set<string>();
const keyOf = (params: unknown) => (params as { key: string }).key;

const components: TestComponent[] = [
  { name: 'count', run: async (params) => calls.push(keyOf(params)) },
  {
    name: 'fragile',
    mayRunAgain: false,
    async run(params, { log }) {
      const key = keyOf(params);
      calls.push(`${key}: fragile`);
      log(`attempt ${callsOf(`${key}: fragile`)}`);
      if (broken.has(key)) throw new AppError({ status: 400, code: 'BROKEN', message: 'It is broken.' });
      return 'whole';
    },
  },
];
const callsOf = (key: string) => calls.filter((call) => call === key).length;

const app = await startApp({ components });
await app.startWorker();
const { owner } = app;
afterAll(() => app.stop());

describe('retrying a run', () => {
  const retry = (id: string, headers: Headers = owner) =>
    app.api.post(`${RUNS}/${id}/retry?nsfilter=tower_1`).set(headers);
  const create = (key: string, more: object = {}) => {
    const count = (when: string, n: number) => step('count', { key: `${key}: ${when}` }, n);
    return app.create(owner, [count('before', 1), step('fragile', { key }, 2), count('after', 3)], more);
  };
  /** A run whose second step has failed. */
  const fail = async (key: string, more: object = {}) => {
    broken.add(key);
    const run = await app.run(owner, (await create(key, more)).id);
    const failed = await app.untilStatus(owner, run.id, 'ERROR');
    broken.delete(key);
    return failed;
  };

  it('continues with the failed step and keeps the results of earlier ones', async () => {
    const failed = await fail('again');
    const { body: queued, headers } = await retry(failed.id).expect(200);
    expect(queued).toMatchObject({ id: failed.id, _status: 'QUEUED', _statusmsg: '', _attempts: 2, _progress: 33 });
    expect(queued).toMatchObject({ _createdby: 'olga', _retriedby: 'olga' });
    expect(headers.etag).toMatch(/^"\d+"$/);
    expect(queued.orchrunsteps[0]).toEqual(failed.orchrunsteps[0]);
    expect(queued.orchrunsteps[1]).toMatchObject({ _status: 'QUEUED', _statusmsg: '', _log: [], _progress: 0 });
    for (const time of ['_startedat', '_endedat']) expect(queued.orchrunsteps[1]).not.toHaveProperty(time);

    const completed = await app.untilStatus(owner, failed.id, 'COMPLETED');
    expect(completed.orchrunsteps[0]).toEqual(failed.orchrunsteps[0]);
    expect(completed.orchrunsteps[1]).toMatchObject({ _result: 'whole', _log: ['attempt 2'] });
    expect(['again: before', 'again: fragile', 'again: after'].map(callsOf)).toEqual([1, 2, 1]);
    expect((await retry(failed.id).expect(409)).body.code).toBe('RUN_NOT_FAILED');
  });

  it('is possible up to 20 times, and counts the starts of each attempt separately', async () => {
    const failed = await fail('often');
    // Its processes have crashed before.
    await app.runs.updateOne({ _id: failed.id }, { $set: { '_work.lease.fence': 20 } });
    broken.add('often');
    for (const attempt of [2, 3]) {
      expect((await retry(failed.id).expect(200)).body._attempts).toBe(attempt);
      expect(await app.untilStatus(owner, failed.id, 'ERROR')).toMatchObject({ _statusmsg: 'It is broken.' });
    }
    await app.runs.updateOne({ _id: failed.id }, { $set: { '_work.retries': 20 } });
    expect((await retry(failed.id).expect(409)).body.code).toBe('RETRIED_TOO_OFTEN');
  });

  it('continues a cancelled run, with its full time limit', async () => {
    const wait = step('wait', { ms: 60_000 });
    const { id } = await app.run(owner, (await app.create(owner, [wait], { _timeout: '* * 30' })).id);
    await app.untilStatus(owner, id, 'RUNNING');
    expect((await retry(id).expect(409)).body.code).toBe('RUN_NOT_FAILED');
    await app.api.delete(`${RUNS}/${id}?nsfilter=tower_1`).set(owner).expect(204);
    await app.runs.updateOne({ _id: id }, { $set: { '_work.startedAt': 1 } });
    await retry(id).expect(200);
    // Counted from its first start, it would have ended at once.
    await eventually(
      async () => {
        const { orchrunsteps } = await app.getRun(owner, id);
        expect(orchrunsteps[0]).toMatchObject({ _status: 'RUNNING', _startedat: expect.any(String) });
      },
      { timeoutMs: 20_000 },
    );
    await app.api.delete(`${RUNS}/${id}?nsfilter=tower_1`).set(owner).expect(204);
  });

  it('runs in the request if the class is INSTANT', async () => {
    broken.add('instant');
    const failed = await app.run(owner, (await create('instant', { instant: true })).id);
    expect(failed._status).toBe('ERROR');
    expect((await retry(failed.id).expect(200)).body).toMatchObject({ _status: 'ERROR', _attempts: 2 });
    broken.delete('instant');
    const key = { ...owner, 'idempotency-key': 'retry-instant' };
    for (const _time of ['once', 'twice']) {
      const { body } = await retry(failed.id, key).set('if-match', '"0"').expect(412);
      expect(body.code).toBe('PRECONDITION_FAILED');
    }
    const { body } = await retry(failed.id, key).expect(200);
    expect(body).toMatchObject({ _status: 'COMPLETED', _attempts: 3 });
    expect((await retry(failed.id, key).expect(200)).body).toEqual(body);
    expect(callsOf('instant: before')).toBe(1);
  });

  it('happens once among concurrent callers, and only with the expected revision', async () => {
    const failed = await fail('once');
    await retry(failed.id).set('if-match', '"0"').expect(412);
    const responses = await Promise.all(Array.from({ length: 5 }, () => retry(failed.id)));
    expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409, 409]);
    await app.untilStatus(owner, failed.id, 'COMPLETED');
    expect(callsOf('once: fragile')).toBe(2);
  });

  it('counts among the queued runs of the namespace', async () => {
    const failed = await fail('limited');
    const slots = Array.from({ length: 20 }, (_, place) => `tower_1/${place}`);
    const { insertedId } = await app.runs.insertOne({ _id: 'full', _work: { slots } } as never);
    expect((await retry(failed.id).expect(429)).body.code).toBe('TOO_MANY_QUEUED');
    expect(await app.getRun(owner, failed.id)).toEqual(failed);
    await app.runs.deleteOne({ _id: insertedId });
    await retry(failed.id).expect(200);
    await app.untilStatus(owner, failed.id, 'COMPLETED');
  });

  it('succeeds even while a worker is still working on the previous attempt', async () => {
    const wait = step('wait', { ms: 60_000 });
    const { id } = await app.run(owner, (await app.create(owner, [wait])).id);
    await app.untilStatus(owner, id, 'RUNNING');
    // The worker has not noticed the cancellation yet.
    await app.runs.updateOne({ _id: id }, { $set: { _status: 'CANCELLED' }, $unset: { '_work.lease.until': 1 } });
    await app.runs.updateOne({ _id: id }, { $set: { 'orchrunsteps.0._actualparams': '{"ms":0}' } });
    await retry(id).expect(200);
    expect(await app.untilStatus(owner, id, 'COMPLETED')).toMatchObject({ _attempts: 2 });
  });
});
