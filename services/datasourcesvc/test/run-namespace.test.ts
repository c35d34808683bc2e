import { afterAll, describe, expect, it } from '@jest/globals';
import { ORCHESTRATORS, RUNS, startApp, step } from './start-app.js';

const app = await startApp({ namespaces: ['tower_1', 'bridge_2', 'park_3'] });
const { owner } = app;
const guest = await app.as('gus');
const create = async (more: object = {}) =>
  (await app.create(owner, [step('wait', { ms: 0 })], { _namespaces: ['tower_1', 'bridge_2'], ...more })).id as string;
const id = await create({ instant: true });
await app.grants.allow('gus', 'bridge_2', `datasourcesvc:orchestrator:${id}`, ['READ', 'RUN']);
await app.grants.allow('gus', 'park_3', '*:*:*', ['*']);
afterAll(() => app.stop());

describe('the namespace of a run', () => {
  const start = (headers: { authorization: string }, namespace: string) =>
    app.api.post(`${ORCHESTRATORS}/${id}/run`).query({ nsfilter: namespace }).set(headers);

  it("must be one of the orchestrator's, whatever the caller may do elsewhere", async () => {
    for (const [caller, namespace] of [
      [guest, 'park_3'],
      [guest, 'nowhere'],
      [owner, 'park_3'],
      [await app.as('platform-services', 'trusted'), 'park_3'],
    ] as const) {
      const response = await start(caller, namespace).expect(400);
      expect(response.body.code).toBe('NAMESPACE_NOT_LISTED');
    }
    expect(await app.runs.countDocuments({ _orchid: id })).toBe(0);
  });

  it('is one in which the caller holds RUN', async () => {
    await start(guest, 'tower_1').expect(403);
    await start(guest, 'bridge_2').expect(200);
    await start(owner, 'tower_1').expect(200);
  });

  it('is where cancelling requires RUN, too', async () => {
    const orchestrator = await create();
    await app.grants.allow('gus', 'bridge_2', `datasourcesvc:orchestrator:${orchestrator}`, ['READ', 'RUN']);
    const run = await app.run(owner, orchestrator);
    await app.api.delete(`${RUNS}/${run.id}?nsfilter=bridge_2`).set(guest).expect(403);
    await app.grants.allow('gus', 'tower_1', `datasourcesvc:orchestrator:${orchestrator}`, ['RUN']);
    await app.api.delete(`${RUNS}/${run.id}?nsfilter=bridge_2`).set(guest).expect(204);
  });

  it('finds it only for calls in that namespace, as for the orchestrator', async () => {
    const orchestrator = await create();
    const run = await app.run(owner, orchestrator);
    for (const [namespace, status] of [
      ['park_3', 404],
      ['nowhere', 404],
      ['bridge_2', 200],
    ] as const) {
      await app.api.get(`${ORCHESTRATORS}/${orchestrator}?nsfilter=${namespace}`).set(owner).expect(status);
      await app.api.get(`${RUNS}/${run.id}?nsfilter=${namespace}`).set(owner).expect(status);
    }
    const events = { ...owner, accept: 'text/event-stream' };
    await app.api.get(`${RUNS}/${run.id}?nsfilter=park_3`).set(events).expect(404);
    await app.api.post(`${RUNS}/${run.id}/retry?nsfilter=park_3`).set(owner).expect(404);
    await app.api.delete(`${RUNS}/${run.id}?nsfilter=park_3`).set(owner).expect(404);
    await app.api.delete(`${RUNS}/${run.id}?nsfilter=bridge_2`).set(owner).expect(204);
  });

  it("must still be the orchestrator's when the run is retried", async () => {
    const orchestrator = await create();
    const at = `${ORCHESTRATORS}/${orchestrator}`;
    const run = (await app.api.post(`${at}/run?nsfilter=bridge_2`).set(owner).expect(200)).body;
    await app.api.delete(`${RUNS}/${run.id}?nsfilter=bridge_2`).set(owner).expect(204);
    await app.api
      .put(`${at}?nsfilter=tower_1`)
      .set(owner)
      .send({ _params: {}, _namespaces: ['tower_1'] })
      .expect(200);
    const { body } = await app.api.post(`${RUNS}/${run.id}/retry?nsfilter=bridge_2`).set(owner).expect(409);
    expect(body.code).toBe('ORCHESTRATOR_DELETED');
  });

  it('is not checked for callers who may not read the orchestrator', async () => {
    await start(await app.as('nina'), 'park_3').expect(404);
  });
});
