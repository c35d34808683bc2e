import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ORCHESTRATORS, RUNS, startApp } from './start-app.js';
import type { TestApp } from './start-app.js';

describe('the namespace of a run', () => {
  let app: TestApp;
  let owner: { authorization: string };
  let guest: { authorization: string };
  let id: string;
  const start = (headers: { authorization: string }, namespace: string) =>
    app.api.post(`${ORCHESTRATORS}/${id}/run`).query({ nsfilter: namespace }).set(headers);

  beforeAll(async () => {
    app = await startApp();
    [owner, guest] = [await app.as('olga'), await app.as('gus')];
    for (const namespace of ['tower_1', 'bridge_2', 'park_3']) {
      await app.grants.allow('olga', namespace, '*:*:*', ['*']);
    }
    const tasks = [{ _orchcomp: 'wait', _sequenceno: 1, _actualparams: { ms: 0 } }];
    id = (await app.create(owner, tasks, { _namespaces: ['tower_1', 'bridge_2'], instant: true })).id;
    await app.grants.allow('gus', 'bridge_2', `datasourcesvc:orchestrator:${id}`, ['READ', 'RUN']);
    await app.grants.allow('gus', 'park_3', '*:*:*', ['*']);
  });
  afterAll(() => app.stop());

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
    const tasks = [{ _orchcomp: 'wait', _sequenceno: 1, _actualparams: { ms: 0 } }];
    const both = { _namespaces: ['tower_1', 'bridge_2'] };
    const orchestrator = await app.create(owner, tasks, both);
    await app.grants.allow('gus', 'bridge_2', `datasourcesvc:orchestrator:${orchestrator.id}`, ['READ', 'RUN']);
    const run = await app.run(owner, orchestrator.id);
    await app.api.delete(`${RUNS}/${run.id}?nsfilter=bridge_2`).set(guest).expect(403);
    await app.grants.allow('gus', 'tower_1', `datasourcesvc:orchestrator:${orchestrator.id}`, ['RUN']);
    await app.api.delete(`${RUNS}/${run.id}?nsfilter=bridge_2`).set(guest).expect(204);
  });

  it('finds it only for calls in that namespace, as for the orchestrator', async () => {
    const tasks = [{ _orchcomp: 'wait', _sequenceno: 1, _actualparams: { ms: 0 } }];
    const orchestrator = await app.create(owner, tasks, { _namespaces: ['tower_1', 'bridge_2'] });
    const run = await app.run(owner, orchestrator.id);
    for (const [namespace, status] of [
      ['park_3', 404],
      ['nowhere', 404],
      ['bridge_2', 200],
    ] as const) {
      await app.api.get(`${ORCHESTRATORS}/${orchestrator.id}?nsfilter=${namespace}`).set(owner).expect(status);
      await app.api.get(`${RUNS}/${run.id}?nsfilter=${namespace}`).set(owner).expect(status);
    }
    const events = { ...owner, accept: 'text/event-stream' };
    await app.api.get(`${RUNS}/${run.id}?nsfilter=park_3`).set(events).expect(404);
    await app.api.post(`${RUNS}/${run.id}/retry?nsfilter=park_3`).set(owner).expect(404);
    await app.api.delete(`${RUNS}/${run.id}?nsfilter=park_3`).set(owner).expect(404);
    await app.api.delete(`${RUNS}/${run.id}?nsfilter=bridge_2`).set(owner).expect(204);
  });

  it("must still be the orchestrator's when the run is retried", async () => {
    const tasks = [{ _orchcomp: 'wait', _sequenceno: 1, _actualparams: { ms: 0 } }];
    const orchestrator = await app.create(owner, tasks, { _namespaces: ['tower_1', 'bridge_2'] });
    const at = `${ORCHESTRATORS}/${orchestrator.id}`;
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

  it.each(['', 'a\0b', '\u007f', 'x'.repeat(129)])('cannot be %j', async (nsfilter) => {
    for (const path of [ORCHESTRATORS, `${ORCHESTRATORS}/${id}`, RUNS]) {
      const { body } = await app.api.get(path).query({ nsfilter }).set(owner).expect(400);
      expect(body.errors[0].location).toBe('query.nsfilter');
    }
    const moved = { _params: {}, _namespaces: ['tower_1', nsfilter] };
    const put = app.api.put(`${ORCHESTRATORS}/${id}?nsfilter=tower_1`).set(owner).send(moved);
    expect((await put.expect(400)).body.errors[0].location).toBe('body._namespaces.1');
  });

  it('is not checked for callers who may not read the orchestrator', async () => {
    await start(await app.as('nina'), 'park_3').expect(404);
  });
});
