import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startGraphicsStandIn } from './graphics-stand-in.js';
import { startApp } from './start-app.js';
import type { TestApp } from './start-app.js';

describe('the component load_graphics_files', () => {
  let graphics: Awaited<ReturnType<typeof startGraphicsStandIn>>;
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
    graphics = await startGraphicsStandIn();
    app = await startApp({ environment: graphics.environment });
    owner = await app.as('olga');
    await app.grants.allow('olga', 'tower_1', '*:*:*', ['*']);
  });
  afterAll(async () => {
    await app.stop();
    await graphics.stop();
  });

  it('requests the loads with a token of the starter and waits until they have ended', async () => {
    graphics.will({ put: 200, statuses: ['QUEUED', 'LOADING', 'LOADED', 'SKIPPED'] });
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
    expect(graphics.calls[0]).toEqual({
      method: 'PUT',
      url: '/graphicssvc/api/v1/filestore?nsfilter=tower_1',
      authorization: 'Bearer token-1-of-olga',
      body: [{ _fileId: 'file-a' }, { _fileId: 'file-b' }],
    });
    expect(graphics.calls.slice(1).map(({ url }) => url.split('?')[0]!.split('/').at(-1))).toEqual([
      'file-a',
      'file-a',
      'file-a',
      'file-b',
    ]);
  });

  it('fails when a file does not exist', async () => {
    graphics.will({ put: 404, statuses: [] });
    expect(await failureOf({ fileIds: ['gone'] })).toBe(
      'A file does not exist in the namespace of the run, or the starter of the run may not read it.',
    );
  });

  it('fails when a file cannot be loaded', async () => {
    graphics.will({ put: 200, statuses: ['LOADING', 'ERROR'] });
    expect(await failureOf({ fileIds: ['broken'] })).toBe('A graphics file could not be loaded.');
  });

  it('fails without details when graphicssvc is unavailable', async () => {
    graphics.will({ put: 500, statuses: [] });
    expect(await failureOf({ fileIds: ['any'] })).toBe('A part of the platform is temporarily unavailable.');
  });

  it.each([{}, { fileIds: [] }, { fileIds: 'file-a' }, { fileIds: Array.from({ length: 201 }, String) }])(
    'fails without a list of 1 to 200 ids',
    async (params) => {
      graphics.will({ put: 200, statuses: ['LOADED'] });
      expect(await failureOf(params)).toMatch(/^The parameters of the step are not valid\. fileIds: /);
      expect(graphics.calls).toEqual([]);
    },
  );
});
