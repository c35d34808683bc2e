import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import sharp from 'sharp';
import { eventually } from '@dtplatform/testing';
import { sourceTypeOf } from '../src/previews/source-type.js';
import { collectUsage } from './collect-usage.js';
import { encryptedPdf, pdfOf } from './pdf.js';
import { picture, previewClient, sizesOf } from './preview-client.js';
import { requests } from './requests.js';
import { NS, startApp } from './start-app.js';
import type { TestApp } from './start-app.js';
import { uploadClient } from './upload-client.js';

const BLUE = { r: 0, g: 0, b: 255 };

/** A red drawing of 60 by 30 pixels. */
function svg(prefix = ''): string {
  const [start, name] = prefix ? [`${prefix}:`, `xmlns:${prefix}`] : ['', 'xmlns'];
  const rect = `<${start}rect width="60" height="30" fill="red"/>`;
  return `<${start}svg ${name}="http://www.w3.org/2000/svg" width="60" height="30">${rect}</${start}svg>`;
}
const PROLOG = `<!-- <html> --><?xml-stylesheet href="a>b.css"?>
<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd" [
  <!-- it's ]> --> <!ENTITY a "]>"> <!ELEMENT g ANY>
]>
`;

/** The color of a pixel, given as fractions of width and height. */
async function colorAt(image: Buffer, x: number, y: number): Promise<'red' | 'blue' | 'white' | 'other'> {
  const { data, info } = await sharp(image).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const at = (Math.floor(y * info.height) * info.width + Math.floor(x * info.width)) * info.channels;
  const [r, g, b] = [...data.subarray(at, at + 3)].map((value) => value > 128);
  if (r && g && b) return 'white';
  if (r && !g && !b) return 'red';
  return b && !r && !g ? 'blue' : 'other';
}

