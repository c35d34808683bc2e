import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '@dtplatform/mongo';
import { sendTwice } from '@dtplatform/testing';
import { ORCHESTRATORS } from './start-app.js';
import { HOUR_MS, hourly, startScheduledApp, tasks } from './start-scheduled-app.js';
import type { ScheduledApp } from './start-scheduled-app.js';

describe('a schedule', () => {
  let app: ScheduledApp;
  beforeAll(async () => {
    app = await startScheduledApp();
  });
  beforeEach(() => app.clear());
  afterAll(() => app.stop());

  describe('belongs to an orchestrator of class SCHEDULED', () => {
    it('and is shown with the next time', async () => {
      const before = Date.now();
      const { body } = await app.post(hourly).expect(200);
      expect(body).toMatchObject(hourly);
      expect(body._orchschedule).toEqual({
        runinterval: '1 * *',
        next_scheduled_time: expect.stringMatching(/^\d{13}$/),
      });
      const next = Number(body._orchschedule.next_scheduled_time);
      expect(next).toBeGreaterThanOrEqual(before + HOUR_MS);
      expect(next).toBeLessThanOrEqual(Date.now() + HOUR_MS);
      expect(await app.read(body.id)).toEqual(body);
      expect(body).not.toHaveProperty('_schedule');
      const list = (await app.api.get(`${ORCHESTRATORS}?nsfilter=tower_1`).set(app.owner).expect(200)).body._list;
      expect(list).toEqual([body]);
    });

    it('of which a time zone is part', async () => {
      const yearly = { cron: '30 9 1 7 *', timezone: 'Europe/Berlin' };
      const { _orchschedule } = await app.read(await app.schedule({ ...hourly, _orchschedule: yearly }));
      expect(_orchschedule).toMatchObject(yearly);
      const next = new Date(Number(_orchschedule.next_scheduled_time)).toISOString();
      expect(next.slice(4)).toBe('-07-01T07:30:00.000Z');
    });

    it('and to no other', async () => {
      const refused = async (body: object) => (await app.post(body).expect(400)).body.code;
      expect(await refused({ _class: 'SCHEDULED' })).toBe('SCHEDULE_MISSING');
      expect(await refused({ _class: 'SCHEDULED', _orchschedule: null })).toBe('SCHEDULE_MISSING');
      for (const more of [{ _class: 'NORMAL' }, { _class: undefined, instant: true }, { _class: undefined }])
        expect(await refused({ ...hourly, ...more })).toBe('SCHEDULE_NOT_ALLOWED');
    });

    it.each([
      [{ runinterval: '* * 10' }, 'body._orchschedule.runinterval'],
      [{ cron: '0 0 31 2 *' }, 'body._orchschedule.cron'],
      [{ cron: '0 2 * * *', timezone: 'Mars/Base' }, 'body._orchschedule.timezone'],
      [{ runinterval: '1 * *', cron: '0 2 * * *' }, 'body._orchschedule'],
      ['hourly', 'body._orchschedule'],
    ])('but not %j', async (_orchschedule, location) => {
      const { body } = await app.post({ ...hourly, _orchschedule }).expect(400);
      expect(body.errors.map((error: { location: string }) => error.location)).toContain(location);
    });

    it('which is created once with an idempotency key', async () => {
      const _name = 'once';
      await sendTwice(() => app.post({ ...hourly, _name }));
      expect(await app.stored.countDocuments({ _name })).toBe(1);
    });

    it('of which a namespace has at most 100', async () => {
      const { id } = (await app.post(hourly, app.owner, 'flood_3').expect(200)).body;
      const [one] = await app.stored.find({ _id: id }).toArray();
      await app.stored.insertMany(Array.from({ length: 97 }, (_, n) => ({ ...one, _id: newId(), _name: `copy ${n}` })));
      const replies = await Promise.all(Array.from({ length: 5 }, () => app.post(hourly, app.owner, 'flood_3')));
      expect(replies.map(({ status }) => status).sort()).toEqual([200, 200, 400, 400, 400]);
      expect(replies.find(({ status }) => status === 400)!.body.code).toBe('TOO_MANY_SCHEDULES');
      const other = (await app.post({}, app.owner, 'flood_3').expect(200)).body.id;
      await app.put(other, hourly, app.owner, 'flood_3').expect(400);
      await app.put(id, { _orchschedule: { runinterval: '2 * *' } }, app.owner, 'flood_3').expect(200);
      await app.api.delete(app.at(id, 'flood_3')).set(app.owner).expect(204);
      await app.put(other, hourly, app.owner, 'flood_3').expect(200);
    });
  });

  describe('is changed', () => {
    it('to another one, which begins now', async () => {
      const id = await app.schedule();
      await app.makeDue(id, -1000);
      const { body } = await app.put(id, { _orchschedule: { cron: '0 0 1 1 *' } }).expect(200);
      expect(body._orchschedule).toMatchObject({ cron: '0 0 1 1 *', timezone: 'UTC' });
      expect(body._orchschedule).not.toHaveProperty('runinterval');
      expect(new Date(Number(body._orchschedule.next_scheduled_time)).toISOString()).toMatch(/-01-01T00:00:00/);
    });

    it('with the class: it begins, and it ends', async () => {
      const id = await app.schedule({});
      expect((await app.put(id, { _class: 'SCHEDULED' }).expect(400)).body.code).toBe('SCHEDULE_MISSING');
      expect((await app.put(id, { _orchschedule: hourly._orchschedule }).expect(400)).body.code).toBe(
        'SCHEDULE_NOT_ALLOWED',
      );
      await app.put(id, hourly).expect(200);
      expect((await app.put(id, { _orchschedule: null }).expect(400)).body.code).toBe('SCHEDULE_MISSING');
      await app.makeDue(id);
      expect((await app.put(id, { _class: 'NORMAL', _orchschedule: null }).expect(200)).body).not.toHaveProperty(
        '_orchschedule',
      );
      await app.startDue();
      expect(await app.runsOf(id)).toEqual([]);
    });

    it('but not put off by other changes, or by the same one again', async () => {
      const id = await app.schedule();
      const due = await app.makeDue(id, -HOUR_MS / 2);
      for (const change of [
        { _description: 'x' },
        { instant: false },
        hourly,
        { _params: { tasks: [{ ...tasks[0], _name: 'y' }] } },
      ]) {
        const { body } = await app.put(id, change).expect(200);
        expect(body._orchschedule.next_scheduled_time).toBe(String(due));
      }
    });
  });
});
