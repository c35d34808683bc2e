import { afterAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { newId } from '@dtplatform/mongo';
import { ORCHESTRATORS, RUNS, startAppWithOthers, step } from './start-app.js';
import type { TestApp } from './start-app.js';

const IRN = 'datasourcesvc:orchestrator';
const wait = step('wait', { ms: 1 });
const nothing = { _params: {} };
const SHARED = ['READ', 'EDIT', 'DELETE', 'RUN', 'SHARE'] as const;

const app = await startAppWithOthers({ namespaces: ['tower_1', 'bridge_2'] });
const { others, owner } = app;
afterAll(() => app.stop());

describe('an orchestrator', () => {
  let id: string;
  const at = (namespace = 'tower_1', of = id) => `${ORCHESTRATORS}/${of}?nsfilter=${namespace}`;
  const get = (headers = owner, namespace?: string) => app.api.get(at(namespace)).set(headers);
  const put = (body: object, headers = owner, namespace?: string) => app.api.put(at(namespace)).set(headers).send(body);
  const remove = (headers = owner, namespace?: string) => app.api.delete(at(namespace)).set(headers);
  const personWith = async (actions: Parameters<TestApp['grants']['allow']>[3], irn = `${IRN}:${id}`) => {
    const person = newId();
    await app.grants.allow(person, 'tower_1', irn, actions);
    return { person, headers: await app.as(person) };
  };

  beforeEach(async () => {
    id = (await app.create(owner, [wait], { _description: 'before', _userType: 'kept', _timeout: '* 2 *' })).id;
  });

  describe('PUT of an orchestrator', () => {
    it('changes only the fields that are sent', async () => {
      const before = (await get().expect(200)).body;
      const { body, headers } = await put({ ...nothing, _description: 'after', unknownKey: 1 }).expect(200);
      const _updatedat = expect.stringMatching(/^\d{13}$/);
      expect(body).toEqual({ ...before, _description: 'after', _updatedat });
      expect(headers.etag).toBe('"1"');
      expect((await get().expect(200)).body).toEqual(body);
      const changes = { ...nothing, _name: `new ${id}`, instant: true, _timeout: null };
      const { body: renamed } = await put(changes).expect(200);
      expect(renamed).toMatchObject({
        _name: `new ${id}`,
        _class: 'INSTANT',
        _description: 'after',
        _userType: 'kept',
      });
      expect(renamed).not.toHaveProperty('_timeout');
      expect((await put({ ...nothing, instant: false }).expect(200)).body._class).toBe('NORMAL');
    });

    it('keeps the ids of unchanged steps', async () => {
      const before = (await get().expect(200)).body.orchsteps;
      const same = await put({ _params: { tasks: [{ ...wait, _name: 'wait' }] } }).expect(200);
      expect(same.body.orchsteps).toEqual(before);
      const tasks = [
        { ...wait, _sequenceno: 7, name: 'second' },
        { ...wait, _actualparams: { ms: 3 } },
      ];
      const { orchsteps } = (await put({ _params: { tasks } }).expect(200)).body;
      expect(orchsteps).toMatchObject([
        { _sequenceno: 1, _name: 'wait', _actualparams: '{"ms":3}', _orchid: id },
        { _sequenceno: 7, _name: 'second', _actualparams: '{"ms":1}', _orchid: id },
      ]);
      const run = await app.run(owner, id);
      expect(run.orchrunsteps.map(({ orchstepid }: { orchstepid: string }) => orchstepid)).toEqual(
        orchsteps.map((step: { id: string }) => step.id),
      );
    });

    it.each<[string, object, string]>([
      ['no _params', {}, 'body._params'],
      ['no tasks at all', { _params: { tasks: [] } }, 'body._params.tasks'],
      ['an unknown component', { _params: { tasks: [step('fly')] } }, 'body._params.tasks.0._orchcomp'],
      ['an empty name', { ...nothing, _name: '' }, 'body._name'],
      ['a malformed time limit', { ...nothing, _timeout: '* 60 *' }, 'body._timeout'],
      ['no namespaces', { ...nothing, _namespaces: [] }, 'body._namespaces'],
    ])('rejects %s', async (_case, body, location) => {
      const response = await put(body).expect(400);
      expect(response.body.errors.map((error: { location: string }) => error.location)).toContain(location);
      expect((await get().expect(200)).headers.etag).toBe('"0"');
    });

    it('rejects another revision than the expected one', async () => {
      const change = (ifMatch: string) => put({ ...nothing, _description: ifMatch }).set('if-match', ifMatch);
      await change('"1"').expect(412);
      expect((await change('"0"').expect(200)).headers.etag).toBe('"1"');
      await change('"0"').expect(412);
      await change('*').expect(200);
      const responses = await Promise.all(Array.from({ length: 8 }, () => change('"2"')));
      expect(responses.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412, 412, 412, 412, 412]);
    });

    it('loses no field of concurrent changes', async () => {
      const changes = [{ _description: 'a' }, { _userType: 'b' }, { _timeout: '1 * *' }, { _class: 'INSTANT' }];
      await Promise.all(changes.map((change) => put({ ...nothing, ...change }).expect(200)));
      const { body, headers } = await get().expect(200);
      expect(body).toMatchObject(Object.assign({}, ...changes) as object);
      expect(headers.etag).toBe('"4"');
    });
  });

  describe('adding namespaces to an orchestrator', () => {
    const both = { ...nothing, _namespaces: ['tower_1', 'bridge_2'] };

    it('requires CREATE there and sharing all of it here, and grants the caller everything there', async () => {
      const { person, headers } = await personWith(['READ', 'EDIT', 'DELETE', 'RUN']);
      await app.grants.allow(person, 'bridge_2', `${IRN}:*`, ['CREATE']);
      await put(both, headers).expect(403);
      await app.grants.allow(person, 'tower_1', `${IRN}:${id}`, ['SHARE']);
      expect((await put(both, headers).expect(200)).body._namespaces).toEqual(['tower_1', 'bridge_2']);
      await app.api.post(`${ORCHESTRATORS}/${id}/run?nsfilter=bridge_2`).set(headers).expect(200);
      const sharer = await personWith([...SHARED]);
      await put({ ...nothing, _namespaces: ['tower_1', 'bridge_2', 'park_3'] }, sharer.headers).expect(403);
    });

    it('lets holders of DELETE in its home remove it from them', async () => {
      const { person, headers } = await personWith([...SHARED]);
      await app.grants.allow(person, 'bridge_2', `${IRN}:*`, ['CREATE']);
      await put(both, headers).expect(200);
      await app.grants.revoke(person, 'tower_1');
      await put({ ...nothing, _namespaces: ['bridge_2'] }, headers, 'bridge_2').expect(403);
      const own = await personWith(['READ', 'EDIT', 'DELETE']);
      await put({ ...nothing, _namespaces: ['tower_1'] }, own.headers).expect(200);
      await get(headers, 'bridge_2').expect(404);
    });

    it('ends a schedule that others set there', async () => {
      const { person, headers } = await personWith([...SHARED]);
      await app.grants.allow(person, 'bridge_2', `${IRN}:*`, ['CREATE']);
      await put(both, headers).expect(200);
      const schedule = { ...nothing, _class: 'SCHEDULED', _orchschedule: { runinterval: '1 * *' } };
      await put(schedule, headers, 'bridge_2').expect(200);
      const { body } = await put({ ...nothing, _namespaces: ['tower_1'] }).expect(200);
      expect(body._class).toBe('NORMAL');
      expect(body).not.toHaveProperty('_orchschedule');
      await put(both).expect(200);
      await app.grants.allow(person, 'bridge_2', `${IRN}:${id}`, ['*']);
      await put(schedule, headers, 'bridge_2').expect(200);
      const instant = await put({ ...nothing, instant: true, _namespaces: ['tower_1'] }).expect(200);
      expect(instant.body._class).toBe('INSTANT');
    });

    it('grants nothing there unless it succeeds', async () => {
      const { person, headers } = await personWith([...SHARED]);
      await app.grants.allow(person, 'bridge_2', `${IRN}:*`, ['CREATE']);
      const held = () => app.grants.grantsOf({ _type: 'user', _id: person }, 'bridge_2');
      const before = await held();
      const body = { _name: `taken ${id}`, _params: { tasks: [wait] } };
      await app.api.post(`${ORCHESTRATORS}?nsfilter=bridge_2`).set(owner).send(body).expect(200);
      expect((await put({ ...both, _name: body._name }, headers).expect(400)).body.code).toBe('NAME_TAKEN');
      await put(both, headers).set('if-match', '"7"').expect(412);
      expect(await held()).toEqual(before);
    });

    it('and removing it from them requires DELETE there', async () => {
      await put(both).expect(200);
      const { headers } = await personWith(['READ', 'EDIT']);
      await put({ ...nothing, _namespaces: ['tower_1'] }, headers).expect(403);
      await put({ ...nothing, _namespaces: ['tower_1'] }).expect(200);
      await get((await personWith(['READ'], '*:*:*')).headers, 'bridge_2').expect(404);
      await get(owner, 'bridge_2').expect(404);
      expect(
        (await app.api.get(`${ORCHESTRATORS}?nsfilter=bridge_2`).set(owner).expect(200)).body._list,
      ).not.toContainEqual(expect.objectContaining({ id }));
    });
  });

  describe('a permission profile of an orchestrator', () => {
    const profileIn = (...namespaces: string[]) => {
      const profile = newId();
      others.profiles.set(profile, namespaces);
      return profile;
    };
    const profileOf = async () => (await get().expect(200)).body._permissionprofileid;

    it('requires ASSIGN on it, and must belong to all namespaces', async () => {
      const profile = profileIn('tower_1', 'bridge_2');
      const { person, headers } = await personWith(['READ', 'EDIT']);
      await put({ ...nothing, _permissionprofileid: profile }, headers).expect(403);
      await app.grants.allow(person, 'tower_1', `passportsvc:permissionprofile:${profile}`, ['ASSIGN']);
      await put({ ...nothing, _permissionprofileid: profile }, headers).expect(200);
      const foreign = await put({ ...nothing, _permissionprofileid: profileIn('bridge_2') }).expect(400);
      expect(foreign.body.code).toBe('UNKNOWN_PROFILE');
      expect(await profileOf()).toBe(profile);
      await put({ ...nothing, _permissionprofileid: null }).expect(200);
      expect(await profileOf()).toBeUndefined();
    });

    it('cannot be used for other steps without ASSIGN, but can be removed', async () => {
      await put({ ...nothing, _permissionprofileid: profileIn('tower_1') }).expect(200);
      const { headers } = await personWith(['READ', 'EDIT', 'RUN']);
      await put({ _params: { tasks: [{ ...wait, _actualparams: { ms: 9 } }] } }, headers).expect(403);
      await put({ _params: { tasks: [wait] }, _description: 'the same steps' }, headers).expect(200);
      await put({ ...nothing, _permissionprofileid: null }, headers).expect(200);
    });

    it('must belong to the namespaces that the orchestrator enters', async () => {
      await put({ ...nothing, _permissionprofileid: profileIn('tower_1') }).expect(200);
      const response = await put({ ...nothing, _namespaces: ['tower_1', 'bridge_2'] }).expect(400);
      expect(response.body.code).toBe('UNKNOWN_PROFILE');
    });
  });

  describe('DELETE of an orchestrator', () => {
    it('leaves its runs, which continue', async () => {
      const run = await app.run(owner, id);
      await remove().expect(204);
      await get().expect(404);
      await remove().expect(404);
      await app.api.post(`${ORCHESTRATORS}/${id}/run?nsfilter=tower_1`).set(owner).expect(404);
      expect(await app.getRun(owner, run.id)).toMatchObject({ _status: 'QUEUED', _orchid: id });
      await app.processRuns();
      expect((await app.getRun(owner, run.id))._status).toBe('COMPLETED');
      const other = await app.as('stan');
      await app.api.get(`${RUNS}/${run.id}?nsfilter=tower_1`).set(other).expect(404);
    });

    it('requires DELETE in its home to remove all of it', async () => {
      await put({ ...nothing, _namespaces: ['tower_1', 'bridge_2'] }).expect(200);
      await remove(await app.as('nobody')).expect(404);
      await remove(owner, 'elsewhere_9').expect(404);
      await remove((await personWith(['READ', 'EDIT', 'RUN'])).headers).expect(403);
      const { person, headers } = await personWith(['READ']);
      await remove(headers, 'bridge_2').expect(403);
      await app.grants.allow(person, 'tower_1', `${IRN}:${id}`, ['DELETE']);
      await remove(headers).expect(204);
      await get(owner, 'bridge_2').expect(404);
    });

    it('with DELETE in one namespace alone removes it from there, with the schedule there', async () => {
      const { person, headers } = await personWith(['READ']);
      const schedule = { _class: 'SCHEDULED', _orchschedule: { runinterval: '1 * *' } };

      await put({ ...nothing, _namespaces: ['tower_1', 'bridge_2'] }).expect(200);
      await app.grants.allow(person, 'bridge_2', `${IRN}:${id}`, ['READ', 'EDIT', 'RUN', 'DELETE']);
      await put({ ...nothing, ...schedule }, headers, 'bridge_2').expect(200);
      await remove(headers, 'bridge_2').expect(204);
      await get(headers, 'bridge_2').expect(404);
      const { body } = await get().expect(200);
      expect(body).toMatchObject({ _class: 'NORMAL', _namespaces: ['tower_1'] });
      expect(body).not.toHaveProperty('_orchschedule');
      await remove(headers).expect(403);
    });

    it('follows the home when it has moved', async () => {
      const { headers } = await personWith(['READ', 'DELETE']);
      const { orchestrators } = app.deps;
      const removeAsRead = orchestrators.remove.bind(orchestrators);
      const spy = jest.spyOn(orchestrators, 'remove').mockImplementation(async (...args) => {
        await put({ ...nothing, _namespaces: ['tower_1', 'bridge_2'] }).expect(200);
        await put({ ...nothing, _namespaces: ['bridge_2'] }, owner, 'bridge_2').expect(200);
        await put({ ...nothing, _namespaces: ['tower_1', 'bridge_2'] }, owner, 'bridge_2').expect(200);
        return removeAsRead(...args);
      });
      await remove(headers).expect(204);
      spy.mockRestore();
      expect((await get(owner, 'bridge_2').expect(200)).body._namespaces).toEqual(['bridge_2']);
    });

    it('requires the expected revision, and frees its name', async () => {
      const { _name } = (await get().expect(200)).body;
      await remove().set('if-match', '"1"').expect(412);
      const responses = await Promise.all(Array.from({ length: 5 }, () => remove().set('if-match', '"0"')));
      expect(responses.map(({ status }) => status).sort()).toEqual([204, 404, 404, 404, 404]);
      await app.create(owner, [wait], { _name });
    });
  });
});