describe('previews', () => {
  let app: TestApp;
  let olga: ReturnType<typeof requests>;
  let usage: Awaited<ReturnType<typeof collectUsage>>;

  const { shown, madeFor, objectExists } = previewClient(() => ({ app, olga }));
  const upload = async (name: string, content: string | Buffer, fields = {}) =>
    (await olga.upload(name, content, fields).expect(201)).body[0]._id as string;
  const urlOf = async (id: string, previewId: string) =>
    (await olga.get(`/${id}/previews/${previewId}/url`).expect(200)).body as { _url: string; _name: string };
  const download = async (id: string, previewId: string): Promise<Buffer> => {
    const response = await fetch((await urlOf(id, previewId))._url);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('image/webp');
    return Buffer.from(await response.arrayBuffer());
  };
  const queueIsEmpty = () =>
    eventually(
      async () => expect(await app.mongo.db.collection('outbox').countDocuments({ name: 'previews.make.v1' })).toBe(0),
      { timeoutMs: 60_000 },
    );
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

  it('are made in two sizes, and leave revision and time of change as they are', async () => {
    const id = await upload('photo.png', await picture(2000, 500).png().toBuffer());
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
      const image = await download(id, _id);
      expect(await sharp(image).metadata()).toMatchObject({ format: 'webp', width: _width, height: _height });
      expect(await colorAt(image, 0.5, 0.5)).toBe('red');
    }
  });

  it.each(['jpeg', 'webp', 'gif', 'tiff'] as const)('are made of %s, never larger than the image', async (format) => {
    const id = await upload('decided-by-its-bytes.txt', await picture(300, 40).toFormat(format).toBuffer());
    const previews = await madeFor(id);
    expect(sizesOf(previews)).toEqual([
      [256, 34],
      [300, 40],
    ]);
    expect(await colorAt(await download(id, previews[1]!._id), 0.5, 0.5)).toBe('red');
  });

  it.each<[string, string | Buffer]>([
    ['with a prefix', svg('svg')],
    ['with any prefix, a byte order mark and space', `\ufeff\n ${svg('d-1')}`],
    ['after a declaration, instructions, comments and a document type', `<?xml version="1.0"?>\n${PROLOG}${svg()}`],
    ['after a long comment', `<?xml version='1.0'?><!-- ${'<html>'.repeat(10_000)} -->\n${svg('s')}`],
    ['in UTF-16', Buffer.from(`\ufeff<?xml version="1.0" encoding="UTF-16"?>${svg('s')}`, 'utf16le')],
    ['in UTF-16, the other way round', Buffer.from(`\ufeff<!-- é -->${svg()}`, 'utf16le').swap16()],
    ['in ISO-8859-1', Buffer.from(`<?xml version="1.0" encoding="ISO-8859-1"?><!-- é -->${svg('s')}`, 'latin1')],
  ])('are made of an SVG %s', async (what, content) => {
    const id = await upload(`${what}.bin`, content, { _fileType: 'text/plain' });
    const previews = await madeFor(id);
    expect(sizesOf(previews)).toEqual([
      [60, 30],
      [60, 30],
    ]);
    expect(await colorAt(await download(id, previews[0]!._id), 0.5, 0.5)).toBe('red');
  });

  it('look for the root of an SVG in linear time, and only in its prolog', () => {
    const ms = performance.now();
    for (const part of ['<!--', '<!DOCTYPE svg [', '<?', '"', '<!DOCTYPE svg "'])
      expect(sourceTypeOf(Buffer.from(`<!DOCTYPE svg [${part.repeat(50_000)}`))).toBeUndefined();
    expect(performance.now() - ms).toBeLessThan(10_000);
    for (const text of [
      '<html><svg/>',
      '<!-- <svg> --><html>',
      'x<svg>',
      '<svgs>',
      '<svg:x>',
      '<!DOCTYPE svg [<!ENTITY a "]><svg>">]>',
    ])
      expect(sourceTypeOf(Buffer.from(text))).toBeUndefined();
  });

  it('are made of the first page of a PDF, as large as the larger size', async () => {
    const id = await upload('plan.pdf', pdfOf({ width: 600, height: 300 }));
    const previews = await madeFor(id);
    expect(sizesOf(previews)).toEqual([
      [256, 128],
      [1024, 512],
    ]);
    for (const { _id } of previews) {
      const image = await download(id, _id);
      expect(await colorAt(image, 0.25, 0.25)).toBe('red');
      expect(await colorAt(image, 0.75, 0.75)).toBe('white');
    }
  });

  it('are upright and have no metadata', async () => {
    const halves = await picture(400, 200)
      .composite([{ input: await picture(200, 200, BLUE).png().toBuffer(), left: 200, top: 0 }])
      .jpeg()
      .withMetadata({ orientation: 6 })
      .withExif({ IFD0: { Artist: 'Olga' } })
      .toBuffer();
    const id = await upload('turned.jpg', halves);
    const [small] = await madeFor(id);
    expect([small!._width, small!._height]).toEqual([128, 256]);
    const image = await download(id, small!._id);
    expect([await colorAt(image, 0.5, 0.1), await colorAt(image, 0.5, 0.9)]).toEqual(['red', 'blue']);
    const { orientation, exif, xmp, icc } = await sharp(image).metadata();
    expect([orientation ?? 1, exif, xmp, icc]).toEqual([1, undefined, undefined, undefined]);
  });

  it('are made of resumable uploads', async () => {
    const client = uploadClient(app, app.olga);
    const content = await picture(30, 20).png().toBuffer();
    const id = await client.begin('resumed.png', content.length);
    await client.patch(id, content).expect(200);
    expect(sizesOf(await madeFor(id))).toEqual([
      [30, 20],
      [30, 20],
    ]);
  });

  it('show the tip, also after the tip was deleted', async () => {
    const id = await upload('versions.png', await picture(40, 40).png().toBuffer());
    const first = await madeFor(id);
    const second = (await olga.upload('versions.png', await picture(50, 50).png().toBuffer()).expect(201)).body[0];
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

  it('count in their metric while they exist, by file and version', async () => {
    const bytesOf = (dimensions: Record<string, string>) => usage.amount('PreviewImageFileSize', { dimensions });
    const id = await upload('counted.png', await picture(400, 400).png().toBuffer());
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

  it('have URLs for callers who may read the file only', async () => {
    const id = await upload('private.png', await picture(10, 10).png().toBuffer());
    const other = await upload('other.png', await picture(10, 10).png().toBuffer());
    const [preview] = await madeFor(id);
    const [foreign] = await madeFor(other);
    await olga.get(`/${id}/previews/${foreign!._id}/url`).expect(404);
    await olga.get(`/${id}/previews/${'f'.repeat(24)}/url`).expect(404);
    await olga.get(`/${'f'.repeat(24)}/previews/${preview!._id}/url`).expect(404);
    await app.grants.allow('rita', NS, `filesvc:file:${other}`, ['READ']);
    const rita = requests(app, await app.as('rita'));
    await rita.get(`/${other}/previews/${foreign!._id}/url`).expect(200);
    await rita.get(`/${id}/previews/${preview!._id}/url`).expect(404);
    expect((await rita.get(`/${id}/previews/${preview!._id}/url`)).body).toEqual({
      ...(await rita.get(`/${'f'.repeat(24)}/previews/${preview!._id}/url`)).body,
      requestId: expect.any(String),
    });
  });

  it.each<[string, () => Promise<Buffer> | Buffer]>([
    ['is an image bomb', () => picture(10_000, 8_000).png({ compressionLevel: 9 }).toBuffer()],
    [
      'is a huge drawing',
      () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="100000" height="100000"/>'),
    ],
    ['is cut off', async () => (await picture(500, 500).png().toBuffer()).subarray(0, 200)],
    ['only begins like an image', () => Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(100)])],
    ['is text', () => Buffer.from('not an image')],
    ['is empty', () => Buffer.alloc(0)],
    ['is an encrypted PDF', encryptedPdf],
    ['is a broken PDF', () => Buffer.from('%PDF-1.7 and nothing else')],
  ])('are not made when the content %s', async (what, content) => {
    const id = await upload(`${what}.png`, await content());
    await queueIsEmpty();
    expect((await shown(id))._previews).toEqual([]);
  });

  it('are not made of encoded content', async () => {
    const content = gzipSync(await picture(10, 10).png().toBuffer());
    const response = await olga.upload('encoded.png', content).set('content-encoding', 'gzip').expect(201);
    await queueIsEmpty();
    expect((await shown(response.body[0]._id as string))._previews).toEqual([]);
  });
});
