import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startOtherServices } from './other-services.js';
import { ORCHESTRATORS, startApp } from './start-app.js';
import type { TestApp } from './start-app.js';

describe('the component load_graphics_files', () => {
  let others: Awaited<ReturnType<typeof startOtherServices>>;
  let app: TestApp;
  let owner: { authorization: string };
  const run = async (params: object) => {
    const tasks = [{ _orchcomp: 'load_graphics_files', _sequenceno: 1, _actualparams: params }];
    const { id } = await app.create(owner, tasks, { instant: true });
    return app.run(owner, id);
  };
  const failureOf = async (params: object) => {
    const { _status, orchrunsteps } = await run(params);
    expect(_status).toBe('ERROR');
    return orchrunsteps[0]._statusmsg;
  };

  beforeAll(async () => {
    others = await startOtherServices();
    app = await startApp({ environment: others.environment });
    owner = await app.as('olga');
    await app.grants.allow('olga', 'tower_1', '*:*:*', ['*']);
  });
  afterAll(async () => {
    await app.stop();
    await others.stop();
  });

  it("requests the loads with the starter's token and waits until they have ended", async () => {
    others.will({ put: 200, statuses: ['QUEUED', 'LOADING', 'LOADED', 'SKIPPED'] });
    const ended = await run({ fileIds: ['file-a', 'file-b'] });
    expect(ended).toMatchObject({
      _status: 'COMPLETED',
      _result: {
        files: [
          { _fileId: 'file-a', _status: 'LOADED' },
          { _fileId: 'file-b', _status: 'SKIPPED' },
        ],
      },
    });
    expect(others.calls[0]).toEqual({
      method: 'PUT',
      url: '/graphicssvc/api/v1/filestore?nsfilter=tower_1',
      authorization: 'Bearer token-1-of-olga',
      body: [
        { _fileId: 'file-a', _fileVersionId: 'tip-of-file-a' },
        { _fileId: 'file-b', _fileVersionId: 'tip-of-file-b' },
      ],
    });
    // Without a version, the state of a loaded one would hide that of a failed one.
    const ofLoad = (file: string) => expect.stringContaining(`/${file}?nsfilter=tower_1&_fileVersionId=tip-of-${file}`);
    const polled = ['file-a', 'file-a', 'file-a', 'file-b'];
    expect(others.calls.slice(1).map(({ url }) => url)).toEqual(polled.map(ofLoad));
  });

  it('fails when a file does not exist', async () => {
    others.will({ put: 404, statuses: [] });
    expect(await failureOf({ fileIds: ['gone'] })).toBe(
      'A file does not exist in the namespace of the run, or the starter or permission profile of the run may not read it.',
    );
  });

  it('fails when a file cannot be loaded', async () => {
    others.will({ put: 200, statuses: ['LOADING', 'ERROR'] });
    expect(await failureOf({ fileIds: ['broken'] })).toBe('A graphics file could not be loaded.');
  });

  it('fails without details when graphicssvc is unavailable', async () => {
    others.will({ put: 500, statuses: [] });
    expect(await failureOf({ fileIds: ['any'] })).toBe('A part of the platform is temporarily unavailable.');
  });

  it.each([{}, { fileIds: [] }, { fileIds: 'file-a' }, { fileIds: Array.from({ length: 201 }, String) }])(
    'accepts only a list of 1 to 200 ids',
    async (_actualparams) => {
      const { id } = await app.create(owner, [{ _orchcomp: 'load_graphics_files', _sequenceno: 1 }]);
      const start = app.api.post(`${ORCHESTRATORS}/${id}/run?nsfilter=tower_1`).set(owner);
      const { body } = await start.send({ _actualparams: [{ _sequenceno: 1, params: _actualparams }] }).expect(400);
      expect(body.errors[0].location).toBe('_sequenceno 1._actualparams.fileIds');
    },
  );
});
