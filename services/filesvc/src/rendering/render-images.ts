import { PDFiumLibrary } from '@hyzyla/pdfium';
import sharp from 'sharp';
import type { Sharp } from 'sharp';
import type { Rendered } from '../domain/previews/ports.js';
import type { SourceType } from '../domain/previews/source-type.js';
import { readableSvg } from './readable-svg.js';

export interface RenderOptions {
  type: SourceType;
  sizes: readonly number[];
  maxPixels: number;
}

/** The only readers of libvips that may run; none of them follows references out of the content. */
const LOADERS: Record<Exclude<SourceType, 'pdf'>, string> = {
  jpeg: 'VipsForeignLoadJpegBuffer',
  png: 'VipsForeignLoadPngBuffer',
  gif: 'VipsForeignLoadNsgifBuffer',
  webp: 'VipsForeignLoadWebpBuffer',
  tiff: 'VipsForeignLoadTiffBuffer',
  svg: 'VipsForeignLoadSvgBuffer',
};

/** Images that fit into squares of the given sizes: upright, in sRGB, without metadata. */
export async function renderImages(content: Buffer, { type, sizes, maxPixels }: RenderOptions): Promise<Rendered[]> {
  sharp.cache(false);
  sharp.concurrency(1);
  sharp.block({ operation: ['VipsForeignLoad'] });
  if (type !== 'pdf') sharp.unblock({ operation: [LOADERS[type]] });
  const readable = type === 'svg' ? readableSvg(content) : content;
  const source =
    type === 'pdf'
      ? await renderFirstPage(content, Math.max(...sizes))
      : () => sharp(readable, { limitInputPixels: maxPixels, failOn: 'error' });
  const images: Rendered[] = [];
  for (const size of sizes) {
    const { data, info } = await source()
      .autoOrient()
      .resize({ width: size, height: size, fit: 'inside', withoutEnlargement: true })
      .webp()
      .toBuffer({ resolveWithObject: true });
    images.push({ width: info.width, height: info.height, data });
  }
  return images;
}

/** A page has no pixels of its own: it is drawn as large as the largest preview. */
async function renderFirstPage(content: Buffer, size: number): Promise<() => Sharp> {
  const library = await PDFiumLibrary.init();
  const document = await library.loadDocument(content);
  const page = document.getPage(0);
  const { originalWidth, originalHeight } = page.getOriginalSize();
  const scale = size / Math.max(originalWidth, originalHeight);
  const pixels = (points: number) => Math.min(size, Math.max(1, Math.round(points * scale)));
  const [width, height] = [pixels(originalWidth), pixels(originalHeight)];
  const drawn = await page.render({ width, height, render: 'bitmap' });
  return () => sharp(drawn.data, { raw: { width: drawn.width, height: drawn.height, channels: 4 } });
}
