import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ORCHESTRATORS, startApp } from './start-app.js';
import type { TestApp } from './start-app.js';

const tasks = [{ _orchcomp: 'wait', _sequenceno: 1, _actualparams: { ms: 1 } }];

describe('orchestrators', () => {
  let app: TestApp;
  let owner: { authorization: string };
  const post = (body: object, namespace = 'tower_1') =>
    app.api.post(`${ORCHESTRATORS}?nsfilter=${namespace}`).set(owner).send(body);

  beforeAll(async () => {
    app = await startApp();
    owner = await app.as('olga');
    for (const namespace of ['tower_1', 'bridge_2']) await app.grants.allow('olga', namespace, '*:*:*', ['*']);
  });
  afterAll(() => app.stop());

  it('creates an orchestrator with its steps in the order of their sequence numbers', async () => {
    const response = await post({
      _name: 'import the model',
      _description: 'every night',
      _userType: 'import',
      _timeout: '* 2 *',
      _namespaces: ['tower_1', 'bridge_2'],
      _params: {
        tasks: [
          { _orchcomp: 'load_graphics_files', _sequenceno: 2, name: 'load', _actualparams: { fileIds: ['a'] } },
          { _orchcomp: 'default_script_target', _sequenceno: 1, _name: 'rest', _actualparams: { note: 'ä "quoted"' } },
          { _orchcomp: 'wait', _sequenceno: 3 },
        ],
      },
      _schemaversion: 2,
      unknownKey: 'is ignored',
    }).expect(200);
    const id = response.body.id as string;
    const step = { id: expect.stringMatching(/^[0-9a-f]{24}$/), _orchid: id };
    expect(response.body).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{24}$/),
      _name: 'import the model',
      _description: 'every night',
      _namespaces: ['tower_1', 'bridge_2'],
      _userType: 'import',
      _class: 'NORMAL',
      _timeout: '* 2 *',
      _createdby: 'olga',
      _updatedby: 'olga',
      _createdat: expect.stringMatching(/^\d{13}$/),
      _updatedat: response.body._createdat,
      orchsteps: [
        {
          ...step,
          _compid: 'default_script_target',
          _orchcomp: 'default_script_target',
          _name: 'rest',
          _sequenceno: 1,
          _actualparams: '{"note":"ä \\"quoted\\""}',
        },
        {
          ...step,
          _compid: 'load_graphics_files',
          _orchcomp: 'load_graphics_files',
          _name: 'load',
          _sequenceno: 2,
          _actualparams: '{"fileIds":["a"]}',
        },
        { ...step, _compid: 'wait', _orchcomp: 'wait', _name: 'wait', _sequenceno: 3, _actualparams: '{}' },
      ],
    });
    const read = await app.api.get(`${ORCHESTRATORS}/${id}?nsfilter=bridge_2`).set(owner).expect(200);
    expect(read.body).toEqual(response.body);
    expect(read.headers.etag).toBeDefined();
  });

  it('accepts instant and _instant as class INSTANT, and defaults _namespaces to the namespace of the call', async () => {
    const classOf = async (more: object) =>
      (await post({ _name: `class ${JSON.stringify(more)}`, _params: { tasks }, ...more }).expect(200)).body._class;
    expect(await classOf({ instant: true })).toBe('INSTANT');
    expect(await classOf({ _instant: true })).toBe('INSTANT');
    expect(await classOf({ _class: 'INSTANT' })).toBe('INSTANT');
    expect(await classOf({ instant: false })).toBe('NORMAL');
    const { body } = await post({ _name: 'at home', _params: { tasks } }).expect(200);
    expect(body._namespaces).toEqual(['tower_1']);
  });

  it('rejects a name that is taken in any of the namespaces, and allows it in others', async () => {
    const body = { _name: 'nightly', _params: { tasks } };
    await post({ ...body, _namespaces: ['tower_1'] }).expect(200);
    await post({ ...body, _namespaces: ['bridge_2'] }, 'bridge_2').expect(200);
    const both = await post({ ...body, _namespaces: ['tower_1', 'bridge_2'] }).expect(400);
    expect(both.body).toMatchObject({ status: 400, code: 'NAME_TAKEN' });
    await post(body).expect(400);
  });

  it('keeps a name unique under concurrent requests', async () => {
    const responses = await Promise.all(
      Array.from({ length: 8 }, () => post({ _name: 'only one', _params: { tasks } })),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400, 400, 400, 400]);
  });

  it.each<[string, object, string]>([
    ['no name', { _params: { tasks } }, 'body._name'],
    ['an empty name', { _name: '', _params: { tasks } }, 'body._name'],
    ['no _params', { _name: 'x' }, 'body._params'],
    ['no tasks', { _name: 'x', _params: {} }, 'body._params.tasks'],
    [
      'a task without a component',
      { _name: 'x', _params: { tasks: [{ _sequenceno: 1 }] } },
      'body._params.tasks.0._orchcomp',
    ],
    [
      'a task without a number',
      { _name: 'x', _params: { tasks: [{ _orchcomp: 'wait' }] } },
      'body._params.tasks.0._sequenceno',
    ],
    [
      'tasks with the same number',
      { _name: 'x', _params: { tasks: [...tasks, { ...tasks[0], _sequenceno: 2 }, tasks[0]] } },
      'body._params.tasks.2._sequenceno',
    ],
    [
      'an unknown component',
      { _name: 'x', _params: { tasks: [...tasks, { _orchcomp: 'fly', _sequenceno: 2 }] } },
      'body._params.tasks.1._orchcomp',
    ],
    [
      'parameters that are not an object',
      { _name: 'x', _params: { tasks: [{ ...tasks[0], _actualparams: [1] }] } },
      'body._params.tasks.0._actualparams',
    ],
    ['a time limit that sets nothing', { _name: 'x', _params: { tasks }, _timeout: '* * *' }, 'body._timeout'],
    ['a time limit of too few seconds', { _name: 'x', _params: { tasks }, _timeout: '* * 29' }, 'body._timeout'],
    ['an unknown class', { _name: 'x', _params: { tasks }, _class: 'SOMETIMES' }, 'body._class'],
    [
      'namespaces that are not an array',
      { _name: 'x', _params: { tasks }, _namespaces: 'tower_1' },
      'body._namespaces',
    ],
  ])('rejects %s', async (_case, body, location) => {
    const response = await post(body).expect(400);
    expect(response.body.errors.map((error: { location: string }) => error.location)).toContain(location);
  });

  it('rejects a namespace of the call that is not listed, and a body that is not an object', async () => {
    const foreign = await post({ _name: 'x', _params: { tasks }, _namespaces: ['bridge_2'] }).expect(400);
    expect(foreign.body.code).toBe('NAMESPACE_NOT_LISTED');
    await post([]).expect(400);
    await app.api
      .post(`${ORCHESTRATORS}?nsfilter=tower_1`)
      .set(owner)
      .set('content-type', 'application/json')
      .send('{')
      .expect(400);
  });

  describe('permissions', () => {
    it('grants all actions on a new orchestrator to a creator with only CREATE', async () => {
      const maker = await app.as('max');
      await app.grants.allow('max', 'tower_1', 'datasourcesvc:orchestrator:*', ['CREATE']);
      const { id } = await app.create(maker, tasks);
      await app.api.get(`${ORCHESTRATORS}/${id}?nsfilter=tower_1`).set(maker).expect(200);
      await app.api.post(`${ORCHESTRATORS}/${id}/run?nsfilter=tower_1`).set(maker).expect(200);
    });
  });
});
