import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { keepExamples } from '@dtplatform/testing';
import { requests } from './requests.js';
import { startApp } from './start-app.js';
import type { TestApp } from './start-app.js';
import { uploadClient } from './upload-client.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

/** Each operation of the reference that answers with JSON, as one story. */
it('keeps the examples of the API reference', async () => {
  const examples = keepExamples(new URL('../', import.meta.url));
  const { folder, upload, get, put } = requests(app, app.olga);
  const uploads = uploadClient(app, app.olga);

  const created = await folder('Drawings', { _tags: 'level-1' }).expect(200);
  examples.keep('files.createFolder', created);
  const drawings = created.body._id as string;
  const uploaded = await upload('plan.txt', 'Ground floor', { _parents: drawings, _tags: 'plan' }).expect(201);
  examples.keep('files.upload', uploaded);
  const { _id: id, _tipId: version } = uploaded.body[0] as { _id: string; _tipId: string };

  examples.keep('files.list', await get('', { _tags: 'plan', _pageSize: '10' }).expect(200));
  examples.keep('files.children', await get(`/${drawings}/children`).expect(200));
  examples.keep('files.get', await get(`/${id}`).expect(200));
  examples.keep('files.update', await put(id, { _name: 'ground-floor.txt', _tags: ['plan'] }).expect(200));
  examples.keep('content.url', await get(`/${id}/url`).expect(200));
  examples.keep('fileVersions.list', await get(`/${id}/versions`).expect(200));
  examples.keep('fileVersions.get', await get(`/${id}/versions/${version}`).expect(200));
  examples.keep('fileVersions.url', await get(`/${id}/versions/${version}/url`).expect(200));

  const bytes = Buffer.from('First floor, and the roof');
  const initiated = await uploads.initiate('model.txt', bytes.length, { _parents: [drawings] }).expect(201);
  examples.keep('uploads.initiate', initiated);
  const model = initiated.body._id as string;
  examples.keep('uploads.append', await uploads.patch(model, bytes.subarray(0, 11)).expect(200));
  examples.keep('uploads.cancel', await uploads.cancel(model).expect(200));

  const { kept, stored } = examples.end();
  expect(kept).toEqual(stored);
});
