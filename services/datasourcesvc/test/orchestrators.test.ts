import { afterAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { newId } from '@dtplatform/mongo';
import { ORCHESTRATORS, RUNS, startAppWithOthers, step } from './start-app.js';

const IRN = 'datasourcesvc:orchestrator';
const wait = step('wait', { ms: 1 });
const tasks = [wait];
const both = { _namespaces: ['tower_1', 'bridge_2'] };
const inTower = { _namespaces: ['tower_1'] };
const schedule = { _class: 'SCHEDULED', _orchschedule: { runinterval: '1 * *' } };
const SHARED = ['READ', 'EDIT', 'DELETE', 'RUN', 'SHARE'] as const;

const app = await startAppWithOthers({ namespaces: both._namespaces });
const { others, owner, person, post, start } = app;
afterAll(() => app.stop());

describe('an orchestrator', () => {
  let id: string;
  const at = (namespace = 'tower_1', of = id) => `${ORCHESTRATORS}/${of}?nsfilter=${namespace}`;
  const get = (headers = owner, namespace?: string) => app.api.get(at(namespace)).set(headers);
  const put = (body: object, headers = owner, namespace?: string) => app.put(id, body, headers, namespace);
  const remove = (headers = owner, namespace?: string) => app.api.delete(at(namespace)).set(headers);

  beforeEach(async () => {
    id = (await app.create(owner, [wait], { _description: 'before', _userType: 'kept', _timeout: '* 2 *' })).id;
  });

  describe('POST of an orchestrator', () => {
    it('creates it with its steps in the order of their sequence numbers', async () => {
      const load = { ...step('load_graphics_files', { fileIds: ['a'] }, 2), name: 'load' };
      const rest = { ...step('default_script_target', { note: 'ä "quoted"' }), _name: 'rest' };
      const { body } = await post({
        ...{ ...both, _timeout: '* 2 *', _schemaversion: 2, unknownKey: 'is ignored' },
        _params: { tasks: [load, rest, step('wait', undefined, 3)] },
      }).expect(200);
      expect(body).toMatchObject({ ...both, _timeout: '* 2 *', _class: 'NORMAL' });
      for (const name of ['_schemaversion', 'unknownKey']) expect(body).not.toHaveProperty(name);
      expect(body.orchsteps).toMatchObject([
        { _compid: 'default_script_target', _name: 'rest', _actualparams: '{"note":"ä \\"quoted\\""}' },
        { _compid: 'load_graphics_files', _name: 'load', _actualparams: '{"fileIds":["a"]}' },
        { _compid: 'wait', _name: 'wait', _actualparams: '{}', _sequenceno: 3, _orchid: body.id },
      ]);
      expect((await app.api.get(at('bridge_2', body.id)).set(owner).expect(200)).body).toEqual(body);
    });

    it('accepts instant and _instant as class INSTANT, and defaults _namespaces to the namespace of the call', async () => {
      const classOf = async (more: object) => (await post(more).expect(200)).body._class;
      for (const more of [{ instant: true }, { _instant: true }, { _class: 'INSTANT' }])
        expect(await classOf(more)).toBe('INSTANT');
      expect(await classOf({ instant: false })).toBe('NORMAL');
      expect((await post({}).expect(200)).body._namespaces).toEqual(['tower_1']);
    });

    it('rejects a name that is taken in any of the namespaces, also under concurrent requests', async () => {
      const _name = 'nightly';
      await post({ _name }).expect(200);
      await post({ _name }, owner, 'bridge_2').expect(200);
      expect((await post({ _name, ...both }).expect(400)).body.code).toBe('NAME_TAKEN');
      const responses = await Promise.all(Array.from({ length: 8 }, () => post({ _name: 'only one' })));
      expect(responses.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400, 400, 400, 400]);
    });

    it('rejects a namespace of the call that is not listed', async () => {
      expect((await post({ _namespaces: ['bridge_2'] }).expect(400)).body.code).toBe('NAMESPACE_NOT_LISTED');
    });

    it('grants all actions on it to a creator with only CREATE', async () => {
      const { headers } = await person(['CREATE']);
      const { id: made } = await app.create(headers, tasks);
      await app.api.get(at('tower_1', made)).set(headers).expect(200);
      await start(made, headers).expect(200);
    });
  });

  const withTasks = (...all: object[]) => ({ _params: { tasks: all } });
  it.each<[string, object, string]>([
    ['no _params', { _params: undefined }, '_params'],
    ['no steps', withTasks(), '_params.tasks'],
    ['steps with the same number', withTasks(wait, step('wait', {}, 2), wait), '_params.tasks.2._sequenceno'],
    ['an unknown component', withTasks(wait, step('fly', {}, 2)), '_params.tasks.1._orchcomp'],
    ['parameters that are not an object', withTasks(step('wait', [1])), '_params.tasks.0._actualparams'],
    ['a malformed time limit', { _timeout: '* 60 *' }, '_timeout'],
  ])('rejects %s, when it is created and when it is changed', async (_case, wrong, location) => {
    for (const request of [post(wrong), put(wrong)]) {
      const { errors } = (await request.expect(400)).body;
      expect(errors.map((error: { location: string }) => error.location)).toContain(`body.${location}`);
    }
    expect((await get().expect(200)).headers.etag).toBe('"0"');
  });

  describe('PUT of an orchestrator', () => {
    it('changes only the fields that are sent', async () => {
      const before = (await get().expect(200)).body;
      const { body, headers } = await put({ _description: 'after', unknownKey: 1 }).expect(200);
      expect(body).toEqual({ ...before, _description: 'after', _updatedat: expect.stringMatching(/^\d{13}$/) });
      expect(headers.etag).toBe('"1"');
      expect((await get().expect(200)).body).toEqual(body);
      const _name = `new ${id}`;
      const { body: renamed } = await put({ _name, instant: true, _timeout: null }).expect(200);
      expect(renamed).toMatchObject({ _name, _class: 'INSTANT', _description: 'after', _userType: 'kept' });
      expect(renamed).not.toHaveProperty('_timeout');
      expect((await put({ instant: false }).expect(200)).body._class).toBe('NORMAL');
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

    it('rejects a revision other than the expected one', async () => {
      const change = (ifMatch: string) => put({ _description: ifMatch }).set('if-match', ifMatch);
      await change('"1"').expect(412);
      await change('*').expect(200);
      const responses = await Promise.all(Array.from({ length: 5 }, () => change('"1"')));
      expect(responses.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412, 412]);
    });

    it('loses no field of concurrent changes', async () => {
      const changes = [{ _description: 'a' }, { _userType: 'b' }, { _timeout: '1 * *' }, { _class: 'INSTANT' }];
      await Promise.all(changes.map((change) => put(change).expect(200)));
      const { body, headers } = await get().expect(200);
      expect(body).toMatchObject(Object.assign({}, ...changes) as object);
      expect(headers.etag).toBe('"4"');
    });
  });

  describe('changing the namespaces of an orchestrator', () => {
    const sharer = async () => {
      const sharing = await person([...SHARED]);
      await app.grants.allow(sharing.name, 'bridge_2', `${IRN}:*`, ['CREATE']);
      return sharing;
    };

    it('requires CREATE in an added one and SHARE with all actions in another, and grants all actions in the added one', async () => {
      const { name, headers } = await person(['READ', 'EDIT', 'DELETE', 'RUN']);
      await app.grants.allow(name, 'bridge_2', `${IRN}:*`, ['CREATE']);
      await put(both, headers).expect(403);
      await app.grants.allow(name, 'tower_1', `${IRN}:${id}`, ['SHARE']);
      expect((await put(both, headers).expect(200)).body).toMatchObject(both);
      await start(id, headers, 'bridge_2').expect(200);
      const { headers: others } = await person([...SHARED]);
      await put({ _namespaces: [...both._namespaces, 'park_3'] }, others).expect(403);
    });

    it('ends a schedule that another user set in a removed one', async () => {
      const { name, headers } = await sharer();
      await put(both, headers).expect(200);
      await put(schedule, headers, 'bridge_2').expect(200);
      const { body } = await put(inTower).expect(200);
      expect(body._class).toBe('NORMAL');
      expect(body).not.toHaveProperty('_orchschedule');
      await put(both).expect(200);
      await app.grants.allow(name, 'bridge_2', `${IRN}:${id}`, ['*']);
      await put(schedule, headers, 'bridge_2').expect(200);
      expect((await put({ ...inTower, instant: true }).expect(200)).body._class).toBe('INSTANT');
    });

    it('grants nothing unless it succeeds', async () => {
      const { name, headers } = await sharer();
      const held = () => app.grants.grantsOf({ _type: 'user', _id: name }, 'bridge_2');
      const before = await held();
      const { _name } = (await post({}, owner, 'bridge_2').expect(200)).body;
      expect((await put({ ...both, _name }, headers).expect(400)).body.code).toBe('NAME_TAKEN');
      await put(both, headers).set('if-match', '"7"').expect(412);
      expect(await held()).toEqual(before);
    });

    it('requires DELETE in a removed one or in the home', async () => {
      await put(both).expect(200);
      const { name, headers } = await person(['READ', 'EDIT']);
      await put(inTower, headers).expect(403);
      await app.grants.allow(name, 'tower_1', `${IRN}:${id}`, ['DELETE']);
      await put(inTower, headers).expect(200);
      await get(owner, 'bridge_2').expect(404);
      const other = await sharer();
      await put(both, other.headers).expect(200);
      await app.grants.revoke(other.name, 'tower_1');
      await put({ _namespaces: ['bridge_2'] }, other.headers, 'bridge_2').expect(403);
      await put(inTower).expect(200);
      const { body } = await app.api.get(`${ORCHESTRATORS}?nsfilter=bridge_2`).set(owner).expect(200);
      expect(body._list).not.toContainEqual(expect.objectContaining({ id }));
    });
  });

  describe('a permission profile of an orchestrator', () => {
    const { profileIn } = others;

    it('requires ASSIGN on it', async () => {
      const profile = profileIn('tower_1', 'bridge_2');
      const { name, headers } = await person(['READ', 'EDIT']);
      await put({ _permissionprofileid: profile }, headers).expect(403);
      await app.grants.allow(name, 'tower_1', `passportsvc:permissionprofile:${profile}`, ['ASSIGN']);
      await put({ _permissionprofileid: profile }, headers).expect(200);
      expect((await get().expect(200)).body._permissionprofileid).toBe(profile);
    });

    it('cannot be used for other steps without ASSIGN, but can be removed', async () => {
      await put({ _permissionprofileid: profileIn('tower_1') }).expect(200);
      const { headers } = await person(['READ', 'EDIT', 'RUN']);
      await put({ _params: { tasks: [{ ...wait, _actualparams: { ms: 9 } }] } }, headers).expect(403);
      await put({ _params: { tasks: [wait] }, _description: 'the same steps' }, headers).expect(200);
      const { body } = await put({ _permissionprofileid: null }, headers).expect(200);
      expect(body).not.toHaveProperty('_permissionprofileid');
    });

    it('requires ASSIGN on it in all namespaces of a new orchestrator', async () => {
      const { name, headers } = await person(['CREATE']);
      await app.grants.allow(name, 'bridge_2', `${IRN}:*`, ['CREATE']);
      const _permissionprofileid = profileIn('tower_1', 'bridge_2');
      const create = (more: object = {}) => post({ _permissionprofileid, ...more }).set(headers);
      const allow = (namespace: string, ...actions: ('READ' | 'ASSIGN')[]) =>
        app.grants.allow(name, namespace, `passportsvc:permissionprofile:${_permissionprofileid}`, actions);
      await allow('tower_1', 'READ');
      await create().expect(403);
      await allow('tower_1', 'ASSIGN');
      expect((await create().expect(200)).body._permissionprofileid).toBe(_permissionprofileid);
      await create(both).expect(403);
      await allow('bridge_2', 'ASSIGN');
      await create(both).expect(200);
    });

    it('must exist and belong to all namespaces of the orchestrator', async () => {
      for (const _permissionprofileid of [newId(), profileIn('elsewhere_9'), profileIn()])
        for (const headers of [owner, await app.as('platform', 'trusted')]) {
          const { body } = await post({ _permissionprofileid }).set(headers).expect(400);
          expect(body.code).toBe('UNKNOWN_PROFILE');
        }
      const here = { _permissionprofileid: profileIn('tower_1') };
      await post({ ...here, ...both }).expect(400);
      await post({ _permissionprofileid: '../../scim/Users' }).expect(400);
      await put(here).expect(200);
      for (const change of [both, { _permissionprofileid: profileIn('bridge_2') }])
        expect((await put(change).expect(400)).body.code).toBe('UNKNOWN_PROFILE');
    });
  });

  describe('DELETE of an orchestrator', () => {
    it('leaves its runs, which continue', async () => {
      const run = await app.run(owner, id);
      await remove().expect(204);
      await get().expect(404);
      await remove().expect(404);
      await start(id).expect(404);
      expect(await app.getRun(owner, run.id)).toMatchObject({ _status: 'QUEUED', _orchid: id });
      await app.processRuns();
      expect((await app.getRun(owner, run.id))._status).toBe('COMPLETED');
      const other = await app.as('stan');
      await app.api.get(`${RUNS}/${run.id}?nsfilter=tower_1`).set(other).expect(404);
    });

    it('requires DELETE in its home to remove all of it', async () => {
      await put(both).expect(200);
      await remove(owner, 'elsewhere_9').expect(404);
      const { name, headers } = await person(['READ']);
      await remove(headers, 'bridge_2').expect(403);
      await app.grants.allow(name, 'tower_1', `${IRN}:${id}`, ['DELETE']);
      await remove(headers).expect(204);
      await get(owner, 'bridge_2').expect(404);
    });

    it('with DELETE in only one namespace removes it, and its schedule, from that one', async () => {
      const { name, headers } = await person(['READ']);
      await put(both).expect(200);
      await app.grants.allow(name, 'bridge_2', `${IRN}:${id}`, ['READ', 'EDIT', 'RUN', 'DELETE']);
      await put(schedule, headers, 'bridge_2').expect(200);
      await remove(headers, 'bridge_2').expect(204);
      await get(headers, 'bridge_2').expect(404);
      const { body } = await get().expect(200);
      expect(body).toMatchObject({ _class: 'NORMAL', ...inTower });
      expect(body).not.toHaveProperty('_orchschedule');
      await remove(headers).expect(403);
    });

    it('follows the home when it has moved', async () => {
      const { headers } = await person(['READ', 'DELETE']);
      const { orchestrators } = app.deps;
      const removeAsRead = orchestrators.remove.bind(orchestrators);
      const spy = jest.spyOn(orchestrators, 'remove').mockImplementation(async (...args) => {
        await put(both).expect(200);
        await put({ _namespaces: ['bridge_2'] }, owner, 'bridge_2').expect(200);
        await put(both, owner, 'bridge_2').expect(200);
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
