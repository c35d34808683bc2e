import parseRange from 'range-parser';
import { errors } from '../../errors.js';

/** Both ends included. */
export interface ByteRange {
  start: number;
  end: number;
}

/** Each range is a request to the object store. */
const MAX_RANGES = 16;

const BYTES = /^bytes=(.*)$/i;
const RANGE_SPEC = /^(?:(\d+)-(\d*)|-(\d+))$/;

/**
 * The requested ranges (RFC 9110, section 14.2) in the order of the request; those that overlap or touch are one. Empty for
 * the whole content: without ranges, and for those that a server may ignore: other units, invalid ranges, too many
 * ranges, and any range of empty content.
 * @throws 416 when all ranges begin behind the end
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

/** range-parser rejects a suffix that is longer than the content, where RFC 9110 asks for the whole content. */
const withinSize = (spec: string, size: number): string =>
  spec.startsWith('-') && Number(spec.slice(1)) > size ? '0-' : spec;
