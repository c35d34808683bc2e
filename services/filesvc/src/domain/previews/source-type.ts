import { rootOfXml } from './xml-root.js';

/** What previews are made of. */
export type SourceType = 'jpeg' | 'png' | 'gif' | 'webp' | 'tiff' | 'svg' | 'pdf';

/** So many bytes at the beginning of the content decide about its type. */
export const HEAD_BYTES = 4096;
/** The same for XML, which may have long comments and declarations before its root element. */
export const XML_HEAD_BYTES = 256 * 1024;
/** Readers of PDF accept other bytes before the header. */
const PDF_HEADER_WITHIN = 1024;

const startsWith = (head: Buffer, text: string, offset = 0) =>
  head.subarray(offset, offset + text.length).toString('latin1') === text;

const SIGNATURES: Record<SourceType, (head: Buffer) => boolean> = {
  jpeg: (head) => startsWith(head, '\xff\xd8\xff'),
  png: (head) => startsWith(head, '\x89PNG\r\n\x1a\n'),
  gif: (head) => startsWith(head, 'GIF87a') || startsWith(head, 'GIF89a'),
  webp: (head) => startsWith(head, 'RIFF') && startsWith(head, 'WEBP', 8),
  tiff: (head) => ['II*\0', 'MM\0*', 'II+\0', 'MM\0+'].some((signature) => startsWith(head, signature)),
  pdf: (head) => head.subarray(0, PDF_HEADER_WITHIN).includes('%PDF-'),
  svg: (head) => rootOfXml(head) === 'svg',
};

/** The type of content by its first bytes, whatever its name says; undefined when no previews can be made of it. */
export const sourceTypeOf = (head: Buffer): SourceType | undefined =>
  (Object.keys(SIGNATURES) as SourceType[]).find((type) => SIGNATURES[type](head));

/** Whether previews may be made of content that begins so. */
export function maySourceBegin(bytes: Buffer): boolean {
  const head = bytes.subarray(0, HEAD_BYTES);
  return sourceTypeOf(head) !== undefined || needsMore(head);
}

/** Whether more of the content than this decides about its type. */
export const needsMore = (head: Buffer): boolean => rootOfXml(head) === 'later';
