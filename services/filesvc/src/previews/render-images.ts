import { PDFiumLibrary } from '@hyzyla/pdfium';
import type { Sharp } from 'sharp';
import sharp from 'sharp';
import type { Rendered } from './preview.js';
import { utf16Of } from './source-type.js';
import type { SourceType } from './source-type.js';

export interface RenderOptions {
  type: SourceType;
  sizes: readonly number[];
  maxPixels: number;
}

/** The only enabled decoders of libvips. None follows references out of the content. */
const LOADERS: Record<Exclude<SourceType, 'pdf'>, string> = {
  jpeg: 'VipsForeignLoadJpegBuffer',
  png: 'VipsForeignLoadPngBuffer',
  gif: 'VipsForeignLoadNsgifBuffer',
  webp: 'VipsForeignLoadWebpBuffer',
  tiff: 'VipsForeignLoadTiffBuffer',
  svg: 'VipsForeignLoadSvgBuffer',
};

/** Renders upright sRGB images without metadata that fit into squares of the given sizes. */
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

/** A page has no pixel size: it is drawn as large as the largest preview. */
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

/** libvips recognizes an SVG only in UTF-8 and by this mark near its beginning; librsvg draws more. */
const MARK = Buffer.from('<!--<svg-->');
const UTF8_BYTE_ORDER_MARK = Buffer.from('\uFEFF');
const DECLARATION = /^\s*<\?xml\s[^>]*?\?>/;
const DECLARATION_WITHIN = 1024;

/** Converts an SVG so that libvips recognizes it, whatever its encoding, prefix and prolog. */
function readableSvg(content: Buffer): Buffer {
  const encoding = utf16Of(content) ?? declaredEncoding(content);
  const bytes = encoding ? Buffer.from(new TextDecoder(encoding).decode(content)) : withoutMark(content);
  // XML without a declaration is UTF-8.
  return Buffer.concat([MARK, bytes.subarray(declarationOf(bytes).length)]);
}

const declarationOf = (bytes: Buffer): string =>
  DECLARATION.exec(bytes.subarray(0, DECLARATION_WITHIN).toString('latin1'))?.[0] ?? '';

/** An encoding that extends ASCII, other than UTF-8. */
function declaredEncoding(content: Buffer): string | undefined {
  const declared = /\sencoding\s*=\s*["']([\w.:-]+)["']/.exec(declarationOf(withoutMark(content)))?.[1];
  return declared && !/^(?:utf|ucs|iso-10646)/i.test(declared) ? declared : undefined;
}

const withoutMark = (content: Buffer): Buffer =>
  content.subarray(0, UTF8_BYTE_ORDER_MARK.length).equals(UTF8_BYTE_ORDER_MARK)
    ? content.subarray(UTF8_BYTE_ORDER_MARK.length)
    : content;
