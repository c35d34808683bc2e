import { afterAll, expect, it } from '@jest/globals';
import { keepExamples, startPermissionStandIn, withHeaders } from '@dtplatform/testing';
import { picture, previewClient } from './preview-client.js';
import { requests } from './requests.js';
import { NS, startApp } from './start-app.js';
import { storedFiles } from './stored-files.js';
import { uploadClient } from './upload-client.js';

/** Too many to be deleted at once. */
const MANY = 1100;

const permissions = await startPermissionStandIn('filesvc:file:*', NS);
const app = withHeaders(await startApp(permissions.environment));
afterAll(async () => {
  await app.stop();
  await permissions.stop();
});

/** One story of all operations that respond with JSON. */
it('keeps the examples of the API reference', async () => {
  const examples = keepExamples(new URL('../', import.meta.url));
  const { folder, upload, get, put, remove } = requests(app, app.olga);
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

  const call = (path: string, authorization = app.olga) => app.api.get(`/filesvc/api/v1${path}`).set({ authorization });
  const usage = await call(`/usage?namespace=${NS}`, await app.as('platform', 'trusted')).expect(200);
  examples.keep('usage.recount', usage);
  const granted = app.api.put('/filesvc/api/v1/permissions').set({ authorization: app.olga });
  examples.keep('permissions.put', await granted.send([permissions.entry]).expect(200));
  examples.keep('permissions.list', await call('/permissions').query(permissions.query).expect(200));

  await storedFiles(app).copies(id, MANY);
  const accepted = await remove(drawings).expect(202);
  const task = await app.api.get(accepted.headers.location!).set({ authorization: app.olga }).expect(200);
  examples.keep('fileTasks.get', task);

  await app.startWorker();
  const image = await upload('photo.png', await picture(300, 200).png().toBuffer()).expect(201);
  const photo = image.body[0]._id as string;
  const [preview] = await previewClient(app, requests(app, app.olga)).madeFor(photo);
  examples.keep('previews.url', await get(`/${photo}/previews/${preview!._id}/url`).expect(200));

  const { kept, stored } = examples.end();
  expect(kept).toEqual(stored);
});
