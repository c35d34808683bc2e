import { afterAll, describe, expect, it } from '@jest/globals';
import { ORCHESTRATORS, startApp, step } from './start-app.js';

const tasks = [step('wait', { ms: 1 })];

const app = await startApp({ namespaces: ['tower_1', 'bridge_2'] });
const { owner } = app;
afterAll(() => app.stop());

describe('orchestrators', () => {
  const post = (body: object, namespace = 'tower_1') =>
    app.api.post(`${ORCHESTRATORS}?nsfilter=${namespace}`).set(owner).send(body);

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
          step('wait', undefined, 3),
        ],
      },
      _schemaversion: 2,
      unknownKey: 'is ignored',
    }).expect(200);
    const id = response.body.id as string;
    const shown = { id: expect.stringMatching(/^[0-9a-f]{24}$/), _orchid: id };
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
          ...shown,
          _compid: 'default_script_target',
          _orchcomp: 'default_script_target',
          _name: 'rest',
          _sequenceno: 1,
          _actualparams: '{"note":"ä \\"quoted\\""}',
        },
        {
          ...shown,
          _compid: 'load_graphics_files',
          _orchcomp: 'load_graphics_files',
          _name: 'load',
          _sequenceno: 2,
          _actualparams: '{"fileIds":["a"]}',
        },
        { ...shown, _compid: 'wait', _orchcomp: 'wait', _name: 'wait', _sequenceno: 3, _actualparams: '{}' },
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

  const withTasks = (...all: object[]) => ({ _params: { tasks: all } });
  it.each<[string, object, string]>([
    ['no name', { _name: undefined }, '_name'],
    ['an empty name', { _name: '' }, '_name'],
    ['no _params', { _params: undefined }, '_params'],
    ['no tasks', { _params: {} }, '_params.tasks'],
    ['a task without a component', withTasks({ _sequenceno: 1 }), '_params.tasks.0._orchcomp'],
    ['a task without a number', withTasks({ _orchcomp: 'wait' }), '_params.tasks.0._sequenceno'],
    ['tasks with the same number', withTasks(...tasks, step('wait', {}, 2), tasks[0]!), '_params.tasks.2._sequenceno'],
    ['an unknown component', withTasks(...tasks, step('fly', {}, 2)), '_params.tasks.1._orchcomp'],
    ['parameters that are not an object', withTasks(step('wait', [1])), '_params.tasks.0._actualparams'],
    ['a time limit of too few seconds', { _timeout: '* * 29' }, '_timeout'],
    ['an unknown class', { _class: 'SOMETIMES' }, '_class'],
    ['namespaces that are not an array', { _namespaces: 'tower_1' }, '_namespaces'],
  ])('rejects %s', async (_case, wrong, location) => {
    const response = await post({ _name: 'x', _params: { tasks }, ...wrong }).expect(400);
    expect(response.body.errors.map((error: { location: string }) => error.location)).toContain(`body.${location}`);
  });

  it('rejects a namespace of the call that is not listed', async () => {
    const foreign = await post({ _name: 'x', _params: { tasks }, _namespaces: ['bridge_2'] }).expect(400);
    expect(foreign.body.code).toBe('NAMESPACE_NOT_LISTED');
  });

  it('grants all actions on a new orchestrator to a creator with only CREATE', async () => {
    const maker = await app.as('max');
    await app.grants.allow('max', 'tower_1', 'datasourcesvc:orchestrator:*', ['CREATE']);
    const { id } = await app.create(maker, tasks);
    await app.api.get(`${ORCHESTRATORS}/${id}?nsfilter=tower_1`).set(maker).expect(200);
    await app.api.post(`${ORCHESTRATORS}/${id}/run?nsfilter=tower_1`).set(maker).expect(200);
  });
});
