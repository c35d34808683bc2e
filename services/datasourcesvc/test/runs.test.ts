import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AppError, commonErrors } from '@dtplatform/errors';
import { eventually } from '@dtplatform/testing';
import { ORCHESTRATORS, RUNS, startApp, step } from './start-app.js';
import type { TestComponent } from './start-app.js';

/** The actions of this test's components, in order. */
const done: string[] = [];

const components: TestComponent[] = [
  {
    name: 'note',
    run: async (params) => {
      const { what } = params as { what: string };
      done.push(what);
      return { noted: what };
    },
  },
  {
    name: 'fail',
    run: () => Promise.reject(new AppError({ status: 400, code: 'REFUSED', message: 'No such device.' })),
  },
  { name: 'hang', run: () => new Promise(() => void done.push('hang')) },
  {
    name: 'unavailable_once',
    run: async (params) => {
      const { key } = params as { key: string };
      done.push(key);
      if (done.filter((entry) => entry === key).length === 1) throw commonErrors.unavailable();
      return null;
    },
  },
];

const note = (what: string, _sequenceno = 1) => ({ _orchcomp: 'note', _sequenceno, _actualparams: { what } });

const app = await startApp({ components });
await app.startWorker();
const { owner } = app;
afterAll(() => app.stop());

describe('runs', () => {
  const runAll = async (tasks: object[], body?: object) => {
    const { id } = await app.create(owner, tasks);
    return app.run(owner, id, body);
  };

  it('queues a run and completes it with the result of its last step', async () => {
    const described = { _description: 'two notes', _userType: 'notes' };
    const orchestrator = await app.create(owner, [note('second', 20), note('first', 10)], described);
    const queued = await app.run(owner, orchestrator.id);
    expect(queued).toMatchObject({
      ...{ _orchid: orchestrator.id, _name: orchestrator._name, _description: 'two notes', _usertype: 'notes' },
      ...{ _createdby: 'olga', _createdat: expect.stringMatching(/^\d{13}$/), _status: 'QUEUED', _attempts: 1 },
    });
    expect(queued.orchrunsteps).toMatchObject(
      orchestrator.orchsteps.map(({ id, _actualparams, _sequenceno }: Record<string, unknown>) => ({
        ...{ orchstepid: id, _actualparams, _sequenceno, _name: 'note', _status: 'QUEUED', _result: null },
      })),
    );
    const completed = await app.untilStatus(owner, queued.id, 'COMPLETED');
    expect(completed._result).toEqual({ noted: 'second' });
    expect(completed.orchrunsteps).toMatchObject([{ _status: 'COMPLETED' }, { _status: 'COMPLETED' }]);
    expect(done.filter((what) => what === 'first' || what === 'second')).toEqual(['first', 'second']);
  });

  it('ends as ERROR at the step that fails, reports the reason, and runs no further steps', async () => {
    const run = await runAll([note('before', 1), step('fail', {}, 2), note('never', 3)]);
    const ended = await app.untilStatus(owner, run.id, 'ERROR');
    expect(ended.orchrunsteps).toMatchObject([
      { _status: 'COMPLETED', _statusmsg: '' },
      { _status: 'ERROR', _statusmsg: 'No such device.' },
      { _status: 'QUEUED', _statusmsg: '' },
    ]);
    expect(ended._result).toBeNull();
    expect(done).not.toContain('never');
  });

  it('retries a step, but not earlier ones, when part of the platform was unavailable', async () => {
    const unavailable = step('unavailable_once', { key: 'knock' }, 2);
    const run = await runAll([note('only once', 1), unavailable]);
    await app.untilStatus(owner, run.id, 'COMPLETED');
    expect(done.filter((what) => what === 'knock' || what === 'only once')).toEqual(['only once', 'knock', 'knock']);
  });

  it('overrides the parameters of steps with those of the run', async () => {
    const run = await runAll([note('a', 1), note('b', 2)], {
      _actualparams: [
        { sequence_type_id: 'note', params: { where: 'here' } },
        { _sequenceno: 2, params: { what: 'b of this run' } },
      ],
    });
    expect(run.orchrunsteps.map((step: { _actualparams: string }) => JSON.parse(step._actualparams))).toEqual([
      { what: 'a', where: 'here' },
      { what: 'b of this run', where: 'here' },
    ]);
    await app.untilStatus(owner, run.id, 'COMPLETED');
    expect(done).toContain('b of this run');
  });

  it.each([
    ['an unknown step', { _actualparams: [{ _sequenceno: 7, params: {} }] }],
    ['an unknown component', { _actualparams: [{ sequence_type_id: 'fly', params: {} }] }],
    ['no step', { _actualparams: [{ params: {} }] }],
  ])('rejects parameters for %s', async (_case, body) => {
    const { id } = await app.create(owner, [note('refused')]);
    await app.start(id).send(body).expect(400);
    expect(done).not.toContain('refused');
  });

  it('rejects parameters that are too large for all steps together', async () => {
    const { id } = await app.create(owner, [note('a', 1), note('b', 2), note('c', 3), note('d', 4), note('e', 5)]);
    const _actualparams = [{ sequence_type_id: 'note', params: { what: 'x'.repeat(900_000) } }];
    const { body } = await app.start(id).send({ _actualparams }).expect(400);
    expect(body.code).toBe('PARAMETERS_TOO_LARGE');
  });

  describe('of class INSTANT', () => {
    it('execute in the request, up to a step that fails', async () => {
      const run = await app.runAtOnce(note('at once'));
      expect(run).toMatchObject({ _status: 'COMPLETED', _result: { noted: 'at once' } });
      expect(await app.getRun(owner, run.id)).toEqual(run);

      const failing = await app.create(owner, [step('fail'), note('not now', 2)], { _class: 'INSTANT' });
      const failed = await app.run(owner, failing.id);
      expect(failed).toMatchObject({ _status: 'ERROR', orchrunsteps: [{ _status: 'ERROR' }, { _status: 'QUEUED' }] });
      expect(done).not.toContain('not now');
    });

    it('are not restarted when their process died: the repetition gets the run', async () => {
      const { id } = await app.create(owner, [step('hang')], { instant: true });
      const send = () => app.start(id).set('idempotency-key', 'died');
      const first = send().then((response) => response);
      await eventually(() => expect(done).toContain('hang'));
      await send().expect(409);

      const keys = app.mongo.db.collection('idempotency_keys');
      await keys.updateMany({ reply: { $exists: true } }, { $set: { 'lease.until': new Date(0) } });
      const repeated = await send().expect(200);
      expect(repeated.headers['idempotency-replayed']).toBe('true');
      expect(repeated.body).toMatchObject({ _orchid: id, _status: 'RUNNING' });

      await app.api.delete(`${RUNS}/${repeated.body.id}?nsfilter=tower_1`).set(owner).expect(204);
      expect((await first).body.id).toBe(repeated.body.id);
      expect(done.filter((what) => what === 'hang')).toHaveLength(1);
    });

    it('end when they exceed the time limit of a request', async () => {
      const { id } = await app.create(owner, [step('wait', { ms: 60_000 })], { instant: true });
      const { api, stop } = await app.startInstance({ INSTANT_RUN_LIMIT_MS: '500' });
      const { body: run } = await api.post(`${ORCHESTRATORS}/${id}/run?nsfilter=tower_1`).set(owner).expect(200);
      expect(run._status).toBe('ERROR');
      expect(run.orchrunsteps[0]._statusmsg).toBe('The run took longer than its time limit.');
      await stop();
    });
  });

  describe('in lists', () => {
    let reader: { authorization: string };
    let first: { id: string; _orchid: string; _createdat: string };
    let second: typeof first;
    const ids = async (query = '') => {
      const { body } = await app.api.get(`${RUNS}?nsfilter=list_4${query}`).set(reader).expect(200);
      return body._list.map(({ id }: { id: string }) => id);
    };

    beforeAll(async () => {
      reader = await app.as('rita');
      await app.grants.allow('rita', 'list_4', '*:*:*', ['*']);
      const start = async (task: object) => {
        const { body } = await app.post({ _params: { tasks: [task] }, instant: true }, reader, 'list_4').expect(200);
        return (await app.start(body.id, reader, 'list_4').expect(200)).body;
      };
      first = await start(note('first of the list'));
      await eventually(() => expect(Date.now()).toBeGreaterThan(Number(first._createdat)));
      second = await start(step('fail'));
    });

    it('are newest first, page by page, 20 by default', async () => {
      expect(await ids()).toEqual([second.id, first.id]);
      expect(await ids('&_offset=1')).toEqual([first.id]);
      const { body } = await app.api.get(`${RUNS}?nsfilter=list_4`).set(reader).expect(200);
      expect(body).toMatchObject({ _pageSize: 20, _offset: 0, _total: 2 });
    });

    it('are filtered by status, orchestrator and time', async () => {
      expect(await ids('&_status=ERROR')).toEqual([second.id]);
      expect(await ids('&_status=COMPLETED,ERROR')).toEqual([second.id, first.id]);
      expect(await ids(`&_orchid=${first._orchid}`)).toEqual([first.id]);
      expect(await ids(`&startDate=${second._createdat}`)).toEqual([second.id]);
      expect(await ids(`&endDate=${new Date(Number(first._createdat)).toISOString()}`)).toEqual([first.id]);
      expect(await ids('&endDate=2001-01-01')).toEqual([]);
      expect(await ids('&endDate=100000000000000')).toEqual([second.id, first.id]);
      for (const query of ['_status=DONE', 'startDate=yesterday', 'startDate=May 1', 'endDate=2026-02-30'])
        await app.api.get(`${RUNS}?nsfilter=list_4&${query}`).set(reader).expect(400);
    });

    it('are limited to orchestrators that the caller may read, until that is revoked', async () => {
      const guest = await app.as('gus');
      const seen = async () => (await app.api.get(`${RUNS}?nsfilter=list_4`).set(guest).expect(200)).body;
      expect(await seen()).toMatchObject({ _list: [], _total: 0 });
      await app.api.get(`${RUNS}/${first.id}?nsfilter=list_4`).set(guest).expect(404);

      await app.grants.allow('gus', 'list_4', `datasourcesvc:orchestrator:${first._orchid}`, ['READ']);
      expect(await seen()).toMatchObject({ _list: [{ id: first.id }], _total: 1 });
      const ofAnother = `${RUNS}?nsfilter=list_4&_orchid=${second._orchid}`;
      expect((await app.api.get(ofAnother).set(guest).expect(200)).body).toMatchObject({ _list: [], _total: 0 });
      await app.api.get(`${RUNS}/${first.id}?nsfilter=list_4`).set(guest).expect(200);
      await app.grants.revoke('gus', 'list_4');
      await app.api.get(`${RUNS}/${first.id}?nsfilter=list_4`).set(guest).expect(404);
      expect(await seen()).toMatchObject({ _list: [], _total: 0 });
    });
  });
});
