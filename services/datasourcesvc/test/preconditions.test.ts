import { afterAll, describe, expect, it } from '@jest/globals';
import { ORCHESTRATORS, RUNS, startApp, step } from './start-app.js';

const CONTEXT = '?nsfilter=tower_1';

const app = await startApp();
const { owner } = app;
const orchestrator = (await app.create(owner, [step('wait', { ms: 0 })])).id;
afterAll(() => app.stop());

describe('If-Match', () => {
  const start = (headers: object = {}) =>
    app.api.post(`${ORCHESTRATORS}/${orchestrator}/run${CONTEXT}`).set({ ...owner, ...headers });
  const cancel = (id: string, etag: string) =>
    app.api.delete(`${RUNS}/${id}${CONTEXT}`).set({ ...owner, 'if-match': etag });

  it('runs only the expected orchestrator', async () => {
    await start({ 'if-match': '"1"' }).expect(412);
    const { headers, body } = await start({ 'if-match': '"0"' }).expect(200);
    expect(headers.etag).toBe('"0"');
    expect(body).not.toHaveProperty('_revision');
    await cancel(body.id, '*').expect(204);
  });

  it('lets only one of many concurrent callers cancel a run', async () => {
    const { headers, body } = await start().expect(200);
    const responses = await Promise.all(Array.from({ length: 20 }, () => cancel(body.id, headers.etag!)));
    // Without a condition the others would be rejected as well: the run has ended.
    expect(responses.map(({ status }) => status).sort()).toEqual([204, ...Array.from({ length: 19 }, () => 409)]);
  });

  it('does not cancel a run that has changed', async () => {
    const { headers, body } = await start().expect(200);
    await app.deps.runStore.claimQueued(1);
    const responses = await Promise.all(Array.from({ length: 5 }, () => cancel(body.id, headers.etag!)));
    expect(responses.map(({ status }) => status)).toEqual([412, 412, 412, 412, 412]);
    expect((await app.getRun(owner, body.id))._status).toBe('RUNNING');
    await cancel(body.id, '"1"').expect(204);
  });
});
