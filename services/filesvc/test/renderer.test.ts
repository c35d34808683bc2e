import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import sharp from 'sharp';
import { CannotRender } from '../src/previews/preview.js';
import { createRenderer } from '../src/previews/renderer.client.js';
import type { RendererOptions } from '../src/previews/renderer.client.js';
import { sourceTypeOf } from '../src/previews/source-type.js';
import { encryptedPdf, pdfOf } from './pdf.js';
import { picture } from './preview-client.js';
import { RENDERER } from './renderer-program.js';

const MIB = 1024 ** 2;
const never = new AbortController().signal;
const rendererOf = (options: Partial<RendererOptions> = {}) =>
  createRenderer({ maxPixels: 64_000_000, timeoutMs: 60_000, memoryBytes: 512 * MIB, program: RENDERER, ...options });
/** A program that starts like the renderer and then does something else. */
const misbehaving = (script: string, options = {}) =>
  rendererOf({ ...options, program: ['-e', `process.send('started'); ${script}`, '--'] });
/** @throws CannotRender */
async function render(content: Buffer) {
  const type = sourceTypeOf(content);
  if (!type) throw new CannotRender('The content has no known type.');
  return rendererOf().render(content, type, never);
}

const svg = (content: string, { doctype = '', size = 20 } = {}) =>
  Buffer.from(
    `<?xml version="1.0"?>${doctype}<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" ` +
      `xmlns:xi="http://www.w3.org/2001/XInclude" width="${size}" height="${size}">${content}</svg>`,
  );
const square = '<rect width="20" height="20" fill="red"/>';

