import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';

const BLOCK = randomBytes(1024 * 1024);

/** A stream of so many bytes that costs nothing to make: the same random block again and again. */
export function content(bytes: number): Readable {
  let left = bytes;
  return new Readable({
    highWaterMark: BLOCK.length,
    read() {
      const chunk = left >= BLOCK.length ? BLOCK : BLOCK.subarray(0, left);
      left -= chunk.length;
      this.push(chunk.length > 0 ? chunk : null);
    },
  });
}
