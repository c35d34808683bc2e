import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '@dtplatform/mongo';
import { eventually } from '@dtplatform/testing';
import { ORCHESTRATORS, startAppWithOthers, step } from './start-app.js';

const IRN = 'datasourcesvc:orchestrator';
const HOUR_MS = 3_600_000;
const tasks = [step('wait', { ms: 1 })];
const hourly = { _class: 'SCHEDULED', _orchschedule: { runinterval: '1 * *' } };

/** Runs work in a process whose clock is some minutes ahead. */
async function withClock<T>(minutes: number, work: () => Promise<T>): Promise<T> {
  const rightNow = Date.now;
  Date.now = () => rightNow() + minutes * 60_000;
  try {
    return await work();
  } finally {
    Date.now = rightNow;
  }
}

const app = await startAppWithOthers({ namespaces: ['tower_1', 'bridge_2', 'flood_3'] });
const { others, owner, person, post, put } = app;
const stored = app.mongo.db.collection<{ _id: string }>('orchestrators');
afterAll(() => app.stop());

const at = (id: string, namespace = 'tower_1') => `${ORCHESTRATORS}/${id}?nsfilter=${namespace}`;
const schedule = async (body: object = hourly, headers = owner) =>
  (await post(body, headers).expect(200)).body.id as string;
const read = async (id: string) => (await app.api.get(at(id)).set(owner).expect(200)).body;
/** Pretends that the schedule was due some milliseconds ago. */
async function makeDue(id: string, agoMs = 1000) {
  const time = Date.now() - agoMs;
  await stored.updateOne({ _id: id }, { $set: { '_schedule.dueAt': time, '_schedule.tryAt': time } });
  return time;
}
const startDue = (deps = app.deps) => deps.scheduler.startDue(new AbortController().signal);
/** Starts what is due when the schedule was due some milliseconds ago. */
async function startLate(id: string, agoMs?: number) {
  const time = await makeDue(id, agoMs);
  await startDue();
  return time;
}
const runsOf = (id: string) =>
  app.runs.find<{ _id: string; _status: string; _work: { namespace: string } }>({ _orchid: id }).toArray();

