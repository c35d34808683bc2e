import { errors } from '../../errors.js';

/** Bytes from 0, both ends included. */
export interface ByteRange {
  start: number;
  end: number;
}

const SINGLE = /^bytes=(\d{0,16})-(\d{0,16})$/;

/**
 * The range that a request asks for (RFC 9110, section 14.2). Undefined for the whole: without a range, and with what a server may
 * ignore, which is another unit, several ranges, or a range that is not valid.
 * @throws 416 when it lies behind the end
 */
export function byteRange(header: string | undefined, size: number): ByteRange | undefined {
  const [, first, last] = SINGLE.exec(header ?? '') ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return undefined;
  const start = first === '' ? Math.max(size - Number(last), 0) : Number(first);
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (first !== '' && last !== '' && Number(last) < start) return undefined;
  if (start >= size || end < start)
    throw errors.rangeNotSatisfiable({ headers: { 'content-range': `bytes */${size}` } });
  return { start, end };
}
