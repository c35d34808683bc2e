import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { eventually, startCuttableProxy } from '@dtplatform/testing';
import { createDomainEvents } from '../src/events/domain-events.store.js';
import { PREVIEW_SIZES } from '../src/previews/preview.js';
import type { Rendered } from '../src/previews/preview.js';
import { createPreviewMaker } from '../src/previews/previews.js';
import { createPreviewStore } from '../src/previews/previews.store.js';
import { picture, previewClient } from './preview-client.js';
import { requests } from './requests.js';
import { startApp } from './start-app.js';

interface Request {
  name: string;
  payload: { versionId: string; previewIds: string[] };
  failure?: { times: number };
}

const app = await startApp();
const olga = requests(app, app.olga);
const proxy = await startCuttableProxy(new URL(process.env.S3_ENDPOINT!));
let worker: Awaited<ReturnType<typeof app.startWorker>> | undefined;
afterEach(() => worker?.stop());
afterAll(async () => {
  await app.stop();
  await proxy.close();
});

describe('previews', () => {
  const { shown, objectExists } = previewClient(app, olga);
  const outbox = app.mongo.db.collection<Request>('outbox');
  const upload = async (name: string, width = 10) =>
    (await olga.upload(name, await picture(width, 10).png().toBuffer()).expect(201)).body[0] as Record<string, string>;
  const widths = async (id: string) => (await shown(id))._previews.map(({ _width }) => _width);

  it('are made for versions that were replaced meanwhile', async () => {
    const { _id: id } = await upload('replaced.png', 10);
    const { _tipId } = await upload('replaced.png', 20);
    const { etag } = (await olga.get(`/${id}`)).headers;
    worker = await app.startWorker();
    const versions = app.mongo.db.collection('file_versions');
    await eventually(async () => expect(await versions.countDocuments({ 'internal.previews': { $size: 2 } })).toBe(2));
    expect(await widths(id!)).toEqual([20, 20]);
    await olga.remove(`${id}/versions/${_tipId}`).set('if-match', etag!).expect(204);
    expect(await widths(id!)).toEqual([10, 10]);
  });

  it('are made after an outage that outlasts all attempts', async () => {
    const { _id: id } = await upload('outage.png');
    const name = 'previews.make.v1';
    await outbox.updateMany({ name }, { $set: { attempts: 1 } });
    proxy.cut();
    worker = await app.startWorker({ S3_ENDPOINT: proxy.url });
    const soon = { timeoutMs: 30_000 };
    await eventually(async () => expect((await outbox.findOne({ name }))?.failure?.times).toBeGreaterThan(0), soon);
    proxy.mend();
    await eventually(async () => expect(await widths(id!)).toHaveLength(2), soon);
  });

  it('leave no objects behind when their file is deleted meanwhile', async () => {
    const { _id: id } = await upload('deleted.png');
    const { payload } = (await outbox.findOne({ name: 'previews.make.v1' }))!;
    const exist = () => Promise.all(payload.previewIds.map(objectExists));
    const images: Rendered[] = PREVIEW_SIZES.map(() => ({ width: 1, height: 1, data: Buffer.from('x') }));
    const maker = createPreviewMaker({
      previewStore: createPreviewStore(app.mongo, createDomainEvents(app.mongo)),
      objects: app.deps.objects,
      maxFileBytes: 1_000_000,
      renderer: {
        render: async () => {
          await olga.remove(id!).expect(204);
          return images;
        },
      },
    });
    expect(await maker.make(payload, new AbortController().signal)).toBe('The version no longer exists.');
    expect(await exist()).toEqual([false, false]);

    // A process died before it recorded them.
    for (const key of payload.previewIds) await app.deps.objects.put(`previews/${key}`, Buffer.from('x'));
    worker = await app.startWorker();
    await eventually(async () => expect(await exist()).toEqual([false, false]));
  });
});
