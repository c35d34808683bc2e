import { describe, expect, it } from '@jest/globals';
import { partsOf } from '../src/store/parts-of.js';

const lengths = async (chunks: number[], partBytes: number) => {
  const parts: number[] = [];
  for await (const part of partsOf(stream(chunks), partBytes)) {
    parts.push(part.reduce((total, { length }) => total + length, 0));
  }
  return parts;
};

async function* stream(chunks: number[], onRead: () => void = () => undefined) {
  for (const bytes of chunks) {
    onRead();
    yield Buffer.alloc(bytes, 1);
  }
}

describe('partsOf', () => {
  it.each<[number[], number, number[]]>([
    [[], 4, []],
    [[0], 4, []],
    [[3], 4, [3]],
    [[4], 4, [4]],
    [[5], 4, [4, 1]],
    [[13], 4, [4, 4, 4, 1]],
    [[1, 2, 3, 4, 5], 4, [4, 4, 4, 3]],
    [[1, 1, 1, 1], 2, [2, 2]],
  ])('cuts %j by %d into %j', async (chunks, partBytes, expected) => {
    expect(await lengths(chunks, partBytes)).toEqual(expected);
  });

  it('keeps the order of the bytes', async () => {
    const bytes = Buffer.from(Array.from({ length: 251 }, (_, index) => index));
    const pieces = [bytes.subarray(0, 7), bytes.subarray(7, 100), bytes.subarray(100)];
    const parts: Buffer[] = [];
    for await (const part of partsOf(from(pieces), 16)) parts.push(...part);
    expect(Buffer.concat(parts).equals(bytes)).toBe(true);
  });

  it('reads no further than the part that was asked for', async () => {
    let read = 0;
    const parts = partsOf(
      stream(
        Array.from({ length: 100 }, () => 10),
        () => (read += 1),
      ),
      30,
    );
    await parts.next();
    expect(read).toBe(3);
    await parts.next();
    expect(read).toBe(6);
    await parts.return();
  });
});

async function* from(pieces: Buffer[]) {
  yield* pieces;
}
