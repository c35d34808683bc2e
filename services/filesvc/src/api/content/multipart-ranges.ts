import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import type { ByteRange } from './byte-ranges.js';
import type { Download } from '../../domain/content/content.js';

const END_OF_LINE = '\r\n';

/** Several ranges of content as one body of type `multipart/byteranges` (RFC 9110, section 14.6). */
export function multipartRanges(download: Download, ranges: readonly ByteRange[]) {
  const boundary = randomBytes(16).toString('hex');
  const heads = ranges.map((range) => headOf(download, range, boundary));
  const end = `${END_OF_LINE}--${boundary}--${END_OF_LINE}`;
  const lengths = ranges.map((range, n) => Buffer.byteLength(heads[n]!) + lengthOf(range));

  async function* parts(first: Readable, signal: AbortSignal): AsyncGenerator<Buffer> {
    for (const [n, range] of ranges.entries()) {
      yield Buffer.from(heads[n]!);
      yield* n === 0 ? first : (await download.open(range, signal)).stream;
    }
    yield Buffer.from(end);
  }

  return {
    contentType: `multipart/byteranges; boundary=${boundary}`,
    /** Bytes of the whole body. */
    length: lengths.reduce((sum, length) => sum + length, end.length),
    /** Reads one range after another. Errors of the first one come before the reply. */
    async open(signal: AbortSignal): Promise<Readable> {
      const { stream } = await download.open(ranges[0], signal);
      const body = Readable.from(parts(stream, signal), { objectMode: false });
      // A body that is destroyed before it is read never runs its generator.
      return body.once('close', () => stream.destroy());
    },
  };
}

export const lengthOf = ({ start, end }: ByteRange): number => end - start + 1;

export const contentRangeOf = ({ start, end }: ByteRange, size: number): string => `bytes ${start}-${end}/${size}`;

/** The header fields of a part describe the content, as those of the reply with the whole content do. */
function headOf({ size, contentType, contentEncoding }: Download, range: ByteRange, boundary: string): string {
  return [
    `${END_OF_LINE}--${boundary}`,
    `Content-Type: ${contentType}`,
    ...(contentEncoding ? [`Content-Encoding: ${contentEncoding}`] : []),
    `Content-Range: ${contentRangeOf(range, size)}`,
    END_OF_LINE,
  ].join(END_OF_LINE);
}
