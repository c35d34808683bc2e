import { afterAll, describe, expect, it } from '@jest/globals';
import { ORCHESTRATORS, RUNS, startApp, step } from './start-app.js';

const COMPONENTS = '/datasourcesvc/api/v1/components';

const app = await startApp();
const { owner } = app;
afterAll(() => app.stop());

describe('components', () => {
  describe('in lists', () => {
    it('are ordered by name, for any caller with a token', async () => {
      const stranger = await app.as('sam');
      const { body } = await app.api.get(COMPONENTS).set(stranger).expect(200);
      const names = body._list.map(({ name }: { name: string }) => name);
      expect(names).toEqual(names.toSorted());
      expect(body).toMatchObject({ _offset: 0, _pageSize: 25, _total: names.length });
      expect(body._list.find(({ name }: { name: string }) => name === 'wait')).toEqual({
        name: 'wait',
        description: 'Waits for a number of milliseconds.',
        mayRunAgain: true,
        parameters: {
          $schema: 'https://json-schema.org/draft/2020-12/schema',
          type: 'object',
          properties: { ms: { type: 'number', minimum: 0, maximum: 86_400_000 } },
          required: ['ms'],
          additionalProperties: false,
        },
      });
    });
  });

  describe('parameters of steps', () => {
    const wait = (n: number, params?: object) => step('wait', params, n);
    const create = (tasks: object[]) =>
      app.api
        .post(`${ORCHESTRATORS}?nsfilter=tower_1`)
        .set(owner)
        .send({ _name: `with ${Math.random()}`, _params: { tasks } });
    const start = (id: string, _actualparams: object[] = []) =>
      app.api.post(`${ORCHESTRATORS}/${id}/run?nsfilter=tower_1`).set(owner).send({ _actualparams });

    it('are rejected with the orchestrator, each with its place in the body', async () => {
      const { body } = await create([wait(1, { ms: 1 }), wait(2, { ms: 'long' }), wait(3, { ms: -1 })]).expect(400);
      expect(body).toMatchObject({
        code: 'BAD_STEP_PARAMETERS',
        errors: [
          { location: 'body._params.tasks.1._actualparams.ms', message: 'must be a number' },
          { location: 'body._params.tasks.2._actualparams.ms', message: 'must be at least 0' },
        ],
      });
    });

    it('may be left to a run, which must supply them', async () => {
      const { id } = (await create([wait(1, { ms: 1 }), wait(7)]).expect(200)).body;
      const { body } = await start(id).expect(400);
      expect(body).toMatchObject({
        code: 'BAD_STEP_PARAMETERS',
        errors: [{ location: '_sequenceno 7._actualparams.ms', message: 'is required' }],
      });
      const list = await app.api.get(`${RUNS}?nsfilter=tower_1&_orchid=${id}`).set(owner).expect(200);
      expect(list.body._total).toBe(0);
      const run = (await start(id, [{ _sequenceno: 7, params: { ms: 2 } }]).expect(200)).body;
      await app.processRuns();
      expect(await app.getRun(owner, run.id)).toMatchObject({ _status: 'COMPLETED', _result: { ms: 2 } });
    });

    it.each([
      ['wait', { ms: 1 }],
      ['load_graphics_files', { fileIds: ['a'] }],
      ['import_file_items', { fileId: 'a', collectionId: 'b' }],
      ['call_url', { url: 'https://devices.example.com' }],
    ])('are rejected where %s has no parameter of that name', async (_orchcomp, known) => {
      const { body } = await create([step(_orchcomp, { ...known, timeout: 5 })]).expect(400);
      expect(body.errors).toContainEqual({
        location: 'body._params.tasks.0._actualparams',
        message: 'has unknown fields',
      });
    });

    it("are validated after a run's have replaced the orchestrator's", async () => {
      const { id } = (await create([wait(4, { ms: 1 })]).expect(200)).body;
      const { body } = await start(id, [{ sequence_type_id: 'wait', params: { ms: null } }]).expect(400);
      expect(body.errors).toEqual([{ location: '_sequenceno 4._actualparams.ms', message: 'must be a number' }]);
    });

    it('end a run as ERROR that was stored before validation existed', async () => {
      const { id } = (await create([wait(1, { ms: 5 })]).expect(200)).body;
      const run = (await start(id).expect(200)).body;
      await app.runs.updateOne({ _id: run.id }, { $set: { 'orchrunsteps.0._actualparams': '{"ms":"long"}' } });
      await app.processRuns();
      const ended = await app.getRun(owner, run.id);
      expect(ended._status).toBe('ERROR');
      expect(ended.orchrunsteps[0]._statusmsg).toBe('The parameters of the step are not valid. ms: must be a number');
    });
  });
});
