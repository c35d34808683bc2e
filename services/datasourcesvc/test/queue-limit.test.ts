import { describe, expect, it } from '@jest/globals';
import { eventually } from '@dtplatform/testing';
import { slowComponent } from './slow-component.js';
import { ORCHESTRATORS, RUNS, startApp, step } from './start-app.js';

describe('the number of concurrent runs', () => {
  it('is limited per worker, and others take what does not fit', async () => {
    const { slow, began } = slowComponent();
    const app = await startApp({ components: [slow], environment: { RUNS_AT_ONCE: '2' } });
    const { owner } = app;
    await app.startWorker();
    const start = async (key: string) => app.run(owner, (await app.create(owner, [step('slow', { key })])).id);
    const runs = [];
    for (let n = 0; n < 5; n++) runs.push(await start(`run ${n}`));
    const waitFor = (keys: string[]) => eventually(() => expect([...began]).toEqual(keys));
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
  it('keeps a message while runs wait for a slot', async () => {
    const { slow, began } = slowComponent();
    const app = await startApp({ components: [slow], environment: { RUNS_AT_ONCE: '1' } });
    const { owner } = app;
    const ids: string[] = [];
    for (let n = 0; n < 6; n++) ids.push((await app.create(owner, [step('slow', { key: `run ${n}` })])).id);
    // Concurrent requests share a transaction, and so a message.
    const runs = await Promise.all(ids.map((id) => app.run(owner, id)));
    const { jobs, stop } = await app.startWorker();
    const [queue] = jobs.workers.filter((one) => one.queue === 'datasourcesvc.runs');
    const messages = async () => {
      const { waiting, active, delayed } = await queue!.counts();
      return waiting! + active! + delayed!;
    };
    // The first run may be claimed before the message is handed over.
    await eventually(async () => expect(await messages()).toBeGreaterThan(0));
    for (let n = 0; n < runs.length; n++) {
      await eventually(() => expect(began.size).toBe(n + 1));
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
  it('is limited to 20 per namespace under concurrent requests; more are a 429 until a run is cancelled or starts', async () => {
    const app = await startApp({ namespaces: ['tower_1', 'bridge_2'] });
    const { owner } = app;
    const tasks = [step('wait', { ms: 0 })];
    const orchestratorId = (await app.create(owner, tasks)).id;
    const run = (id = orchestratorId, namespace = 'tower_1') =>
      app.api.post(`${ORCHESTRATORS}/${id}/run?nsfilter=${namespace}`).set(owner);
    const responses = await Promise.all(Array.from({ length: 30 }, () => run()));
    const accepted = responses.filter(({ status }) => status === 200);
    const rejected = responses.filter(({ status }) => status === 429);
    expect([accepted.length, rejected.length]).toEqual([20, 10]);
    expect(rejected[0]!.body.code).toBe('TOO_MANY_QUEUED');
    expect(rejected[0]!.headers['retry-after']).toMatch(/^\d+$/);

    await app.api.delete(`${RUNS}/${accepted[0]!.body.id}?nsfilter=tower_1`).set(owner).expect(204);
    await run().expect(200);
    await run().expect(429);

    const create = async (namespaces: string[]) => {
      const body = { _name: namespaces.join(), _params: { tasks }, _namespaces: namespaces };
      return (await app.api.post(`${ORCHESTRATORS}?nsfilter=bridge_2`).set(owner).send(body).expect(200)).body.id;
    };
    await run(await create(['bridge_2']), 'bridge_2').expect(200);
    await run(await create(['bridge_2', 'tower_1']), 'bridge_2').expect(429);

    await app.startWorker();
    for (const { body } of accepted.slice(1)) await app.untilStatus(owner, body.id, 'COMPLETED');
    await run().expect(200);
    await app.stop();
  });
});
