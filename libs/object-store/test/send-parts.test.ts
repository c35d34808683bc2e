import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createPartBuffers } from '../src/part-buffers.js';
import { sendParts } from '../src/send-parts.js';
import type { SentParts } from '../src/send-parts.js';

const PART = 100;
const numbered = (length: number) => Buffer.from(Array.from({ length }, (_, n) => n % 251));

/** Cuts bytes into pieces of the given sizes, over and over. */
function* pieces(bytes: Buffer, sizes: number[]) {
  for (let at = 0, n = 0; at < bytes.length; n++) {
    const size = sizes[n % sizes.length]!;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

interface Options {
  head?: Buffer;
  maxBytes?: number;
  partBytes?: number;
}

/** Sends to a store that responds late and in any order, and overwrites each buffer once it has responded. */
async function send(body: Readable, { head, maxBytes = 1e9, partBytes = PART }: Options = {}) {
  const parts: Buffer[] = [];
  const buffers = new Set<ArrayBufferLike>();
  let inFlight = 0;
  let mostInFlight = 0;
  const sent = await sendParts(
    {
      body,
      head,
      maxBytes,
      partBytes,
      buffers: createPartBuffers(partBytes),
      send: async (part) => {
        const index = parts.push(Buffer.from(part)) - 1;
        buffers.add(part.buffer);
        mostInFlight = Math.max(mostInFlight, ++inFlight);
        for (let turn = 0; turn < (index * 7) % 5; turn++) await new Promise(setImmediate);
        part.fill(255);
        inFlight--;
      },
    },
    async ({ rest, ...result }: SentParts) => ({ ...result, rest: Buffer.from(rest) }),
  );
  return { ...sent, parts, buffers: buffers.size, mostInFlight };
}

describe('sendParts', () => {
  it('sends every byte once, in parts of one size, from two buffers, whatever the chunks of the body are', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(1200),
        fc.array(fc.integer({ min: 1, max: 350 }), { minLength: 1, maxLength: 6 }),
        fc.nat(PART - 1),
        fc.boolean(),
        async (length, sizes, headLength, isWholeKnown) => {
          const bytes = numbered(length + headLength);
          const head = headLength > 0 ? bytes.subarray(0, headLength) : undefined;
          const sent = await send(Readable.from(pieces(bytes.subarray(headLength), sizes), { objectMode: false }), {
            head,
            maxBytes: isWholeKnown ? bytes.length : undefined,
          });
          expect(Buffer.concat([...sent.parts, sent.rest]).equals(bytes)).toBe(true);
          expect(sent.parts.every((part) => part.length === PART)).toBe(true);
          expect(sent).toMatchObject({ total: bytes.length, end: 'complete' });
          expect(sent.buffers).toBeLessThanOrEqual(2);
          expect(sent.mostInFlight).toBeLessThanOrEqual(2);
          // The caller sends the last part when the total is known.
          if (isWholeKnown && bytes.length > 0) expect(sent.rest.length).toBeGreaterThan(0);
        },
      ),
    );
  });

  it.each<[number[], number, number[]]>([
    [[], 4, []],
    [[0], 4, []],
    [[3], 4, [3]],
    [[4], 4, [4]],
    [[5], 4, [4, 1]],
    [[13], 4, [4, 4, 4, 1]],
    [[1, 2, 3, 4, 5], 4, [4, 4, 4, 3]],
    [[1, 1, 1, 1], 2, [2, 2]],
  ])('cuts chunks of %j by %d into %j', async (chunks, partBytes, expected) => {
    const body = Readable.from(
      chunks.map((bytes) => Buffer.alloc(bytes, 1)),
      { objectMode: false },
    );
    const { parts, rest } = await send(body, { partBytes });
    expect([...parts, rest].map(({ length }) => length).filter(Boolean)).toEqual(expected);
  });

  it('stops reading while both buffers are in flight', async () => {
    let given = 0;
    const body = new Readable({
      highWaterMark: 10,
      read() {
        this.push(given < 1000 ? Buffer.alloc(10) : null);
        given += 10;
      },
    });
    const answers: (() => void)[] = [];
    const sending = sendParts(
      {
        body,
        partBytes: PART,
        maxBytes: 1e9,
        buffers: createPartBuffers(PART),
        send: () => new Promise<void>((resolve) => answers.push(resolve)),
      },
      async ({ total }) => total,
    );
    for (let turn = 0; turn < 200; turn++) await new Promise(setImmediate);
    expect(answers).toHaveLength(2);
    expect(given).toBeLessThan(2 * PART + 50);
    const timer = setInterval(() => answers.splice(0).forEach((answer) => answer()), 1);
    expect(await sending).toBe(1000);
    clearInterval(timer);
  });

  it('reports a body that is too long and a body that breaks off', async () => {
    const long = await send(Readable.from([numbered(150), numbered(100)]), { maxBytes: 200 });
    expect(long).toMatchObject({ end: 'too-long', total: 150 });
    const broken = new Readable({ read: () => undefined });
    broken.push(numbered(150));
    const sending = send(broken);
    setImmediate(() => broken.destroy(new Error('ECONNRESET')));
    const { end, error, parts, rest } = await sending;
    expect(end).toBe('cut');
    expect(error).toMatchObject({ message: 'ECONNRESET' });
    expect(parts).toHaveLength(1);
    expect(rest).toHaveLength(50);
  });

  it('throws the error of a part after the other parts have settled', async () => {
    let settled = 0;
    const failure = new Error('the store is unavailable');
    const sending = sendParts(
      {
        body: Readable.from([numbered(1000)]),
        partBytes: PART,
        maxBytes: 1e9,
        buffers: createPartBuffers(PART),
        send: async () => {
          const turn = settled;
          await new Promise(setImmediate);
          settled++;
          if (turn === 0) throw failure;
        },
      },
      async () => 'sent',
    );
    await expect(sending).rejects.toBe(failure);
    expect(settled).toBe(2);
  });
});
