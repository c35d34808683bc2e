import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@dtplatform/testing';
import { slowComponent } from './slow-component.js';
import { ORCHESTRATORS, RUNS, startApp } from './start-app.js';
import type { TestApp } from './start-app.js';

describe('the number of running runs', () => {
  it('is limited in each worker, and others take what one has no place for', async () => {
    const { slow, began } = slowComponent();
    const app = await startApp({ components: [slow], environment: { RUNS_AT_ONCE: '2' } });
    const owner = await app.as('olga');
    await app.grants.allow('olga', 'tower_1', '*:*:*', ['*']);
    await app.startWorker();
    const start = async (key: string) =>
      app.run(owner, (await app.create(owner, [{ _orchcomp: 'slow', _sequenceno: 1, _actualparams: { key } }])).id);
    const runs = [];
    for (let n = 0; n < 5; n++) runs.push(await start(`run ${n}`));
    const waitFor = (keys: string[]) => eventually(() => expect([...began]).toEqual(keys), { timeoutMs: 20_000 });
    await waitFor(['run 0', 'run 1']);
    await app.startWorker();
    await waitFor(['run 0', 'run 1', 'run 2', 'run 3']);
    expect((await app.getRun(owner, runs[4].id))._status).toBe('QUEUED');
    await app.api.delete(`${RUNS}/${runs[1].id}?nsfilter=tower_1`).set(owner).expect(204);
    await waitFor(['run 0', 'run 1', 'run 2', 'run 3', 'run 4']);
    for (const { id } of runs.filter((_, n) => n !== 1))
      await app.api.delete(`${RUNS}/${id}?nsfilter=tower_1`).set(owner).expect(204);
    await app.stop();
  });
});

describe('the queue', () => {
  it('shows a waiting message as long as runs wait for a place', async () => {
    const { slow, began } = slowComponent();
    const app = await startApp({ components: [slow], environment: { RUNS_AT_ONCE: '1' } });
    const owner = await app.as('olga');
    await app.grants.allow('olga', 'tower_1', '*:*:*', ['*']);
    const ids = [];
    for (let n = 0; n < 6; n++) {
      const task = { _orchcomp: 'slow', _sequenceno: 1, _actualparams: { key: `run ${n}` } };
      ids.push((await app.create(owner, [task])).id);
    }
    // Requests at the same time share a transaction, and so a message.
    const runs = await Promise.all(ids.map((id) => app.run(owner, id)));
    const { jobs, stop } = await app.startWorker();
    const [queue] = jobs.workers.filter((one) => one.queue === 'datasourcesvc.runs');
    const messages = async () => {
      const { waiting, active, delayed } = await queue!.counts();
      return waiting! + active! + delayed!;
    };
    // The first run may be found before the message is handed over.
    await eventually(async () => expect(await messages()).toBeGreaterThan(0));
    for (let n = 0; n < runs.length; n++) {
      await eventually(() => expect(began.size).toBe(n + 1), { timeoutMs: 20_000 });
      if (n < runs.length - 1) expect(await messages()).toBeGreaterThan(0);
      const [running] = await app.runs.find({ _status: 'RUNNING' }).toArray();
      await app.api.delete(`${RUNS}/${running!._id}?nsfilter=tower_1`).set(owner).expect(204);
    }
    await eventually(async () => expect(await messages()).toBe(0));
    await stop();
    await app.stop();
  });
});

describe('the number of queued runs', () => {
  let app: TestApp;
  let owner: { authorization: string };
  let orchestratorId: string;
  const run = (id = orchestratorId, namespace = 'tower_1') =>
    app.api.post(`${ORCHESTRATORS}/${id}/run?nsfilter=${namespace}`).set(owner);

  beforeAll(async () => {
    app = await startApp();
    owner = await app.as('olga');
    for (const namespace of ['tower_1', 'bridge_2']) await app.grants.allow('olga', namespace, '*:*:*', ['*']);
    orchestratorId = (await app.create(owner, [{ _orchcomp: 'wait', _sequenceno: 1, _actualparams: { ms: 0 } }])).id;
  });
  afterAll(() => app.stop());

  it('is limited to 20 per namespace even under concurrent requests; more are a 429 until a run is cancelled or starts', async () => {
    const replies = await Promise.all(Array.from({ length: 30 }, () => run()));
    const accepted = replies.filter(({ status }) => status === 200);
    const refused = replies.filter(({ status }) => status === 429);
    expect([accepted.length, refused.length]).toEqual([20, 10]);
    expect(refused[0]!.body.code).toBe('TOO_MANY_QUEUED');
    expect(refused[0]!.headers['retry-after']).toMatch(/^\d+$/);

    await app.api.delete(`${RUNS}/${accepted[0]!.body.id}?nsfilter=tower_1`).set(owner).expect(204);
    await run().expect(200);
    await run().expect(429);

    const elsewhere = {
      _name: 'elsewhere',
      _params: { tasks: [{ _orchcomp: 'wait', _sequenceno: 1, _actualparams: { ms: 0 } }] },
    };
    const create = async (namespaces: string[]) => {
      const body = { ...elsewhere, _name: namespaces.join(), _namespaces: namespaces };
      return (await app.api.post(`${ORCHESTRATORS}?nsfilter=bridge_2`).set(owner).send(body).expect(200)).body.id;
    };
    await run(await create(['bridge_2']), 'bridge_2').expect(200);
    await run(await create(['bridge_2', 'tower_1']), 'bridge_2').expect(429);

    await app.startWorker();
    for (const { body } of accepted.slice(1)) await app.untilStatus(owner, body.id, 'COMPLETED');
    await run().expect(200);
  });
});

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

  it('must be one of the orchestrator, whatever the caller may do elsewhere', async () => {
    for (const [caller, namespace] of [
      [guest, 'park_3'],
      [guest, 'nowhere'],
      [owner, 'park_3'],
      [await app.as('platform-services', 'trusted'), 'park_3'],
    ] as const) {
      const reply = await start(caller, namespace).expect(400);
      expect(reply.body.code).toBe('NAMESPACE_NOT_LISTED');
    }
    expect(await app.runs.countDocuments({ _orchid: id })).toBe(0);
  });

  it('is one in which the caller holds RUN', async () => {
    await start(guest, 'tower_1').expect(403);
    await start(guest, 'bridge_2').expect(200);
    await start(owner, 'tower_1').expect(200);
  });

  it('is where cancelling needs RUN, too', async () => {
    const tasks = [{ _orchcomp: 'wait', _sequenceno: 1, _actualparams: { ms: 0 } }];
    const both = { _namespaces: ['tower_1', 'bridge_2'] };
    const orchestrator = await app.create(owner, tasks, both);
    await app.grants.allow('gus', 'bridge_2', `datasourcesvc:orchestrator:${orchestrator.id}`, ['READ', 'RUN']);
    const run = await app.run(owner, orchestrator.id);
    await app.api.delete(`${RUNS}/${run.id}?nsfilter=bridge_2`).set(guest).expect(403);
    await app.grants.allow('gus', 'tower_1', `datasourcesvc:orchestrator:${orchestrator.id}`, ['RUN']);
    await app.api.delete(`${RUNS}/${run.id}?nsfilter=bridge_2`).set(guest).expect(204);
  });

  it('is found by calls in a namespace of it alone, as the orchestrator is', async () => {
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

  it('is one that the orchestrator still has when the run is retried', async () => {
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
