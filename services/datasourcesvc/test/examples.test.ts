import { afterAll, expect, it } from '@jest/globals';
import { eventually, keepExamples, startPermissionStandIn, withHeaders } from '@dtplatform/testing';
import { ORCHESTRATORS, RUNS, startApp, step } from './start-app.js';

const API = '/datasourcesvc/api/v1';
const NAMESPACE = 'tower_1';
const COUNT_DOORS = {
  description: 'Counts the doors of a collection.',
  mayRunAgain: true,
  parameters: { type: 'object', properties: { collectionId: { type: 'string' } }, required: ['collectionId'] },
};

const examples = keepExamples(new URL('../', import.meta.url));
const permissions = await startPermissionStandIn('datasourcesvc:orchestrator:*', NAMESPACE);
const app = withHeaders(await startApp({ environment: permissions.environment }));
await app.startWorker();
const { owner: olga } = app;
const worker = await app.as('their-client', 'trusted');
afterAll(async () => {
  await app.stop();
  await permissions.stop();
});

const get = (path: string, query: object = { nsfilter: NAMESPACE }) => app.api.get(path).set(olga).query(query);
const post = (path: string, body?: object) => app.api.post(path).set(olga).query({ nsfilter: NAMESPACE }).send(body);

/** Each operation of the reference that returns JSON, as one story. */
it('keeps the examples of the API reference', async () => {
  const registered = app.api.put(`${API}/components/count_doors`).set(worker).send(COUNT_DOORS);
  examples.keep('components.register', await registered.expect(200));
  examples.keep('components.list', await get(`${API}/components`, { _pageSize: '2' }).expect(200));
  examples.keep('components.get', await get(`${API}/components/count_doors`, {}).expect(200));

  const weekly = app.api
    .post(`${API}/schedules/times`)
    .set(olga)
    .query({ count: 2, after: Date.UTC(2026, 9, 20) });
  const schedule = { cron: '30 6 * * MON', timezone: 'Europe/Berlin' };
  examples.keep('schedules.times', await weekly.send(schedule).expect(200));

  const orchestratorId = await keepOrchestrator();
  const overridden = { _actualparams: [{ _sequenceno: 1, params: { collectionId: 'doors-of-the-annex' } }] };
  const started = await post(`${ORCHESTRATORS}/${orchestratorId}/run`, overridden).expect(200);
  examples.keep('orchestrators.run', started);
  const { id } = started.body as { id: string };
  await keepCall(id);

  await app.untilStatus(olga, id, 'ERROR');
  examples.keep('runs.list', await get(RUNS, { nsfilter: NAMESPACE, _status: 'ERROR' }).expect(200));
  examples.keep('runs.get', await get(`${RUNS}/${id}`).expect(200));
  examples.keep('runs.retry', await post(`${RUNS}/${id}/retry`).expect(200));

  const path = `${API}/permissions`;
  examples.keep('permissions.put', await app.api.put(path).set(olga).send([permissions.entry]).expect(200));
  examples.keep('permissions.list', await get(path, permissions.query).expect(200));

  const { kept, stored } = examples.end();
  expect(kept).toEqual(stored);
});

/** Creates an orchestrator that then gets a schedule. @returns its id */
async function keepOrchestrator(): Promise<string> {
  const tasks = [
    { _orchcomp: 'count_doors', _sequenceno: 1, _name: 'Count', _actualparams: { collectionId: 'doors-of-the-tower' } },
    step('wait', { ms: 1000 }, 2),
  ];
  const body = { _name: 'Doors', _description: 'Counts the doors every night.', _params: { tasks } };
  const created = await post(ORCHESTRATORS, body).expect(200);
  examples.keep('orchestrators.create', created);
  const { id } = created.body as { id: string };
  const schedule = { cron: '30 2 * * *', timezone: 'Europe/Berlin' };
  const change = { _class: 'SCHEDULED', _orchschedule: schedule, _timeout: '* 10 *', _params: {} };
  const changed = app.api.put(`${ORCHESTRATORS}/${id}`).set(olga).query({ nsfilter: NAMESPACE }).send(change);
  examples.keep('orchestrators.update', await changed.expect(200));
  examples.keep('orchestrators.list', await get(ORCHESTRATORS).expect(200));
  const read = await get(`${ORCHESTRATORS}/${id}`).expect(200);
  examples.keep('orchestrators.get', read);
  const { _orchschedule } = read.body as { _orchschedule: { next_scheduled_time: string } };
  examples.replace(_orchschedule.next_scheduled_time, String(Date.parse('2026-01-02T01:30:00Z')));
  return id;
}

/** A worker claims the first step of a run, and reports a failure. */
async function keepCall(runId: string): Promise<void> {
  const calls = app.mongo.db.collection<{ _id: string }>('component_calls');
  const callId = await eventually(async () => {
    const call = await calls.findOne({ _runId: runId });
    if (!call) throw new Error('the step has not begun');
    return call._id;
  });
  const path = `${API}/componentcalls/${callId}`;
  const claimed = await app.api.post(`${path}/claim`).set(worker).expect(200);
  examples.keep('componentCalls.claim', claimed);
  const { fence } = claimed.body as { fence: number };
  const outcome = { status: 'ERROR', message: 'There is no such collection.' };
  const report = { fence, progress: { percent: 10, message: 'Reading' }, log: ['The collection is empty.'], outcome };
  examples.keep('componentCalls.report', await app.api.put(path).set(worker).send(report).expect(204));
}
