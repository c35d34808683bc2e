import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from '@jest/globals';
import sharp from 'sharp';
import { eventually } from '@dtplatform/testing';
import { collectUsage } from './collect-usage.js';
import { picture, previewClient, sizesOf } from './preview-client.js';
import { requests } from './requests.js';
import { startApp } from './start-app.js';
import { uploadClient } from './upload-client.js';

const app = await startApp();
const olga = requests(app, app.olga);
const usage = await collectUsage(app);
await app.startWorker();
afterAll(async () => {
  await usage.stop();
  await app.stop();
});

describe('previews', () => {
  const { shown, madeFor, objectExists } = previewClient(app, olga);
  const png = (width: number, height: number) => picture(width, height).png().toBuffer();
  const upload = async (name: string, content: string | Buffer) =>
    (await olga.upload(name, content).expect(201)).body[0]._id as string;
  const urlOf = async (id: string, previewId: string) =>
    (await olga.get(`/${id}/previews/${previewId}/url`).expect(200)).body as { _url: string; _name: string };
  const download = async (id: string, previewId: string): Promise<Buffer> => {
    const response = await fetch((await urlOf(id, previewId))._url);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('image/webp');
    return Buffer.from(await response.arrayBuffer());
  };

  it('are made in two sizes and change neither revision nor time', async () => {
    const id = await upload('photo.png', await png(2000, 500));
    const before = await olga.get(`/${id}`).expect(200);
    const previews = await madeFor(id);
    expect(sizesOf(previews)).toEqual([
      [256, 64],
      [1024, 256],
    ]);
    const after = await olga.get(`/${id}`).expect(200);
    expect(after.headers.etag).toBe(before.headers.etag);
    expect(after.body).toEqual({ ...before.body, _previews: previews });
    expect(previews.map(({ _fileVersionId }) => _fileVersionId)).toEqual([after.body._tipId, after.body._tipId]);
    expect(JSON.stringify(after.body)).not.toContain('previews/');

    expect((await urlOf(id, previews[0]!._id))._name).toBe('photo.png.webp');
    for (const { _id, _width, _height } of previews) {
      const { format, width, height } = await sharp(await download(id, _id)).metadata();
      expect({ format, width, height }).toEqual({ format: 'webp', width: _width, height: _height });
    }
  });

  it('are made of resumable uploads', async () => {
    const client = uploadClient(app, app.olga);
    const content = await png(30, 20);
    const id = await client.begin('resumed.png', content.length);
    await client.patch(id, content).expect(200);
    expect(sizesOf(await madeFor(id))).toEqual([
      [30, 20],
      [30, 20],
    ]);
  });

  it('are made by the first bytes of the content, whatever its name', async () => {
    const long = `<?xml version='1.0'?><!-- ${'<html>'.repeat(10_000)} --><svg xmlns="http://www.w3.org/2000/svg" width="60" height="30"/>`;
    expect(sizesOf(await madeFor(await upload('drawing.txt', long)))[0]).toEqual([60, 30]);
    const text = await upload('text.png', 'not an image');
    const encoded = await olga.upload('encoded.png', gzipSync(await png(10, 10))).set('content-encoding', 'gzip');
    const outbox = app.mongo.db.collection('outbox');
    await eventually(async () => expect(await outbox.countDocuments({ name: 'previews.make.v1' })).toBe(0), {
      timeoutMs: 60_000,
    });
    for (const id of [text, encoded.body[0]._id as string]) expect((await shown(id))._previews).toEqual([]);
  });

  it('are those of the tip, also after the tip is deleted', async () => {
    const id = await upload('versions.png', await png(40, 40));
    const first = await madeFor(id);
    const second = (await olga.upload('versions.png', await png(50, 50)).expect(201)).body[0];
    expect(second._previews).toEqual([]);
    const ofSecond = await madeFor(id);
    expect(sizesOf(ofSecond)[0]).toEqual([50, 50]);
    await olga.get(`/${id}/previews/${first[0]!._id}/url`).expect(404);
    expect(await objectExists(first[0]!._id)).toBe(true);

    await olga.remove(`${id}/versions/${second._tipId}`).expect(204);
    expect((await shown(id))._previews).toEqual(first);
    await download(id, first[0]!._id);
    await eventually(async () => {
      for (const { _id } of ofSecond) expect(await objectExists(_id)).toBe(false);
    });
    await olga.remove(id).expect(204);
    await eventually(async () => {
      for (const { _id } of first) expect(await objectExists(_id)).toBe(false);
    });
  });

  it('are counted by file and version while they exist', async () => {
    const bytesOf = (dimensions: Record<string, string>) => usage.amount('PreviewImageFileSize', { dimensions });
    const id = await upload('counted.png', await png(400, 400));
    const previews = await madeFor(id);
    const { _tipId } = (await olga.get(`/${id}`)).body as { _tipId: string };
    const images = await Promise.all(previews.map(({ _id }) => download(id, _id)));
    const stored = images.reduce((sum, { length }) => sum + length, 0);
    expect(stored).toBeGreaterThan(0);
    await eventually(() => expect(bytesOf({ file_id: id, version: _tipId })).toBe(stored));
    await olga.put(id, { _name: 'counted.png', _tags: ['#invgraphicsfile#'] }).expect(200);
    await olga.remove(id).expect(204);
    await eventually(() => expect(bytesOf({ file_id: id })).toBe(0));
  });

  it('have no URL through another file', async () => {
    const [id, other] = [await upload('one.png', await png(10, 10)), await upload('other.png', await png(10, 10))];
    const [foreign] = await madeFor(other);
    for (const path of [`${id}/previews/${foreign!._id}`, `${id}/previews/${'f'.repeat(24)}`])
      await olga.get(`/${path}/url`).expect(404);
  });
});