describe('a schedule', () => {
  beforeEach(async () => {
    others.will({ put: 200, statuses: ['LOADED'] });
    await app.runs.deleteMany({});
    await stored.deleteMany({});
  });

  const dueAt = async (id: string) => Number((await read(id))._orchschedule.next_scheduled_time);

  it('has its next times listed without being stored, an interval from the previous run', async () => {
    const times = (body: object, query: object = {}) =>
      app.api.post('/datasourcesvc/api/v1/schedules/times').set(owner).query(query).send(body);
    const hours = await times(hourly._orchschedule, { after: 1000, count: 2 }).expect(200);
    expect(hours.body).toEqual({ times: ['3601000', '7201000'] });
    const { body } = await times({ cron: '0 0 29 2 *' }).expect(200);
    expect(body.times.map((time: string) => new Date(Number(time)).getUTCDate())).toEqual([29, 29, 29, 29, 29]);
    await times({ cron: '0 0 30 2 *' }).expect(400);
  });

  describe('of an orchestrator of class SCHEDULED', () => {
    it('is shown with the next due time', async () => {
      const before = Date.now();
      const { body } = await post(hourly).expect(200);
      const _orchschedule = { runinterval: '1 * *', next_scheduled_time: expect.stringMatching(/^\d{13}$/) };
      expect(body).toEqual({ ...body, _class: 'SCHEDULED', _orchschedule });
      const next = Number(body._orchschedule.next_scheduled_time);
      expect(next).toBeGreaterThanOrEqual(before + HOUR_MS);
      expect(next).toBeLessThanOrEqual(Date.now() + HOUR_MS);
      expect(await read(body.id)).toEqual(body);
      const list = (await app.api.get(`${ORCHESTRATORS}?nsfilter=tower_1`).set(owner).expect(200)).body._list;
      expect(list).toEqual([body]);
    });

    it('is rejected for other classes, and if it is invalid', async () => {
      const rejected = async (body: object) => (await post(body).expect(400)).body.code;
      expect(await rejected({ _class: 'SCHEDULED' })).toBe('SCHEDULE_MISSING');
      expect(await rejected({ _class: 'SCHEDULED', _orchschedule: null })).toBe('SCHEDULE_MISSING');
      for (const more of [{ _class: 'NORMAL' }, { _class: undefined, instant: true }, { _class: undefined }])
        expect(await rejected({ ...hourly, ...more })).toBe('SCHEDULE_NOT_ALLOWED');
      const _orchschedule = { cron: '0 2 * * *', timezone: 'Mars/Base' };
      expect(await rejected({ ...hourly, _orchschedule })).toBe('BAD_REQUEST');
    });

    it('is limited to 100 per namespace', async () => {
      const { id } = (await post(hourly, owner, 'flood_3').expect(200)).body;
      const [one] = await stored.find({ _id: id }).toArray();
      await stored.insertMany(Array.from({ length: 97 }, (_, n) => ({ ...one, _id: newId(), _name: `copy ${n}` })));
      const responses = await Promise.all(Array.from({ length: 5 }, () => post(hourly, owner, 'flood_3')));
      expect(responses.map(({ status }) => status).sort()).toEqual([200, 200, 400, 400, 400]);
      expect(responses.find(({ status }) => status === 400)!.body.code).toBe('TOO_MANY_SCHEDULES');
      const other = (await post({}, owner, 'flood_3').expect(200)).body.id;
      await put(other, hourly, owner, 'flood_3').expect(400);
      await put(id, { _orchschedule: { runinterval: '2 * *' } }, owner, 'flood_3').expect(200);
      await app.api.delete(at(id, 'flood_3')).set(owner).expect(204);
      await put(other, hourly, owner, 'flood_3').expect(200);
    });
  });

  describe('changes', () => {
    it('to another one, which starts now', async () => {
      const id = await schedule();
      await makeDue(id, -1000);
      const yearly = { cron: '30 9 1 7 *', timezone: 'Europe/Berlin' };
      const { _orchschedule } = (await put(id, { _orchschedule: yearly }).expect(200)).body;
      expect(_orchschedule).toMatchObject(yearly);
      expect(_orchschedule).not.toHaveProperty('runinterval');
      expect(new Date(Number(_orchschedule.next_scheduled_time)).toISOString()).toMatch(/-07-01T07:30:00/);
    });

    it('with a pause, which also skips a run that is due', async () => {
      const id = await schedule();
      await makeDue(id);
      const paused_until = new Date(Date.now() + 7 * 24 * HOUR_MS).toISOString();
      const paused = { ...hourly._orchschedule, paused_until };
      const { body } = await put(id, { _orchschedule: paused }).expect(200);
      expect(body._orchschedule).toMatchObject(paused);
      expect(await dueAt(id)).toBeGreaterThanOrEqual(Date.parse(paused_until));
      await startDue();
      expect(await runsOf(id)).toEqual([]);
      // Even if others prolong it: the owner stays, and the pause with it.
      const editor = await person(['READ', 'EDIT']);
      const longer = { ...paused, paused_until: '2099-12-31T00:00:00+01:00' };
      const prolonged = await put(id, { _orchschedule: longer }, editor.headers).expect(200);
      expect(prolonged.body._orchschedule.paused_until).toBe('2099-12-30T23:00:00.000Z');
      await put(id, { _orchschedule: paused }, editor.headers).expect(403);
      expect(await stored.findOne({ _id: id })).toMatchObject({ _schedule: { ownerId: 'olga' } });
      await put(id, hourly).expect(200);
      expect(await dueAt(id)).toBeLessThanOrEqual(Date.now() + HOUR_MS);
    });

    it('with the class: it starts, and it ends', async () => {
      const id = await schedule({});
      const rejected = async (body: object) => (await put(id, body).expect(400)).body.code;
      expect(await rejected({ _class: 'SCHEDULED' })).toBe('SCHEDULE_MISSING');
      expect(await rejected({ _orchschedule: hourly._orchschedule })).toBe('SCHEDULE_NOT_ALLOWED');
      await put(id, hourly).expect(200);
      expect(await rejected({ _orchschedule: null })).toBe('SCHEDULE_MISSING');
      await makeDue(id);
      const { body } = await put(id, { _class: 'NORMAL', _orchschedule: null }).expect(200);
      expect(body).not.toHaveProperty('_orchschedule');
      await startDue();
      expect(await runsOf(id)).toEqual([]);
    });

    it('without a postponement if it stays the same', async () => {
      const id = await schedule();
      const due = await makeDue(id, -HOUR_MS / 2);
      const steps = { _params: { tasks: [{ ...tasks[0], _name: 'y' }] } };
      for (const change of [{ _description: 'x' }, { instant: false }, hourly, steps]) {
        const { body } = await put(id, change).expect(200);
        expect(body._orchschedule.next_scheduled_time).toBe(String(due));
      }
    });
  });

  describe('starts a run when it is due', () => {
    it('in its namespace, for its owner, once even after missed times, and continues from now', async () => {
      const id = await schedule({ ...hourly, _namespaces: ['tower_1', 'bridge_2'] });
      const etag = (await app.api.get(at(id)).set(owner)).headers.etag;
      await startDue();
      expect(await runsOf(id)).toEqual([]);
      const due = await startLate(id, 5.5 * HOUR_MS);
      await startDue();
      expect(await runsOf(id)).toMatchObject([
        { _status: 'QUEUED', _createdby: 'olga', _work: { namespace: 'tower_1', starterType: 'user', instant: false } },
      ]);
      expect(await dueAt(id)).toBe(due + 6 * HOUR_MS);
      expect((await app.api.get(at(id)).set(owner)).headers.etag).toBe(etag);
    });

    it('once, however many processes look for it', async () => {
      const ids = await Promise.all(Array.from({ length: 15 }, () => schedule()));
      const { deps, stop } = await app.startInstance();
      for (let round = 1; round <= 2; round++) {
        await Promise.all(ids.map((id) => makeDue(id)));
        await Promise.all([startDue(), startDue(deps), startDue(), startDue(deps)]);
        for (const id of ids) expect(await runsOf(id)).toHaveLength(1);
        await app.runs.deleteMany({});
      }
      await stop();
    });

    it.each([-10, 10])("by the database's clock, if that of a process is %d minutes ahead", async (minutes) => {
      const minute = { _class: 'SCHEDULED', _orchschedule: { cron: '* * * * *' } };
      const [due, later] = [await schedule(), await schedule()];
      const first = await withClock(minutes, () => schedule(minute));
      const times = [await makeDue(due), await makeDue(later, -5 * 60_000), await dueAt(first)];
      expect(Math.abs(times[2]! - Date.now())).toBeLessThan(2 * 60_000);
      await withClock(minutes, () => startDue());
      await startDue();
      expect([await runsOf(due), await runsOf(later)]).toMatchObject([[{}], []]);
      expect([await dueAt(due), await dueAt(later)]).toEqual([times[0]! + HOUR_MS, times[1]]);
      // The minute may have passed in the meantime.
      await app.runs.deleteMany({});
      await makeDue(first);
      await withClock(minutes, () => startDue());
      expect(Math.abs((await dueAt(first)) - Date.now())).toBeLessThan(2 * 60_000);
      expect(await runsOf(first)).toHaveLength(1);
    });

    it('once while its orchestrator is being changed', async () => {
      const id = await schedule();
      for (let round = 1; round <= 5; round++) {
        await makeDue(id);
        const changes = Array.from({ length: 4 }, (_, n) => put(id, { _description: `${n}` }).expect(200));
        await Promise.all([...changes, startDue()]);
        await startDue();
        expect(await runsOf(id)).toHaveLength(1);
        await app.runs.deleteMany({});
      }
    });

    it('in a worker, from which another takes over', async () => {
      const id = await schedule();
      const workers = [await app.startWorker(), await app.startWorker()];
      const isDone = async (count: number) =>
        expect((await runsOf(id)).map((run) => run._status)).toEqual(Array.from({ length: count }, () => 'COMPLETED'));
      const [late] = workers[0]!.jobs.gauges!;
      expect(await late!.read()).toBe(0);
      for (const [n, worker] of workers.entries()) {
        await makeDue(id);
        await eventually(() => isDone(n + 1));
        await worker.stop();
      }
    });

    it('and is late until then, also while attempts fail', async () => {
      const id = await schedule();
      const lateSec = () => app.deps.scheduler.lateSec();
      expect(await lateSec()).toBe(0);
      for (const exchange of ['token', 'inactive'] as const) {
        others.will({ put: 200, statuses: ['LOADED'], exchange: 'unavailable' });
        await makeDue(id, HOUR_MS);
        expect(await lateSec()).toBeGreaterThanOrEqual(3600);
        await startDue();
        expect(await lateSec()).toBeGreaterThanOrEqual(3600);
        others.will({ put: 200, statuses: ['LOADED'], exchange });
        await stored.updateMany({}, { $set: { '_schedule.tryAt': Date.now() } });
        await startDue();
        expect(await lateSec()).toBe(0);
      }
    });

    it('with the steps at that time', async () => {
      const id = await schedule();
      await makeDue(id);
      await put(id, { _params: { tasks: [{ ...tasks[0], _name: 'newer' }] } }).expect(200);
      await startDue();
      expect(await runsOf(id)).toMatchObject([{ orchrunsteps: [{ _name: 'newer' }] }]);
    });

    it('which ends as ERROR if a parameter is missing', async () => {
      const id = await schedule({ ...hourly, _params: { tasks: [step('wait')] } });
      await startLate(id);
      const { _id } = (await runsOf(id))[0]!;
      await app.processRuns();
      const _statusmsg = 'The parameters of the step are not valid. ms: is required';
      expect(await app.getRun(owner, _id)).toMatchObject({ _status: 'ERROR', orchrunsteps: [{ _statusmsg }] });
    });

    it('later when too many runs are queued, which it reports, without being late', async () => {
      // Others run it, too.
      const [busy, id] = [await schedule(), await schedule()];
      for (let n = 0; n < 20; n++) await app.run(owner, busy);
      const due = await startLate(id, HOUR_MS);
      expect(await runsOf(id)).toEqual([]);
      const full = 'Too many runs are queued in the namespace.';
      expect((await read(id))._orchschedule).toMatchObject({ next_scheduled_time: String(due), statusmsg: full });
      expect(await app.deps.scheduler.lateSec()).toBe(0);
      await app.runs.deleteMany({ _orchid: busy });
      await startDue();
      expect(await runsOf(id)).toEqual([]);
      await stored.updateOne({ _id: id }, { $set: { '_schedule.tryAt': Date.now() } });
      await startDue();
      expect(await runsOf(id)).toHaveLength(1);
      expect((await read(id))._orchschedule).not.toHaveProperty('statusmsg');
    });
  });

  describe('the owner of a schedule', () => {
    const isLeftOut = async (id: string, statusmsg: string) => {
      const next_scheduled_time = String((await startLate(id)) + HOUR_MS);
      expect(await runsOf(id)).toEqual([]);
      expect((await read(id))._orchschedule).toMatchObject({ next_scheduled_time, statusmsg });
    };

    it('needs RUN; otherwise nothing starts until it is granted again', async () => {
      const { name, headers } = await person(['*']);
      const id = await schedule(hourly, headers);
      await app.grants.revoke(name, 'tower_1');
      await isLeftOut(id, 'The owner of the schedule is not allowed to run the orchestrator.');
      await app.grants.allow(name, 'tower_1', `${IRN}:${id}`, ['RUN']);
      await startLate(id);
      expect(await runsOf(id)).toMatchObject([{ _createdby: name }]);
      expect((await read(id))._orchschedule).not.toHaveProperty('statusmsg');
    });

    it('may be a trusted client only if RUN was granted to it', async () => {
      const client = { _type: 'app' as const, _id: newId() };
      const headers = await app.as(client._id, 'trusted');
      expect((await post(hourly, headers).expect(403)).body.code).toBe('OWNER_MAY_NOT_RUN');
      const id = await schedule();
      await put(id, hourly, headers).expect(403);
      await put(id, { _description: 'harmless' }, headers).expect(200);
      await app.grants.allow(client, 'tower_1', `${IRN}:*`, ['RUN']);
      for (const its of [await schedule(hourly, headers), id]) {
        await put(its, hourly, headers).expect(200);
        await startLate(its);
        expect(await runsOf(its)).toMatchObject([{ _createdby: client._id, _work: { starterType: 'app' } }]);
        expect(others.exchanges.at(-1)).toMatchObject({ subject: client._id, subject_type: 'app' });
      }
    });

    it("must be active, even if the steps have a profile's permissions", async () => {
      const id = await schedule({ ...hourly, _permissionprofileid: others.profileIn('tower_1') });
      others.will({ put: 200, statuses: ['LOADED'], exchange: 'inactive' });
      await isLeftOut(id, 'The user or application that started this is no longer active.');
      expect(others.exchanges).toMatchObject([{ subject: 'olga', subject_type: 'user' }]);
    });

    it('is checked again later while passportsvc is unavailable', async () => {
      const id = await schedule();
      others.will({ put: 200, statuses: ['LOADED'], exchange: 'unavailable' });
      const next_scheduled_time = String(await startLate(id));
      const statusmsg = 'The run could not be started yet.';
      expect((await read(id))._orchschedule).toMatchObject({ next_scheduled_time, statusmsg });
      others.will({ put: 200, statuses: ['LOADED'] });
      await startLate(id);
      expect(await runsOf(id)).toHaveLength(1);
    });

    it("is the last user who changed what runs: nobody can run something with another's permissions", async () => {
      const editor = await person(['READ', 'EDIT']);
      const runner = await person(['READ', 'EDIT', 'RUN']);
      const id = await schedule();
      const steps = { _params: { tasks: [{ ...tasks[0], _actualparams: { ms: 2 } }] } };
      await put(id, { _description: 'harmless' }, editor.headers).expect(200);
      for (const change of [steps, { _orchschedule: { runinterval: '2 * *' } }, hourly])
        await put(id, change, editor.headers).expect(403);
      const starts = async (starter: string) => {
        await startLate(id);
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

  it("works in the namespace of the call that set it, which must be one of the orchestrator's", async () => {
    const id = await schedule({ ...hourly, _namespaces: ['tower_1', 'bridge_2'] });
    const namespace = async () => {
      await startLate(id);
      const [run] = await runsOf(id);
      await app.runs.deleteMany({});
      return run!._work.namespace;
    };
    await put(id, { _description: 'x' }, owner, 'bridge_2').expect(200);
    expect(await namespace()).toBe('tower_1');
    await put(id, { _orchschedule: { runinterval: '1 * *' } }, owner, 'bridge_2').expect(200);
    expect(await namespace()).toBe('bridge_2');
    await put(id, { _namespaces: ['tower_1'] }, owner, 'bridge_2').expect(400);
    await put(id, { _namespaces: ['tower_1'] }).expect(200);
    expect(await namespace()).toBe('tower_1');
  });
});
