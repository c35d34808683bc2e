import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import sharp from 'sharp';
import { CannotRender } from '../src/previews/preview.js';
import { createRenderer } from '../src/previews/renderer.client.js';
import type { RendererOptions } from '../src/previews/renderer.client.js';
import { RENDERER } from './renderer-program.js';

const MIB = 1024 ** 2;
const never = new AbortController().signal;
const rendererOf = (options: Partial<RendererOptions> = {}) =>
  createRenderer({ maxPixels: 64_000_000, timeoutMs: 60_000, memoryBytes: 512 * MIB, program: RENDERER, ...options });
/** A program that starts like the renderer and then does something else. */
const misbehaving = (script: string) => rendererOf({ program: ['-e', `process.send('started'); ${script}`, '--'] });

const svg = (content: string, { doctype = '', size = 20 } = {}) =>
  Buffer.from(
    `<?xml version="1.0"?>${doctype}<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" ` +
      `xmlns:xi="http://www.w3.org/2001/XInclude" width="${size}" height="${size}">${content}</svg>`,
  );
const square = '<rect width="20" height="20" fill="red"/>';

/** Whether anything was drawn. */
async function isBlank(image: Uint8Array): Promise<boolean> {
  const { channels } = await sharp(image).stats();
  return channels.every(({ min, max }) => min === max);
}

describe('the renderer', () => {
  let folder: string;
  let server: Server;
  const requested: string[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'renderer-'));
    const half = { create: { width: 10, height: 20, channels: 3 as const, background: 'red' } };
    await writeFile(path.join(folder, 'secret.png'), await sharp(half).png().toBuffer());
    await writeFile(path.join(folder, 'secret.svg'), svg(square));
    await writeFile(path.join(folder, 'secret.txt'), square);
    await writeFile(path.join(folder, 'secret.css'), 'rect { fill: red }');
    server = createServer((request, response) => {
      requested.push(request.url ?? '');
      response.end();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(async () => {
    server.close();
    await rm(folder, { recursive: true });
  });

  it('draws an SVG', async () => {
    const [image] = await rendererOf().render(svg('<rect width="10" height="20" fill="red"/>'), 'svg', never);
    expect(await isBlank(image!.data)).toBe(false);
  });

  it.each<[string, (base: string) => Buffer]>([
    ['images', (base) => svg(`<image width="20" height="20" href="${base}/secret.png"/>`)],
    ['images by XLink', (base) => svg(`<image width="20" height="20" xlink:href="${base}/secret.png"/>`)],
    ['drawings', (base) => svg(`<image width="20" height="20" href="${base}/secret.svg"/>`)],
    ['parts of drawings', (base) => svg(`<use href="${base}/secret.svg#part"/>`)],
    ['included text', (base) => svg(`<xi:include href="${base}/secret.txt" parse="xml"/>`)],
    ['style sheets', (base) => svg(`<style>@import url("${base}/secret.css");</style><rect width="9" fill="none"/>`)],
    ['entities', (base) => svg('&x;', { doctype: `<!DOCTYPE svg [<!ENTITY x SYSTEM "${base}/secret.txt">]>` })],
    [
      'document types',
      (base) => svg('&x;', { doctype: `<!DOCTYPE svg SYSTEM "${base}/secret.txt" [<!ENTITY x "">]>` }),
    ],
    ['scripts', (base) => svg(`<script href="${base}/script.js">fetch("${base}/script")</script>`)],
  ])('does not read %s that an SVG refers to', async (_what, drawing) => {
    const { port } = server.address() as AddressInfo;
    for (const base of [`file://${folder}`, folder, `http://127.0.0.1:${port}`]) {
      const images = await rendererOf()
        .render(drawing(base), 'svg', never)
        .catch((error: unknown) => {
          if (error instanceof CannotRender) return [];
          throw error;
        });
      for (const { data } of images) expect(await isBlank(data)).toBe(true);
    }
    expect(requested).toEqual([]);
  });

  it('survives entities that multiply', async () => {
    const levels = Array.from({ length: 12 }, (_, n) => `<!ENTITY l${n + 1} "${`&l${n};`.repeat(10)}">`).join('');
    const doctype = `<!DOCTYPE svg [<!ENTITY l0 "<rect/>">${levels}]>`;
    await expect(rendererOf().render(svg('&l12;', { doctype }), 'svg', never)).rejects.toThrow(CannotRender);
  });

  it('ends what takes too long', async () => {
    const noise = '<filter id="f"><feTurbulence baseFrequency="0.9" numOctaves="500"/></filter>';
    const layers = '<rect width="1000" height="1000" filter="url(#f)"/>'.repeat(5_000);
    const slow = svg(`${noise}${layers}`, { size: 1_000 });
    const rendered = rendererOf({ timeoutMs: 3_000 }).render(slow, 'svg', never);
    await expect(rendered).rejects.toThrow('Rendering took longer than 3000 ms.');
    await expect(rendered).rejects.toBeInstanceOf(CannotRender);
  });

  it('ends what needs too much memory', async () => {
    const image = sharp({ create: { width: 7_000, height: 7_000, channels: 3, background: 'red' } });
    const content = await image.png({ progressive: true }).toBuffer();
    const rendered = rendererOf({ memoryBytes: 128 * MIB }).render(content, 'png', never);
    await expect(rendered).rejects.toThrow('Rendering needed more than 128 MiB of memory.');
    await expect(rendered).rejects.toBeInstanceOf(CannotRender);
  });

  it('only uses the reader of the given type', async () => {
    await expect(rendererOf().render(svg(square), 'png', never)).rejects.toThrow(CannotRender);
  });

  it('takes a crash for the fault of the content', async () => {
    await expect(misbehaving('process.abort()').render(svg(square), 'svg', never)).rejects.toThrow(CannotRender);
  });

  it('does not take it for the fault of the content when it cannot start', async () => {
    const rendered = rendererOf({ program: ['/nowhere.js'] }).render(svg(square), 'svg', never);
    await expect(rendered).rejects.toThrow('The renderer did not start');
    await expect(rendered).rejects.not.toBeInstanceOf(CannotRender);
  });

  it('ends its process when it is told to', async () => {
    const stop = new AbortController();
    const rendered = misbehaving('setInterval(() => {}, 1000)').render(svg(square), 'svg', stop.signal);
    stop.abort();
    await expect(rendered).rejects.toThrow(/abort/i);
    await expect(rendered).rejects.not.toBeInstanceOf(CannotRender);
  });

  it('gives its process no credentials', async () => {
    const tell = 'process.send({ reason: Object.keys(process.env).join() }, () => process.disconnect())';
    await expect(misbehaving(tell).render(svg(square), 'svg', never)).rejects.toThrow(/^VIPS_DISC_THRESHOLD$/);
  });
});
