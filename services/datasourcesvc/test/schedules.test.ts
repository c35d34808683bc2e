import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '@dtplatform/mongo';
import { eventually, sendTwice } from '@dtplatform/testing';
import { startOtherServices } from './other-services.js';
import { ORCHESTRATORS, RUNS, startApp } from './start-app.js';
import type { TestApp } from './start-app.js';

type Headers = Record<'authorization', string>;

const IRN = 'datasourcesvc:orchestrator';
const HOUR_MS = 3_600_000;
const tasks = [{ _orchcomp: 'wait', _sequenceno: 1, _actualparams: { ms: 1 } }];
const hourly = { _class: 'SCHEDULED', _orchschedule: { runinterval: '1 * *' } };
const notAborted = new AbortController().signal;

describe('a schedule', () => {
  let others: Awaited<ReturnType<typeof startOtherServices>>;
  let app: TestApp;
  let owner: Headers;
  const post = (body: object, headers = owner, namespace = 'tower_1') =>
    app.api
      .post(`${ORCHESTRATORS}?nsfilter=${namespace}`)
      .set(headers)
      .send({ _name: `orchestrator ${Math.random()}`, _params: { tasks }, ...body });
  const create = async (body: object = hourly, headers = owner) =>
    (await post(body, headers).expect(200)).body.id as string;
  const at = (id: string, namespace = 'tower_1') => `${ORCHESTRATORS}/${id}?nsfilter=${namespace}`;
  const read = async (id: string) => (await app.api.get(at(id)).set(owner).expect(200)).body;
  const put = (id: string, body: object, headers = owner, namespace?: string) =>
    app.api
      .put(at(id, namespace))
      .set(headers)
      .send({ _params: {}, ...body });
  const stored = () => app.mongo.db.collection<{ _id: string }>('orchestrators');
  /** Pretends that the time has come, so many milliseconds ago. */
  const makeDue = async (id: string, agoMs = 1000) => {
    const time = Date.now() - agoMs;
    await stored().updateOne({ _id: id }, { $set: { '_schedule.dueAt': time, '_schedule.tryAt': time } });
    return time;
  };
  const startDue = (deps = app.deps) => deps.scheduler.startDue(notAborted);
  const runsOf = (id: string) => app.runs.find({ _orchid: id }).toArray();
  const person = async (actions: Parameters<TestApp['grants']['allow']>[3], irn = `${IRN}:*`) => {
    const name = newId();
    await app.grants.allow(name, 'tower_1', irn, actions);
    return { name, headers: await app.as(name) };
  };

  beforeAll(async () => {
    others = await startOtherServices();
    app = await startApp({ environment: others.environment });
    owner = await app.as('olga');
    for (const namespace of ['tower_1', 'bridge_2', 'flood_3'])
      await app.grants.allow('olga', namespace, '*:*:*', ['*']);
  });
  beforeEach(async () => {
    others.will({ put: 200, statuses: ['LOADED'] });
    await app.runs.deleteMany({});
    await stored().deleteMany({});
  });
  afterAll(async () => {
    await app.stop();
    await others.stop();
  });

  describe('belongs to an orchestrator of class SCHEDULED', () => {
    it('and is shown with the next time', async () => {
      const before = Date.now();
      const { body } = await post(hourly).expect(200);
      expect(body).toMatchObject(hourly);
      expect(body._orchschedule).toEqual({
        runinterval: '1 * *',
        next_scheduled_time: expect.stringMatching(/^\d{13}$/),
      });
      const next = Number(body._orchschedule.next_scheduled_time);
      expect(next).toBeGreaterThanOrEqual(before + HOUR_MS);
      expect(next).toBeLessThanOrEqual(Date.now() + HOUR_MS);
      expect(await read(body.id)).toEqual(body);
      expect(body).not.toHaveProperty('_schedule');
      const list = (await app.api.get(`${ORCHESTRATORS}?nsfilter=tower_1`).set(owner).expect(200)).body._list;
      expect(list).toEqual([body]);
    });

    it('of which a time zone is part', async () => {
      const yearly = { cron: '30 9 1 7 *', timezone: 'Europe/Berlin' };
      const { _orchschedule } = await read(await create({ ...hourly, _orchschedule: yearly }));
      expect(_orchschedule).toMatchObject(yearly);
      const next = new Date(Number(_orchschedule.next_scheduled_time)).toISOString();
      expect(next.slice(4)).toBe('-07-01T07:30:00.000Z');
    });

    it('and to no other', async () => {
      const refused = async (body: object) => (await post(body).expect(400)).body.code;
      expect(await refused({ _class: 'SCHEDULED' })).toBe('SCHEDULE_MISSING');
      expect(await refused({ _class: 'SCHEDULED', _orchschedule: null })).toBe('SCHEDULE_MISSING');
      for (const more of [{ _class: 'NORMAL' }, { instant: true }, { _class: undefined }])
        expect(await refused({ ...hourly, ...more })).toBe('SCHEDULE_NOT_ALLOWED');
    });

    it.each([
      [{ runinterval: '* * 10' }, 'body._orchschedule.runinterval'],
      [{ cron: '0 0 31 2 *' }, 'body._orchschedule.cron'],
      [{ cron: '0 2 * * *', timezone: 'Mars/Base' }, 'body._orchschedule.timezone'],
      [{ runinterval: '1 * *', cron: '0 2 * * *' }, 'body._orchschedule'],
      ['hourly', 'body._orchschedule'],
    ])('but not %j', async (_orchschedule, location) => {
      const { body } = await post({ ...hourly, _orchschedule }).expect(400);
      expect(body.errors.map((error: { location: string }) => error.location)).toContain(location);
    });

    it('which is created once with an idempotency key', async () => {
      const _name = 'once';
      await sendTwice(() => post({ ...hourly, _name }));
      expect(await stored().countDocuments({ _name })).toBe(1);
    });

    it('of which a namespace has at most 100', async () => {
      const replies = await Promise.all(Array.from({ length: 105 }, () => post(hourly, owner, 'flood_3')));
      expect(replies.filter(({ status }) => status === 200)).toHaveLength(100);
      const [refused] = replies.filter(({ status }) => status !== 200);
      expect(refused!.body).toMatchObject({ status: 400, code: 'TOO_MANY_SCHEDULES' });
      const { id } = (await post({}, owner, 'flood_3').expect(200)).body;
      await put(id, hourly, owner, 'flood_3').expect(400);
      const [first] = replies.filter(({ status }) => status === 200);
      await put(first!.body.id, { _orchschedule: { runinterval: '2 * *' } }, owner, 'flood_3').expect(200);
      await app.api.delete(at(first!.body.id, 'flood_3')).set(owner).expect(204);
      await put(id, hourly, owner, 'flood_3').expect(200);
    });
  });

  describe('is changed', () => {
    it('to another one, which begins now', async () => {
      const id = await create();
      await makeDue(id, -1000);
      const { body } = await put(id, { _orchschedule: { cron: '0 0 1 1 *' } }).expect(200);
      expect(body._orchschedule).toMatchObject({ cron: '0 0 1 1 *', timezone: 'UTC' });
      expect(body._orchschedule).not.toHaveProperty('runinterval');
      expect(new Date(Number(body._orchschedule.next_scheduled_time)).toISOString()).toMatch(/-01-01T00:00:00/);
    });

    it('with the class: it begins, and it ends', async () => {
      const id = await create({});
      expect((await put(id, { _class: 'SCHEDULED' }).expect(400)).body.code).toBe('SCHEDULE_MISSING');
      expect((await put(id, { _orchschedule: hourly._orchschedule }).expect(400)).body.code).toBe(
        'SCHEDULE_NOT_ALLOWED',
      );
      await put(id, hourly).expect(200);
      expect((await put(id, { _orchschedule: null }).expect(400)).body.code).toBe('SCHEDULE_MISSING');
      await makeDue(id);
      expect((await put(id, { _class: 'NORMAL', _orchschedule: null }).expect(200)).body).not.toHaveProperty(
        '_orchschedule',
      );
      await startDue();
      expect(await runsOf(id)).toEqual([]);
    });

    it('but not put off by other changes, or by the same one again', async () => {
      const id = await create();
      const due = await makeDue(id, -HOUR_MS / 2);
      for (const change of [
        { _description: 'x' },
        { instant: false },
        hourly,
        { _params: { tasks: [{ ...tasks[0], _name: 'y' }] } },
      ]) {
        const { body } = await put(id, change).expect(200);
        expect(body._orchschedule.next_scheduled_time).toBe(String(due));
      }
    });
  });

  describe('starts a run when it is due', () => {
    it('in its namespace, for its owner, once', async () => {
      const id = await create({ ...hourly, _namespaces: ['tower_1', 'bridge_2'] });
      const etag = (await app.api.get(at(id)).set(owner)).headers.etag;
      await startDue();
      expect(await runsOf(id)).toEqual([]);
      const due = await makeDue(id);
      await startDue();
      await startDue();
      expect(await runsOf(id)).toMatchObject([
        { _status: 'QUEUED', _createdby: 'olga', _work: { namespace: 'tower_1', starterType: 'user', instant: false } },
      ]);
      expect((await read(id))._orchschedule.next_scheduled_time).toBe(String(due + HOUR_MS));
      expect((await app.api.get(at(id)).set(owner)).headers.etag).toBe(etag);
    });

    it('once after times that were missed, and goes on from now', async () => {
      const id = await create();
      const due = await makeDue(id, 5.5 * HOUR_MS);
      await startDue();
      expect(await runsOf(id)).toHaveLength(1);
      expect((await read(id))._orchschedule.next_scheduled_time).toBe(String(due + 6 * HOUR_MS));
    });

    it('once, however many processes look for it', async () => {
      const ids = await Promise.all(Array.from({ length: 15 }, () => create()));
      const { deps, stop } = await app.startInstance();
      for (let round = 1; round <= 3; round++) {
        await Promise.all(ids.map((id) => makeDue(id)));
        await Promise.all([startDue(), startDue(deps), startDue(), startDue(deps)]);
        for (const id of ids) expect(await runsOf(id)).toHaveLength(1);
        await app.runs.deleteMany({});
      }
      await stop();
    });

    it('in a worker, of which another takes over', async () => {
      const id = await create();
      const workers = [await app.startWorker(), await app.startWorker()];
      const isDone = async (count: number) =>
        expect((await runsOf(id)).map((run) => (run as unknown as { _status: string })._status)).toEqual(
          Array.from({ length: count }, () => 'COMPLETED'),
        );
      await makeDue(id);
      await eventually(() => isDone(1), { timeoutMs: 20_000 });
      await workers[0]!.stop();
      await makeDue(id);
      await eventually(() => isDone(2), { timeoutMs: 20_000 });
      await workers[1]!.stop();
    });

    it('with the steps that it has at that time', async () => {
      const id = await create();
      await makeDue(id);
      await put(id, { _params: { tasks: [{ ...tasks[0], _name: 'newer' }] } }).expect(200);
      await startDue();
      expect(await runsOf(id)).toMatchObject([{ orchrunsteps: [{ _name: 'newer' }] }]);
    });

    it('later when too many runs are queued, and says so meanwhile', async () => {
      const [busy, id] = [await create({}), await create()];
      for (let n = 0; n < 20; n++) await app.run(owner, busy);
      const due = await makeDue(id);
      await startDue();
      expect(await runsOf(id)).toEqual([]);
      const full = 'Too many runs are queued in the namespace.';
      expect((await read(id))._orchschedule).toMatchObject({ next_scheduled_time: String(due), statusmsg: full });
      await app.runs.deleteMany({ _orchid: busy });
      await startDue();
      expect(await runsOf(id)).toEqual([]);
      await stored().updateOne({ _id: id }, { $set: { '_schedule.tryAt': Date.now() } });
      await startDue();
      expect(await runsOf(id)).toHaveLength(1);
      expect((await read(id))._orchschedule).not.toHaveProperty('statusmsg');
    });

    it('not when its orchestrator was deleted', async () => {
      const id = await create();
      await makeDue(id);
      await app.api.delete(at(id)).set(owner).expect(204);
      await startDue();
      expect(await runsOf(id)).toEqual([]);
    });
  });

  describe('has an owner', () => {
    const statusOf = async (id: string) => (await read(id))._orchschedule.statusmsg as string | undefined;
    const isLeftOut = async (id: string, statusmsg: string) => {
      const due = await makeDue(id);
      await startDue();
      expect(await runsOf(id)).toEqual([]);
      expect((await read(id))._orchschedule).toMatchObject({ next_scheduled_time: String(due + HOUR_MS), statusmsg });
    };

    it('without whose right to RUN it starts nothing, until it is there again', async () => {
      const { name, headers } = await person(['*']);
      const id = await create(hourly, headers);
      await app.grants.revoke(name, 'tower_1');
      await isLeftOut(id, 'The owner of the schedule may not run the orchestrator.');
      await app.grants.allow(name, 'tower_1', `${IRN}:${id}`, ['RUN']);
      await makeDue(id);
      await startDue();
      expect(await runsOf(id)).toMatchObject([{ _createdby: name }]);
      expect(await statusOf(id)).toBeUndefined();
    });

    it('who may be an application', async () => {
      const application = { _type: 'app' as const, _id: newId() };
      await app.grants.allow(application, 'tower_1', `${IRN}:*`, ['*']);
      const id = await create(hourly, await app.as(application._id, 'app'));
      await makeDue(id);
      await startDue();
      expect(await runsOf(id)).toMatchObject([{ _createdby: application._id, _work: { starterType: 'app' } }]);
      expect(others.exchanges).toMatchObject([{ subject: application._id, subject_type: 'app' }]);
    });

    it('who must be active, even if the steps have the rights of a permission profile', async () => {
      const profile = newId();
      others.profiles.set(profile, ['tower_1']);
      const id = await create({ ...hourly, _permissionprofileid: profile });
      others.will({ put: 200, statuses: ['LOADED'], exchange: 'inactive' });
      await isLeftOut(id, 'The user or application that started this is no longer active.');
      expect(others.exchanges).toMatchObject([{ subject: 'olga', subject_type: 'user' }]);
    });

    it('who is asked for again later while passportsvc is unavailable', async () => {
      const id = await create();
      others.will({ put: 200, statuses: ['LOADED'], exchange: 'unavailable' });
      const due = await makeDue(id);
      await startDue();
      const { _orchschedule } = await read(id);
      expect(_orchschedule).toMatchObject({
        next_scheduled_time: String(due),
        statusmsg: 'The run could not be started yet.',
      });
      others.will({ put: 200, statuses: ['LOADED'] });
      await makeDue(id);
      await startDue();
      expect(await runsOf(id)).toHaveLength(1);
    });

    it('which is whoever decides what it runs: nobody can make it do something with the rights of another', async () => {
      const editor = await person(['READ', 'EDIT']);
      const runner = await person(['READ', 'EDIT', 'RUN']);
      const id = await create();
      const steps = { _params: { tasks: [{ ...tasks[0], _actualparams: { ms: 2 } }] } };
      await put(id, { _description: 'harmless' }, editor.headers).expect(200);
      for (const change of [steps, { _timeout: '1 * *' }, { _orchschedule: { runinterval: '2 * *' } }, hourly])
        await put(id, change, editor.headers).expect(403);
      const starts = async (starter: string) => {
        await makeDue(id);
        await startDue();
        expect(await runsOf(id)).toMatchObject([{ _createdby: starter }]);
        await app.runs.deleteMany({});
      };
      await starts('olga');
      await put(id, steps, runner.headers).expect(200);
      await starts(runner.name);
      await put(id, hourly).expect(200);
      await starts('olga');
    });
  });

  it('works in the namespace of the call that set it, which the orchestrator must have', async () => {
    const id = await create({ ...hourly, _namespaces: ['tower_1', 'bridge_2'] });
    const namespace = async () => {
      await makeDue(id);
      await startDue();
      const [run] = (await runsOf(id)) as unknown as [{ _work: { namespace: string } }];
      await app.runs.deleteMany({});
      return run._work.namespace;
    };
    await put(id, { _description: 'x' }, owner, 'bridge_2').expect(200);
    expect(await namespace()).toBe('tower_1');
    await put(id, { _orchschedule: { runinterval: '1 * *' } }, owner, 'bridge_2').expect(200);
    expect(await namespace()).toBe('bridge_2');
    await put(id, { _namespaces: ['tower_1'] }, owner, 'bridge_2').expect(400);
    await put(id, { _namespaces: ['tower_1'] }).expect(200);
    expect(await namespace()).toBe('tower_1');
  });

  it('does not keep the orchestrator from being run by a caller', async () => {
    const run = await app.run(owner, await create());
    expect(run._status).toBe('QUEUED');
    await app.api.delete(`${RUNS}/${run.id}?nsfilter=tower_1`).set(owner).expect(204);
  });
});
