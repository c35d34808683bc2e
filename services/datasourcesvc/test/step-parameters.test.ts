import { afterAll, describe, expect, it } from '@jest/globals';
import { RUNS, startAppWithOthers, step } from './start-app.js';

const app = await startAppWithOthers({ namespaces: ['tower_1'] });
const { owner } = app;
afterAll(() => app.stop());

describe('parameters of steps', () => {
  const waitFor = (n: number, params?: object) => step('wait', params, n);
  const create = (tasks: object[]) => app.post({ _params: { tasks } });
  const start = (of: string, _actualparams: object[] = []) => app.start(of).send({ _actualparams });

  it('are rejected with the orchestrator, each with its place in the body', async () => {
    const tasks = [waitFor(1, { ms: 1 }), waitFor(2, { ms: 'long' }), waitFor(3, { ms: -1 })];
    const { body } = await create(tasks).expect(400);
    expect(body).toMatchObject({
      code: 'BAD_STEP_PARAMETERS',
      errors: [
        { location: 'body._params.tasks.1._actualparams.ms', message: 'must be a number' },
        { location: 'body._params.tasks.2._actualparams.ms', message: 'must be at least 0' },
      ],
    });
  });

  it('may be left to a run, which must supply them', async () => {
    const { id: made } = (await create([waitFor(1, { ms: 1 }), waitFor(7)]).expect(200)).body;
    const { body } = await start(made).expect(400);
    expect(body).toMatchObject({
      code: 'BAD_STEP_PARAMETERS',
      errors: [{ location: '_sequenceno 7._actualparams.ms', message: 'is required' }],
    });
    const list = await app.api.get(`${RUNS}?nsfilter=tower_1&_orchid=${made}`).set(owner).expect(200);
    expect(list.body._total).toBe(0);
    const run = (await start(made, [{ _sequenceno: 7, params: { ms: 2 } }]).expect(200)).body;
    await app.processRuns();
    expect(await app.getRun(owner, run.id)).toMatchObject({ _status: 'COMPLETED', _result: { ms: 2 } });
  });

  it('are rejected where the component has no parameter of that name, and without hosts for call_url', async () => {
    for (const [_orchcomp, known] of [
      ['wait', { ms: 1 }],
      ['load_graphics_files', { fileIds: ['a'] }],
      ['import_file_items', { fileId: 'a', collectionId: 'b' }],
      ['call_url', { url: 'https://devices.example.com' }],
    ] as const) {
      const { errors } = (await create([step(_orchcomp, { ...known, timeout: 5 })]).expect(400)).body;
      const location = 'body._params.tasks.0._actualparams';
      const unlisted = { location: `${location}.url`, message: expect.stringContaining('CALL_URL_HOSTS') };
      const unknown = { location, message: 'has unknown fields' };
      expect(errors).toEqual(_orchcomp === 'call_url' ? [unlisted, unknown] : [unknown]);
    }
  });

  it("are validated after a run's have replaced the orchestrator's", async () => {
    const { id: made } = (await create([waitFor(4, { ms: 1 })]).expect(200)).body;
    const { body } = await start(made, [{ sequence_type_id: 'wait', params: { ms: null } }]).expect(400);
    expect(body.errors).toEqual([{ location: '_sequenceno 4._actualparams.ms', message: 'must be a number' }]);
  });
});
