import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import sharp from 'sharp';
import { eventually } from '@dtplatform/testing';
import { createDomainEvents } from '../src/events/domain-events.store.js';
import { PREVIEW_SIZES } from '../src/previews/preview.js';
import { createPreviewMaker } from '../src/previews/previews.js';
import { createPreviewStore } from '../src/previews/previews.store.js';
import { app, client, olga } from './app.js';
import { picture, previewClient, sizesOf } from './preview-client.js';

const { shown, madeFor, objectExists } = previewClient(app, olga);
const outbox = app.mongo.db.collection<{ payload: { versionId: string; previewIds: string[] } }>('outbox');
const REQUEST = { name: 'previews.make.v1' };
const png = (width: number, height = 10) => picture(width, height).png().toBuffer();
const upload = async (name: string, content: string | Buffer) =>
  (await olga.upload(name, content).expect(201)).body[0] as { _id: string; _tipId: string };
const exist = (ids: string[]) => Promise.all(ids.map(objectExists));

describe('previews of files that change before the worker runs', () => {
  it('leave no objects behind when their file is deleted', async () => {
    const { _id } = await upload('deleted.png', await png(10));
    const { payload } = (await outbox.findOne(REQUEST))!;
    const maker = createPreviewMaker({
      previewStore: createPreviewStore(app.mongo, createDomainEvents(app.mongo)),
      objects: app.deps.objects,
      maxFileBytes: 1_000_000,
      renderer: {
        render: async () => {
          await olga.remove(_id).expect(204);
          return PREVIEW_SIZES.map(() => ({ width: 1, height: 1, data: Buffer.from('x') }));
        },
      },
    });
    expect(await maker.make(payload, new AbortController().signal)).toBe('The version no longer exists.');
    expect(await exist(payload.previewIds)).toEqual([false, false]);

    // A process died before it recorded them.
    for (const key of payload.previewIds) await app.deps.objects.put(`previews/${key}`, Buffer.from('x'));
    const worker = await app.startWorker();
    await eventually(async () => expect(await exist(payload.previewIds)).toEqual([false, false]));
    await worker.stop();
  });

  it('are made for versions that were replaced', async () => {
    await upload('replaced.png', await png(10));
    const { _id, _tipId } = await upload('replaced.png', await png(20));
    const { etag } = (await olga.get(`/${_id}`)).headers;
    const worker = await app.startWorker();
    const versions = app.mongo.db.collection('file_versions');
    await eventually(async () => expect(await versions.countDocuments({ 'internal.previews': { $size: 2 } })).toBe(2));
    const widths = async () => (await shown(_id))._previews.map(({ _width }) => _width);
    expect(await widths()).toEqual([20, 20]);
    await olga.remove(`${_id}/versions/${_tipId}`).set('if-match', etag!).expect(204);
    expect(await widths()).toEqual([10, 10]);
    await worker.stop();
  });
});

describe('previews', () => {
  let worker: Awaited<ReturnType<typeof app.startWorker>>;
  beforeAll(async () => void (worker = await app.startWorker()));
  afterAll(() => worker.stop());

  const download = async (id: string, previewId: string) => {
    const { body } = await olga.get(`/${id}/previews/${previewId}/url`).expect(200);
    const response = await fetch(body._url);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/webp']);
    return { name: body._name as string, bytes: await response.arrayBuffer() };
  };

  it('are made in two sizes and change neither revision nor time', async () => {
    const { _id: id, _tipId } = await upload('photo.png', await png(2000, 500));
    const before = await olga.get(`/${id}`).expect(200);
    const previews = await madeFor(id);
    expect(sizesOf(previews)).toEqual([
      [256, 64],
      [1024, 256],
    ]);
    const after = await olga.get(`/${id}`).expect(200);
    expect(after.headers.etag).toBe(before.headers.etag);
    expect(after.body).toEqual({ ...before.body, _previews: previews });
    expect(previews.map(({ _fileVersionId }) => _fileVersionId)).toEqual([_tipId, _tipId]);
    expect(JSON.stringify(after.body)).not.toContain('previews/');

    for (const { _id, _width: width, _height: height } of previews) {
      const { name, bytes } = await download(id, _id);
      expect(name).toBe('photo.png.webp');
      expect(await sharp(bytes).metadata()).toMatchObject({ format: 'webp', width, height });
    }
  });

  it('are made for resumable uploads', async () => {
    const content = await png(30, 20);
    const id = await client.begin('resumed.png', content.length);
    await client.patch(id, content).expect(200);
    expect(sizesOf(await madeFor(id))[0]).toEqual([30, 20]);
  });

  it('depend on the first bytes of the content, not on its name', async () => {
    const long = `<?xml version='1.0'?><!-- ${'<html>'.repeat(10_000)} --><svg xmlns="http://www.w3.org/2000/svg" width="60" height="30"/>`;
    expect(sizesOf(await madeFor((await upload('drawing.txt', long))._id))[0]).toEqual([60, 30]);
    const text = await upload('text.png', 'not an image');
    const encoded = await olga.upload('encoded.png', gzipSync(await png(10))).set('content-encoding', 'gzip');
    await eventually(async () => expect(await outbox.countDocuments(REQUEST)).toBe(0), { timeoutMs: 60_000 });
    for (const { _id } of [text, encoded.body[0] as { _id: string }]) expect((await shown(_id))._previews).toEqual([]);
  });

  it('are those of the tip, also after the tip is deleted', async () => {
    const { _id: id } = await upload('versions.png', await png(40));
    const first = await madeFor(id);
    const second = (await olga.upload('versions.png', await png(50)).expect(201)).body[0];
    expect(second._previews).toEqual([]);
    const ofSecond = await madeFor(id);
    expect(sizesOf(ofSecond)[0]).toEqual([50, 10]);
    await olga.get(`/${id}/previews/${first[0]!._id}/url`).expect(404);
    expect(await objectExists(first[0]!._id)).toBe(true);

    await olga.remove(`${id}/versions/${second._tipId}`).expect(204);
    expect((await shown(id))._previews).toEqual(first);
    await download(id, first[0]!._id);
    const areGone = async (previews: { _id: string }[]) =>
      expect(await exist(previews.map(({ _id }) => _id))).toEqual([false, false]);
    await eventually(() => areGone(ofSecond));
    await olga.remove(id).expect(204);
    await eventually(() => areGone(first));
  });
});
