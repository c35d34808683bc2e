import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import parseRange from 'range-parser';
import { errors } from '../errors.js';
import type { Download } from './content.js';

/** Inclusive. */
interface ByteRange {
  start: number;
  end: number;
}

/** Each range is a request to the object store. */
const MAX_RANGES = 16;

const BYTES = /^bytes=(.*)$/i;
const RANGE_SPEC = /^(?:(\d+)-(\d*)|-(\d+))$/;

/**
 * The requested ranges (RFC 9110, section 14.2) in the order of the request, with overlapping and adjacent ones joined.
 * Empty for the whole content: no ranges, unknown units, invalid ranges, too many ranges, or empty content.
 * @throws 416 when all ranges begin beyond the end
 */
export function byteRanges(header: string | undefined, size: number): ByteRange[] {
  const [, set = ''] = BYTES.exec(header ?? '') ?? [];
  const specs = set
    .split(',')
    .map((spec) => spec.trim())
    .filter((spec) => spec !== '');
  if (specs.length === 0 || size === 0 || !specs.every(isRange)) return [];
  const ranges = parseRange(size, `bytes=${specs.map((spec) => withinSize(spec, size)).join()}`, { combine: true });
  if (typeof ranges === 'number') {
    throw errors.rangeNotSatisfiable({ headers: { 'content-range': `bytes */${size}` } });
  }
  return ranges.length > MAX_RANGES ? [] : [...ranges];
}

function isRange(spec: string): boolean {
  const [range, first = '', last = ''] = RANGE_SPEC.exec(spec) ?? [];
  return range !== undefined && (first === '' || last === '' || Number(first) <= Number(last));
}

/** range-parser rejects a suffix longer than the content; RFC 9110 asks for the whole content. */
const withinSize = (spec: string, size: number): string =>
  spec.startsWith('-') && Number(spec.slice(1)) > size ? '0-' : spec;

const END_OF_LINE = '\r\n';

/** RFC 9110, section 14.6. */
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
    /** Bytes. */
    length: lengths.reduce((sum, length) => sum + length, end.length),
    /** Reads one range after another. Rejects if the first one fails. */
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

function headOf({ size, contentType, contentEncoding }: Download, range: ByteRange, boundary: string): string {
  return [
    `${END_OF_LINE}--${boundary}`,
    `Content-Type: ${contentType}`,
    ...(contentEncoding ? [`Content-Encoding: ${contentEncoding}`] : []),
    `Content-Range: ${contentRangeOf(range, size)}`,
    END_OF_LINE,
  ].join(END_OF_LINE);
}
