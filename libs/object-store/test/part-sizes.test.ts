import { describe, expect, it } from '@jest/globals';
import { MAX_PARTS, MIN_PART_BYTES, partBytesFor } from '../src/part-buffers.js';

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;
const TIB = 1024 ** 4;

/** S3 limits: at most 10 000 parts of 5 MiB to 5 GiB, and 5 TiB in total. */
describe('part size', () => {
  it.each([
    [0, 8 * MIB],
    [5 * MIB, 8 * MIB],
    [9_000 * 8 * MIB, 8 * MIB],
    [9_000 * 8 * MIB + 1, 9 * MIB],
    [512 * GIB, 59 * MIB],
    [5_000_000_000_000, 530 * MIB],
    [5 * TIB, 583 * MIB],
  ])('of %i bytes is %i', (size, expected) => expect(partBytesFor(size)).toBe(expected));

  it('permits content of any size, even if a thousand requests end a part early', () => {
    for (let size = 1; size <= 5 * TIB; size = Math.ceil(size * 1.37)) {
      const partBytes = partBytesFor(size);
      expect(partBytes).toBeGreaterThanOrEqual(MIN_PART_BYTES);
      expect(partBytes).toBeLessThanOrEqual(5 * GIB);
      expect(Math.ceil(size / partBytes) + 1000).toBeLessThanOrEqual(MAX_PARTS);
    }
  });
});