/** A red drawing of 60 by 30 pixels. */
function drawing(prefix = ''): string {
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
async function colorAt(image: Uint8Array, x: number, y: number): Promise<'red' | 'blue' | 'white' | 'other'> {
  const { data, info } = await sharp(image).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const at = (Math.floor(y * info.height) * info.width + Math.floor(x * info.width)) * info.channels;
  const [r, g, b] = [...data.subarray(at, at + 3)].map((value) => value > 128);
  if (r && g && b) return 'white';
  if (r && !g && !b) return 'red';
  return b && !r && !g ? 'blue' : 'other';
}

async function isBlank(image: Uint8Array): Promise<boolean> {
  const { channels } = await sharp(image).stats();
  return channels.every(({ min, max }) => min === max);
}

const folder = await mkdtemp(path.join(tmpdir(), 'renderer-'));
const half = { create: { width: 10, height: 20, channels: 3 as const, background: 'red' } };
await writeFile(path.join(folder, 'secret.png'), await sharp(half).png().toBuffer());
await writeFile(path.join(folder, 'secret.svg'), svg(square));
await writeFile(path.join(folder, 'secret.txt'), square);
await writeFile(path.join(folder, 'secret.css'), 'rect { fill: red }');
const requested: string[] = [];
const server = createServer((request, response) => {
  requested.push(request.url ?? '');
  response.end();
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const bases = [`file://${folder}`, folder, `http://127.0.0.1:${(server.address() as AddressInfo).port}`];
const each = (one: (base: string, n: number) => string) => bases.map(one).join('');
afterAll(async () => {
  server.close();
  await rm(folder, { recursive: true });
});

describe('the renderer', () => {
  it.each(['jpeg', 'webp', 'gif', 'tiff'] as const)('draws %s, never larger than the image', async (format) => {
    const images = await render(await picture(300, 40).toFormat(format).toBuffer());
    expect(images).toMatchObject([
      { width: 256, height: 34 },
      { width: 300, height: 40 },
    ]);
    expect(await colorAt(images[1]!.data, 0.5, 0.5)).toBe('red');
  });

  it.each<[string, string | Buffer]>([
    ['with a prefix', drawing('svg')],
    ['with any prefix, a byte order mark and space', `\ufeff\n ${drawing('d-1')}`],
    ['after a declaration, instructions, comments and a document type', `<?xml version="1.0"?>\n${PROLOG}${drawing()}`],
    ['in UTF-16', Buffer.from(`\ufeff<?xml version="1.0" encoding="UTF-16"?>${drawing('s')}`, 'utf16le')],
    ['in big-endian UTF-16', Buffer.from(`\ufeff<!-- é -->${drawing()}`, 'utf16le').swap16()],
    ['in ISO-8859-1', Buffer.from(`<?xml version="1.0" encoding="ISO-8859-1"?><!-- é -->${drawing('s')}`, 'latin1')],
  ])('draws an SVG %s', async (_what, content) => {
    const [image] = await render(Buffer.from(content));
    expect(image).toMatchObject({ width: 60, height: 30 });
    expect(await colorAt(image!.data, 0.5, 0.5)).toBe('red');
  });

  it('finds the root of an SVG in linear time, and only in its prolog', () => {
    const ms = performance.now();
    for (const part of ['<!--', '<!DOCTYPE svg [', '<?', '"', '<!DOCTYPE svg "'])
      expect(sourceTypeOf(Buffer.from(`<!DOCTYPE svg [${part.repeat(50_000)}`))).toBeUndefined();
    expect(performance.now() - ms).toBeLessThan(10_000);
    const others = ['<html><svg/>', '<!-- <svg> --><html>', 'x<svg>', '<svgs>', '<svg:x>'];
    for (const text of [...others, '<!DOCTYPE svg [<!ENTITY a "]><svg>">]>'])
      expect(sourceTypeOf(Buffer.from(text))).toBeUndefined();
  });

  it('draws the first page of a PDF as large as the larger size', async () => {
    const images = await render(pdfOf({ width: 600, height: 300 }));
    expect(images).toMatchObject([
      { width: 256, height: 128 },
      { width: 1024, height: 512 },
    ]);
    for (const { data } of images) {
      expect(await colorAt(data, 0.25, 0.25)).toBe('red');
      expect(await colorAt(data, 0.75, 0.75)).toBe('white');
    }
  });

  it('turns images upright and drops metadata', async () => {
    const blue = await picture(200, 200, { r: 0, g: 0, b: 255 }).png().toBuffer();
    const halves = await picture(400, 200)
      .composite([{ input: blue, left: 200, top: 0 }])
      .jpeg()
      .withMetadata({ orientation: 6 })
      .withExif({ IFD0: { Artist: 'Olga' } })
      .toBuffer();
    const [small] = await render(halves);
    expect(small).toMatchObject({ width: 128, height: 256 });
    expect([await colorAt(small!.data, 0.5, 0.1), await colorAt(small!.data, 0.5, 0.9)]).toEqual(['red', 'blue']);
    const { orientation, exif, xmp, icc } = await sharp(small!.data).metadata();
    expect([orientation ?? 1, exif, xmp, icc]).toEqual([1, undefined, undefined, undefined]);
  });

  it.each<[string, () => Promise<Buffer> | Buffer]>([
    ['an image bomb', () => picture(10_000, 8_000).png({ compressionLevel: 9 }).toBuffer()],
    ['a huge drawing', () => svg('', { size: 100_000 })],
    ['a truncated image', async () => (await picture(500, 500).png().toBuffer()).subarray(0, 200)],
    ['garbage after a signature', () => Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(100)])],
    ['nothing', () => Buffer.alloc(0)],
    ['an encrypted PDF', encryptedPdf],
    ['a broken PDF', () => Buffer.from('%PDF-1.7 and nothing else')],
  ])('rejects %s', async (_what, content) => {
    await expect(render(await content())).rejects.toThrow(CannotRender);
  });

  it.each<[string, ...Buffer[]]>([
    ['images', svg(each((base) => `<image width="20" height="20" href="${base}/secret.png"/>`))],
    ['images by XLink', svg(each((base) => `<image width="20" height="20" xlink:href="${base}/secret.png"/>`))],
    ['drawings', svg(each((base) => `<image width="20" height="20" href="${base}/secret.svg"/>`))],
    ['parts of drawings', svg(each((base) => `<use href="${base}/secret.svg#part"/>`))],
    ['included text', svg(each((base) => `<xi:include href="${base}/secret.txt" parse="xml"/>`))],
    [
      'style sheets',
      svg(`${each((base) => `<style>@import url("${base}/secret.css");</style>`)}<rect width="9" fill="none"/>`),
    ],
    [
      'entities',
      svg(
        each((_base, n) => `&x${n};`),
        { doctype: `<!DOCTYPE svg [${each((base, n) => `<!ENTITY x${n} SYSTEM "${base}/secret.txt">`)}]>` },
      ),
    ],
    [
      'document types',
      ...bases.map((base) => svg('&x;', { doctype: `<!DOCTYPE svg SYSTEM "${base}/secret.txt" [<!ENTITY x "">]>` })),
    ],
    ['scripts', svg(each((base) => `<script href="${base}/script.js">fetch("${base}/script")</script>`))],
  ])('does not read %s that an SVG references', async (_what, ...contents) => {
    for (const content of contents) {
      const images = await rendererOf()
        .render(content, 'svg', never)
        .catch((error: unknown) => {
          if (error instanceof CannotRender) return [];
          throw error;
        });
      for (const { data } of images) expect(await isBlank(data)).toBe(true);
    }
    expect(requested).toEqual([]);
  });

  it('rejects entities that multiply', async () => {
    const levels = Array.from({ length: 12 }, (_, n) => `<!ENTITY l${n + 1} "${`&l${n};`.repeat(10)}">`).join('');
    const doctype = `<!DOCTYPE svg [<!ENTITY l0 "<rect/>">${levels}]>`;
    await expect(rendererOf().render(svg('&l12;', { doctype }), 'svg', never)).rejects.toThrow(CannotRender);
  });

  it('kills a process that takes too long', async () => {
    const noise = '<filter id="f"><feTurbulence baseFrequency="0.9" numOctaves="500"/></filter>';
    const layers = '<rect width="1000" height="1000" filter="url(#f)"/>'.repeat(5_000);
    const slow = svg(`${noise}${layers}`, { size: 1_000 });
    const rendered = rendererOf({ timeoutMs: 3_000 }).render(slow, 'svg', never);
    await expect(rendered).rejects.toThrow('longer than 3000 ms');
    await expect(rendered).rejects.toBeInstanceOf(CannotRender);
  });

  it('kills a process that needs too much memory', async () => {
    const hoard = 'const held = Buffer.alloc(256 * 1024 ** 2, 1); setInterval(() => held, 1000)';
    const rendered = misbehaving(hoard, { memoryBytes: 128 * MIB }).render(svg(square), 'svg', never);
    await expect(rendered).rejects.toThrow('more than 128 MiB');
    await expect(rendered).rejects.toBeInstanceOf(CannotRender);
  });

  it('uses only the decoder of the given type, and blames the content for a crash', async () => {
    for (const renderer of [rendererOf(), misbehaving('process.abort()')])
      await expect(renderer.render(svg(square), 'png', never)).rejects.toThrow(CannotRender);
  });

  it('keeps a priority that is lower than its own', async () => {
    const unprivileged = `data:text/javascript,${encodeURIComponent(`
      import os from 'node:os';
      import { syncBuiltinESMExports } from 'node:module';
      const set = os.setPriority;
      set(19);
      os.setPriority = (priority) => {
        if (priority < 19) throw new Error('EACCES');
        set(priority);
      };
      syncBuiltinESMExports();`)}`;
    const program = ['--import', unprivileged, ...RENDERER];
    await expect(rendererOf({ program }).render(svg(square), 'svg', never)).resolves.not.toEqual([]);
  });

  it('does not blame the content when it cannot start', async () => {
    const rendered = rendererOf({ program: ['/nowhere.js'] }).render(svg(square), 'svg', never);
    await expect(rendered).rejects.toThrow('The renderer did not start');
    await expect(rendered).rejects.not.toBeInstanceOf(CannotRender);
  });

  it('kills its process when it is aborted', async () => {
    const stop = new AbortController();
    const rendered = misbehaving('setInterval(() => {}, 1000)').render(svg(square), 'svg', stop.signal);
    stop.abort();
    await expect(rendered).rejects.toThrow(/abort/i);
    await expect(rendered).rejects.not.toBeInstanceOf(CannotRender);
  });

  it('passes no credentials to its process', async () => {
    const tell = 'process.send({ reason: Object.keys(process.env).join() }, () => process.disconnect())';
    await expect(misbehaving(tell).render(svg(square), 'svg', never)).rejects.toThrow(/^VIPS_DISC_THRESHOLD$/);
  });
});
