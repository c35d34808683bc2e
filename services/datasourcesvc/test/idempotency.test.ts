import { afterAll, describe, expect, it } from '@jest/globals';
import { eventually, sendTwice } from '@dtplatform/testing';
import { ORCHESTRATORS, RUNS, startApp, step } from './start-app.js';
import type { TestComponent } from './start-app.js';

let hanging = 0;
const hang: TestComponent = { name: 'hang', run: () => new Promise(() => void (hanging += 1)) };
const wait = [step('wait', { ms: 1 })];

const app = await startApp({ components: [hang] });
const { owner } = app;
afterAll(() => app.stop());

describe('a request with an idempotency key', () => {
  const post = (path: string, body: object = {}) =>
    app.api.post(`${ORCHESTRATORS}${path}?nsfilter=tower_1`).set(owner).send(body);

  it('runs an instant run once', async () => {
    const { id } = await app.create(owner, wait, { _class: 'INSTANT' });
    const { body } = await sendTwice(() => post(`/${id}/run`));
    expect(body._status).toBe('COMPLETED');
    expect(await app.runs.countDocuments({ _orchid: id })).toBe(1);
  });

  it('does not restart an instant run whose process died: the repetition gets the run', async () => {
    const { id } = await app.create(owner, [step('hang')], { _class: 'INSTANT' });
    const send = () => post(`/${id}/run`).set('idempotency-key', 'died');
    const first = send().then((response) => response);
    await eventually(() => expect(hanging).toBe(1));
    await send().expect(409);

    const keys = app.mongo.db.collection('idempotency_keys');
    await keys.updateMany({ reply: { $exists: true } }, { $set: { 'lease.until': new Date(0) } });
    const repeated = await send().expect(200);
    expect(repeated.headers['idempotency-replayed']).toBe('true');
    expect(repeated.body).toMatchObject({ _orchid: id, _status: 'RUNNING' });

    await app.api.delete(`${RUNS}/${repeated.body.id}?nsfilter=tower_1`).set(owner).expect(204);
    expect((await first).body.id).toBe(repeated.body.id);
    expect(hanging).toBe(1);
  });
});
