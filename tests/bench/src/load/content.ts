import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';

const BLOCK = randomBytes(1024 * 1024);

/** A stream of the given length that is cheap to generate: it repeats a random block. */
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
