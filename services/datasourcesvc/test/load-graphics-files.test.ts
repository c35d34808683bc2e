import { afterAll, describe, expect, it } from '@jest/globals';
import { startAppWithOthers, step } from './start-app.js';

const app = await startAppWithOthers();
const { others, owner } = app;
afterAll(() => app.stop());

describe('the component load_graphics_files', () => {
  const run = (params: object) => app.runAtOnce(step('load_graphics_files', params));

  it("requests the loads with the starter's token and waits until they have ended", async () => {
    others.will({ put: 200, statuses: ['QUEUED', 'LOADING', 'LOADED', 'SKIPPED'] });
    const ended = await run({ fileIds: ['file-a', 'file-b'] });
    const file = (_fileId: string, _status: string) => ({ _fileId, _status });
    const files = [file('file-a', 'LOADED'), file('file-b', 'SKIPPED')];
    expect(ended).toMatchObject({ _status: 'COMPLETED', _result: { files } });
    expect(others.calls[0]).toMatchObject({
      method: 'PUT',
      url: '/graphicssvc/api/v1/filestore?nsfilter=tower_1',
      authorization: 'Bearer token-1-of-olga',
      body: files.map(({ _fileId }) => ({ _fileId, _fileVersionId: `tip-of-${_fileId}` })),
    });
    // Without a version, the state of a loaded one would hide that of a failed one.
    const ofLoad = (file: string) => expect.stringContaining(`/${file}?nsfilter=tower_1&_fileVersionId=tip-of-${file}`);
    const polled = ['file-a', 'file-a', 'file-a', 'file-b'];
    expect(others.calls.slice(1).map(({ url }) => url)).toEqual(polled.map(ofLoad));
  });

  const missing = 'A file does not exist in the namespace of the run, or the run has no permission to read it.';
  it.each([
    ['a file does not exist', { put: 404, statuses: [] }, missing],
    ['a file cannot be loaded', { put: 200, statuses: ['LOADING', 'ERROR'] }, 'A graphics file could not be loaded.'],
    ['graphicssvc fails', { put: 500, statuses: [] }, 'Part of the platform is temporarily unavailable.'],
  ])('fails with the reason when %s', async (_what, answers, message) => {
    others.will(answers);
    const { _status, orchrunsteps } = await run({ fileIds: ['any'] });
    expect([_status, orchrunsteps[0]._statusmsg]).toEqual(['ERROR', message]);
  });

  it('accepts only a list of 1 to 200 ids', async () => {
    const { id } = await app.create(owner, [step('load_graphics_files')]);
    for (const fileIds of [undefined, [], 'file-a', Array.from({ length: 201 }, String)]) {
      const _actualparams = [{ _sequenceno: 1, params: { fileIds } }];
      const { body } = await app.start(id).send({ _actualparams }).expect(400);
      expect(body.errors[0].location).toBe('_sequenceno 1._actualparams.fileIds');
    }
  });
});
