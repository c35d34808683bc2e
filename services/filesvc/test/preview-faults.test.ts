import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createOutbox } from '@dtplatform/queue';
import { eventually, startCuttableProxy } from '@dtplatform/testing';
import { createDomainEvents } from '../src/events/domain-events.store.js';
import { namespaceJobs } from '../src/files/files.module.js';
import { PREVIEW_SIZES } from '../src/previews/preview.js';
import type { Rendered } from '../src/previews/preview.js';
import { createPreviewMaker } from '../src/previews/previews.js';
import { createPreviewStore } from '../src/previews/previews.store.js';
import { collectUsage } from './collect-usage.js';
import { picture, previewClient } from './preview-client.js';
import type { Preview } from './preview-client.js';
import { requests } from './requests.js';
import { FILES, startApp } from './start-app.js';
import type { TestApp } from './start-app.js';

describe('previews of files that change or disappear', () => {
  let app: TestApp;
  let olga: ReturnType<typeof requests>;
  let usage: Awaited<ReturnType<typeof collectUsage>>;
  const { madeFor, objectExists } = previewClient(() => ({ app, olga }));

  beforeAll(async () => {
    app = await startApp();
    olga = requests(app, app.olga);
    usage = await collectUsage(app);
    await app.startWorker();
  });
  afterAll(async () => {
    await usage.stop();
    await app.stop();
  });

  it('are kept with versions that were replaced before theirs were made', async () => {
    const late = await startApp();
    try {
      const owner = requests(late, late.olga);
      const send = async (width: number) =>
        (await owner.upload('replaced.png', await picture(width, 10).png().toBuffer()).expect(201)).body[0];
      const id = (await send(10))._id as string;
      const { _tipId } = await send(20);
      const read = async () => (await owner.get(`/${id}`).expect(200)).body as { _previews: Preview[] };
      const { etag } = (await owner.get(`/${id}`)).headers;
      await late.startWorker();
      const count = { 'internal.previews': { $size: 2 } };
      const versions = late.mongo.db.collection('file_versions');
      await eventually(async () => expect(await versions.countDocuments(count)).toBe(2));
      expect((await read())._previews.map(({ _width }) => _width)).toEqual([20, 20]);
      await owner.remove(`${id}/versions/${_tipId}`).set('if-match', etag!).expect(204);
      expect((await read())._previews.map(({ _width }) => _width)).toEqual([10, 10]);
    } finally {
      await late.stop();
    }
  });

  it('are made after an outage of the object store that outlasts all attempts', async () => {
    const proxy = await startCuttableProxy(new URL(process.env.S3_ENDPOINT!));
    const other = await startApp({ S3_ENDPOINT: proxy.url });
    try {
      const owner = requests(other, other.olga);
      const content = await picture(10, 10).png().toBuffer();
      const id = (await owner.upload('outage.png', content).expect(201)).body[0]._id as string;
      const outbox = other.mongo.db.collection<{ failure?: { times: number } }>('outbox');
      const request = { name: 'previews.make.v1' };
      await outbox.updateMany(request, { $set: { attempts: 1 } });
      proxy.cut();
      await other.startWorker();
      const soon = { timeoutMs: 30_000 };
      await eventually(async () => expect((await outbox.findOne(request))?.failure?.times).toBeGreaterThan(0), soon);
      proxy.mend();
      await eventually(async () => expect((await owner.get(`/${id}`)).body._previews).toHaveLength(2), soon);
    } finally {
      await other.stop();
      await proxy.close();
    }
  });

  it('leave no objects when their file is deleted meanwhile', async () => {
    const late = await startApp();
    try {
      const owner = requests(late, late.olga);
      const id = (await owner.upload('deleted.png', await picture(10, 10).png().toBuffer()).expect(201)).body[0]._id;
      const outbox = late.mongo.db.collection<{ payload: { versionId: string; previewIds: string[] } }>('outbox');
      const { payload } = (await outbox.findOne({ name: 'previews.make.v1' }))!;
      const images: Rendered[] = PREVIEW_SIZES.map(() => ({ width: 1, height: 1, data: Buffer.from('x') }));
      const stored = async () => {
        const heads = await Promise.all(payload.previewIds.map((key) => late.deps.objects.head(`previews/${key}`)));
        return heads.filter((head) => head !== undefined).length;
      };
      const events = createDomainEvents(late.mongo);
      const maker = createPreviewMaker({
        previewStore: createPreviewStore(late.mongo, events),
        objects: late.deps.objects,
        maxFileBytes: 1_000_000,
        renderer: {
          render: async () => {
            await owner.remove(id as string).expect(204);
            return images;
          },
        },
      });
      const signal = new AbortController().signal;
      expect(await maker.make(payload, signal)).toBe('The version no longer exists.');
      expect(await stored()).toBe(0);

      // As a process leaves them that died before it recorded them.
      for (const key of payload.previewIds) await late.deps.objects.put(`previews/${key}`, Buffer.from('x'));
      await late.startWorker();
      await eventually(async () => expect(await stored()).toBe(0));
    } finally {
      await late.stop();
    }
  });

  it('go with the namespace of a deleted workspace', async () => {
    const namespace = 'closed_3';
    await app.grants.allow('olga', namespace, '*:*:*', ['*']);
    const content = await picture(10, 10).png().toBuffer();
    const response = await app.api
      .post(FILES)
      .set({ authorization: app.olga })
      .query({ nsfilter: namespace, _namespaces: namespace })
      .attach('file', content, 'closed.png')
      .expect(201);
    const id = response.body[0]._id as string;
    const previews = await madeFor(id);
    const bytes = () => usage.amount('PreviewImageFileSize', { namespace });
    await eventually(() => expect(bytes()).toBeGreaterThan(0));
    const workspace = { _id: 'a'.repeat(24), _namespaces: [namespace] };
    const deleted = namespaceJobs.messages['workspace.deleted.v1'];
    await app.mongo.transaction((session) => createOutbox(app.mongo).put(session, deleted, workspace));
    await eventually(async () => {
      for (const { _id } of previews) expect(await objectExists(_id)).toBe(false);
      expect(bytes()).toBe(0);
    });
  });
});
