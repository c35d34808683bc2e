import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '@dtplatform/mongo';
import { eventually } from '@dtplatform/testing';
import { RUNS, step } from './start-app.js';
import { HOUR_MS, hourly, IRN, startScheduledApp, tasks } from './start-scheduled-app.js';

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

const app = await startScheduledApp();
afterAll(() => app.stop());

describe('a schedule', () => {
  beforeEach(() => app.clear());

  const dueAt = async (id: string) => Number((await app.read(id))._orchschedule.next_scheduled_time);

  describe('starts a run when it is due', () => {
    it('in its namespace, for its owner, once', async () => {
      const id = await app.schedule({ ...hourly, _namespaces: ['tower_1', 'bridge_2'] });
      const etag = (await app.api.get(app.at(id)).set(app.owner)).headers.etag;
      await app.startDue();
      expect(await app.runsOf(id)).toEqual([]);
      const due = await app.makeDue(id);
      await app.startDue();
      await app.startDue();
      expect(await app.runsOf(id)).toMatchObject([
        { _status: 'QUEUED', _createdby: 'olga', _work: { namespace: 'tower_1', starterType: 'user', instant: false } },
      ]);
      expect((await app.read(id))._orchschedule.next_scheduled_time).toBe(String(due + HOUR_MS));
      expect((await app.api.get(app.at(id)).set(app.owner)).headers.etag).toBe(etag);
    });

    it('once after missed times, and continues from now', async () => {
      const id = await app.schedule();
      const due = await app.makeDue(id, 5.5 * HOUR_MS);
      await app.startDue();
      expect(await app.runsOf(id)).toHaveLength(1);
      expect((await app.read(id))._orchschedule.next_scheduled_time).toBe(String(due + 6 * HOUR_MS));
    });

    it('once, however many processes look for it', async () => {
      const ids = await Promise.all(Array.from({ length: 15 }, () => app.schedule()));
      const { deps, stop } = await app.startInstance();
      for (let round = 1; round <= 2; round++) {
        await Promise.all(ids.map((id) => app.makeDue(id)));
        await Promise.all([app.startDue(), app.startDue(deps), app.startDue(), app.startDue(deps)]);
        for (const id of ids) expect(await app.runsOf(id)).toHaveLength(1);
        await app.runs.deleteMany({});
      }
      await stop();
    });

    it.each([-10, 10])("by the database's clock, if that of a process is %d minutes ahead", async (minutes) => {
      const minute = { _class: 'SCHEDULED', _orchschedule: { cron: '* * * * *' } };
      const [due, later, first] = [
        await app.schedule(),
        await app.schedule(),
        await withClock(minutes, () => app.schedule(minute)),
      ];
      const times = [await app.makeDue(due), await app.makeDue(later, -5 * 60_000), await dueAt(first)];
      expect(Math.abs(times[2]! - Date.now())).toBeLessThan(2 * 60_000);
      await withClock(minutes, () => app.startDue());
      await app.startDue();
      expect([await app.runsOf(due), await app.runsOf(later)]).toMatchObject([[{}], []]);
      expect([await dueAt(due), await dueAt(later)]).toEqual([times[0]! + HOUR_MS, times[1]]);
      await app.makeDue(first);
      await withClock(minutes, () => app.startDue());
      expect(Math.abs((await dueAt(first)) - Date.now())).toBeLessThan(2 * 60_000);
      expect(await app.runsOf(first)).toHaveLength(1);
    });

    it('once while its orchestrator is being changed', async () => {
      const id = await app.schedule();
      for (let round = 1; round <= 5; round++) {
        await app.makeDue(id);
        const changes = Array.from({ length: 4 }, (_, n) => app.put(id, { _description: `${n}` }).expect(200));
        await Promise.all([...changes, app.startDue()]);
        await app.startDue();
        expect(await app.runsOf(id)).toHaveLength(1);
        await app.runs.deleteMany({});
      }
    });

    it('in a worker, from which another takes over', async () => {
      const id = await app.schedule();
      const workers = [await app.startWorker(), await app.startWorker()];
      const isDone = async (count: number) =>
        expect((await app.runsOf(id)).map((run) => run._status)).toEqual(
          Array.from({ length: count }, () => 'COMPLETED'),
        );
      const [late] = workers[0]!.jobs.gauges!;
      expect(await late!.read()).toBe(0);
      await app.makeDue(id);
      await eventually(() => isDone(1));
      await workers[0]!.stop();
      await app.makeDue(id);
      await eventually(() => isDone(2));
      await workers[1]!.stop();
    });

    it('and is late until then, also while attempts fail', async () => {
      const id = await app.schedule();
      const lateSec = () => app.deps.scheduler.lateSec();
      expect(await lateSec()).toBe(0);
      for (const exchange of ['token', 'inactive'] as const) {
        app.others.will({ put: 200, statuses: ['LOADED'], exchange: 'unavailable' });
        await app.makeDue(id, HOUR_MS);
        expect(await lateSec()).toBeGreaterThanOrEqual(3600);
        await app.startDue();
        expect(await lateSec()).toBeGreaterThanOrEqual(3600);
        app.others.will({ put: 200, statuses: ['LOADED'], exchange });
        await app.stored.updateMany({}, { $set: { '_schedule.tryAt': Date.now() } });
        await app.startDue();
        expect(await lateSec()).toBe(0);
      }
    });

    it('with the steps at that time', async () => {
      const id = await app.schedule();
      await app.makeDue(id);
      await app.put(id, { _params: { tasks: [{ ...tasks[0], _name: 'newer' }] } }).expect(200);
      await app.startDue();
      expect(await app.runsOf(id)).toMatchObject([{ orchrunsteps: [{ _name: 'newer' }] }]);
    });

    it('which ends as ERROR if a parameter is missing', async () => {
      const id = await app.schedule({ ...hourly, _params: { tasks: [step('wait')] } });
      await app.makeDue(id);
      await app.startDue();
      const { _id } = (await app.runsOf(id))[0]!;
      await app.processRuns();
      const _statusmsg = 'The parameters of the step are not valid. ms: is required';
      expect(await app.getRun(app.owner, _id)).toMatchObject({ _status: 'ERROR', orchrunsteps: [{ _statusmsg }] });
    });

    it('later when too many runs are queued: reports that meanwhile, and is not late', async () => {
      const [busy, id] = [await app.schedule({}), await app.schedule()];
      for (let n = 0; n < 20; n++) await app.run(app.owner, busy);
      const due = await app.makeDue(id, HOUR_MS);
      await app.startDue();
      expect(await app.runsOf(id)).toEqual([]);
      const full = 'Too many runs are queued in the namespace.';
      expect((await app.read(id))._orchschedule).toMatchObject({ next_scheduled_time: String(due), statusmsg: full });
      expect(await app.deps.scheduler.lateSec()).toBe(0);
      await app.runs.deleteMany({ _orchid: busy });
      await app.startDue();
      expect(await app.runsOf(id)).toEqual([]);
      await app.stored.updateOne({ _id: id }, { $set: { '_schedule.tryAt': Date.now() } });
      await app.startDue();
      expect(await app.runsOf(id)).toHaveLength(1);
      expect((await app.read(id))._orchschedule).not.toHaveProperty('statusmsg');
    });

    it('unless its orchestrator was deleted', async () => {
      const id = await app.schedule();
      await app.makeDue(id);
      await app.api.delete(app.at(id)).set(app.owner).expect(204);
      await app.startDue();
      expect(await app.runsOf(id)).toEqual([]);
    });
  });

  describe('the owner of a schedule', () => {
    const statusOf = async (id: string) => (await app.read(id))._orchschedule.statusmsg as string | undefined;
    const isLeftOut = async (id: string, statusmsg: string) => {
      const due = await app.makeDue(id);
      await app.startDue();
      expect(await app.runsOf(id)).toEqual([]);
      expect((await app.read(id))._orchschedule).toMatchObject({
        next_scheduled_time: String(due + HOUR_MS),
        statusmsg,
      });
    };

    it('needs RUN, without which nothing starts until it is granted again', async () => {
      const { name, headers } = await app.person(['*']);
      const id = await app.schedule(hourly, headers);
      await app.grants.revoke(name, 'tower_1');
      await isLeftOut(id, 'The owner of the schedule is not allowed to run the orchestrator.');
      await app.grants.allow(name, 'tower_1', `${IRN}:${id}`, ['RUN']);
      await app.makeDue(id);
      await app.startDue();
      expect(await app.runsOf(id)).toMatchObject([{ _createdby: name }]);
      expect(await statusOf(id)).toBeUndefined();
    });

    it('may be an application', async () => {
      const application = { _type: 'app' as const, _id: newId() };
      await app.grants.allow(application, 'tower_1', `${IRN}:*`, ['*']);
      const id = await app.schedule(hourly, await app.as(application._id, 'app'));
      await app.makeDue(id);
      await app.startDue();
      expect(await app.runsOf(id)).toMatchObject([{ _createdby: application._id, _work: { starterType: 'app' } }]);
      expect(app.others.exchanges).toMatchObject([{ subject: application._id, subject_type: 'app' }]);
    });

    it('may be a trusted client only if RUN was granted to it', async () => {
      const client = { _type: 'app' as const, _id: newId() };
      const headers = await app.as(client._id, 'trusted');
      expect((await app.post(hourly, headers).expect(403)).body.code).toBe('OWNER_MAY_NOT_RUN');
      const id = await app.schedule();
      await app.put(id, hourly, headers).expect(403);
      await app.put(id, { _description: 'harmless' }, headers).expect(200);
      await app.grants.allow(client, 'tower_1', `${IRN}:*`, ['RUN']);
      for (const its of [await app.schedule(hourly, headers), id]) {
        await app.put(its, hourly, headers).expect(200);
        await app.makeDue(its);
        await app.startDue();
        expect(await app.runsOf(its)).toMatchObject([{ _createdby: client._id }]);
      }
    });

    it("must be active, even if the steps have a profile's permissions", async () => {
      const profile = newId();
      app.others.profiles.set(profile, ['tower_1']);
      const id = await app.schedule({ ...hourly, _permissionprofileid: profile });
      app.others.will({ put: 200, statuses: ['LOADED'], exchange: 'inactive' });
      await isLeftOut(id, 'The user or application that started this is no longer active.');
      expect(app.others.exchanges).toMatchObject([{ subject: 'olga', subject_type: 'user' }]);
    });

    it('is checked again later while passportsvc is unavailable', async () => {
      const id = await app.schedule();
      app.others.will({ put: 200, statuses: ['LOADED'], exchange: 'unavailable' });
      const due = await app.makeDue(id);
      await app.startDue();
      const { _orchschedule } = await app.read(id);
      expect(_orchschedule).toMatchObject({
        next_scheduled_time: String(due),
        statusmsg: 'The run could not be started yet.',
      });
      app.others.will({ put: 200, statuses: ['LOADED'] });
      await app.makeDue(id);
      await app.startDue();
      expect(await app.runsOf(id)).toHaveLength(1);
    });

    it("is the last user who changed what runs: nobody can run something with another's permissions", async () => {
      const editor = await app.person(['READ', 'EDIT']);
      const runner = await app.person(['READ', 'EDIT', 'RUN']);
      const id = await app.schedule();
      const steps = { _params: { tasks: [{ ...tasks[0], _actualparams: { ms: 2 } }] } };
      await app.put(id, { _description: 'harmless' }, editor.headers).expect(200);
      for (const change of [steps, { _orchschedule: { runinterval: '2 * *' } }, hourly])
        await app.put(id, change, editor.headers).expect(403);
      const starts = async (starter: string) => {
        await app.makeDue(id);
        await app.startDue();
        expect(await app.runsOf(id)).toMatchObject([{ _createdby: starter }]);
        await app.runs.deleteMany({});
      };
      await starts('olga');
      await app.put(id, steps, runner.headers).expect(200);
      await starts(runner.name);
      await app.put(id, hourly).expect(200);
      await starts('olga');
    });
  });

  it('works in the namespace of the call that set it, which the orchestrator must have', async () => {
    const id = await app.schedule({ ...hourly, _namespaces: ['tower_1', 'bridge_2'] });
    const namespace = async () => {
      await app.makeDue(id);
      await app.startDue();
      const [run] = await app.runsOf(id);
      await app.runs.deleteMany({});
      return run!._work.namespace;
    };
    await app.put(id, { _description: 'x' }, app.owner, 'bridge_2').expect(200);
    expect(await namespace()).toBe('tower_1');
    await app.put(id, { _orchschedule: { runinterval: '1 * *' } }, app.owner, 'bridge_2').expect(200);
    expect(await namespace()).toBe('bridge_2');
    await app.put(id, { _namespaces: ['tower_1'] }, app.owner, 'bridge_2').expect(400);
    await app.put(id, { _namespaces: ['tower_1'] }).expect(200);
    expect(await namespace()).toBe('tower_1');
  });

  it('does not keep other callers from running the orchestrator', async () => {
    const run = await app.run(app.owner, await app.schedule());
    expect(run._status).toBe('QUEUED');
    await app.api.delete(`${RUNS}/${run.id}?nsfilter=tower_1`).set(app.owner).expect(204);
  });
});
