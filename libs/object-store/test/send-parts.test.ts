import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createByteBudget } from '@dtplatform/budget';
import { createPartBuffers } from '../src/part-buffers.js';
import type { PartBuffers } from '../src/part-buffers.js';
import { sendParts } from '../src/send-parts.js';
import type { SentParts } from '../src/send-parts.js';

const PART = 100;
const roomFor = (parts: number) => createPartBuffers(createByteBudget(parts * PART), PART);
const numbered = (length: number) => Buffer.from(Array.from({ length }, (_, n) => n % 251));

/** Cuts bytes into pieces of the given sizes, repeatedly. */
function* pieces(bytes: Buffer, sizes: number[]) {
  for (let at = 0, n = 0; at < bytes.length; n++) {
    const size = sizes[n % sizes.length]!;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

type Content = Partial<Parameters<typeof sendParts>[0]> & { body: Readable };

/** Sends parts with settings that a test can override. */
const start = <T>(content: Content, use: (sent: SentParts) => Promise<T>) =>
  sendParts(
    {
      caller: 'somebody',
      maxBytes: 1e9,
      partBytes: PART,
      buffers: roomFor(4),
      send: async () => undefined,
      ...content,
    },
    use,
  );

/** Sends to a store that responds late and in any order, and overwrites each buffer once it has responded. */
async function send(content: Content) {
  const parts: Buffer[] = [];
  const buffers = new Set<ArrayBufferLike>();
  let inFlight = 0;
  let mostInFlight = 0;
  const store = async (part: Buffer) => {
    const index = parts.push(Buffer.from(part)) - 1;
    buffers.add(part.buffer);
    mostInFlight = Math.max(mostInFlight, ++inFlight);
    for (let turn = 0; turn < (index * 7) % 5; turn++) await new Promise(setImmediate);
    part.fill(255);
    inFlight--;
  };
  const keepRest = async ({ rest, ...result }: SentParts) => ({ ...result, rest: Buffer.from(rest) });
  const sent = await start({ ...content, send: store }, keepRest);
  return { ...sent, parts, buffers: buffers.size, mostInFlight };
}

describe('sendParts', () => {
  it('sends every byte once, in parts of one size, from two buffers, for any chunks of the body', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(1200),
        fc.array(fc.integer({ min: 1, max: 350 }), { minLength: 1, maxLength: 6 }),
        fc.nat(PART - 1),
        fc.boolean(),
        async (length, sizes, headLength, isWholeKnown) => {
          const bytes = numbered(length + headLength);
          const head = bytes.subarray(0, headLength);
          const sent = await send({
            body: Readable.from(pieces(bytes.subarray(headLength), sizes), { objectMode: false }),
            ...(headLength > 0 && { head: async () => Readable.from([head]) }),
            ...(isWholeKnown && { maxBytes: bytes.length }),
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
      {
        examples: [
          [0, [1], 0, false],
          [PART, [PART], 0, true],
          [4 * PART, [70], 0, true],
          [4 * PART, [400], 0, false],
        ],
      },
    );
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
    const store = () => new Promise<void>((resolve) => answers.push(resolve));
    const sending = start({ body, send: store }, async ({ total }) => total);
    for (let turn = 0; turn < 200; turn++) await new Promise(setImmediate);
    expect(answers).toHaveLength(2);
    expect(given).toBeLessThan(2 * PART + 50);
    const timer = setInterval(() => answers.splice(0).forEach((answer) => answer()), 1);
    expect(await sending).toBe(1000);
    clearInterval(timer);
  });

  it('reports a body that is too long and a body that breaks off', async () => {
    const long = await send({ body: Readable.from([numbered(150), numbered(100)]), maxBytes: 200 });
    expect(long).toMatchObject({ end: 'too-long', total: 150 });
    const body = new Readable({ read: () => undefined });
    body.push(numbered(150));
    const sending = send({ body });
    setImmediate(() => body.destroy(new Error('ECONNRESET')));
    const { parts, rest, ...broken } = await sending;
    expect(broken).toMatchObject({ end: 'cut', error: { message: 'ECONNRESET' } });
    expect(parts).toHaveLength(1);
    expect(rest).toHaveLength(50);
  });

  it('throws the error of a part after the other parts have settled', async () => {
    let settled = 0;
    const failure = new Error('the store is unavailable');
    const store = async () => {
      const turn = settled;
      await new Promise(setImmediate);
      settled++;
      if (turn === 0) throw failure;
    };
    const sending = start({ body: Readable.from([numbered(1000)]), send: store }, async () => 'sent');
    await expect(sending).rejects.toBe(failure);
    expect(settled).toBe(2);
  });
});

describe('part buffers', () => {
  /** An upload to a store that takes some turns of the event loop for each part. */
  const upload = (buffers: PartBuffers, body: Readable, caller: string, onPart: () => void = () => undefined) => {
    const store = async () => {
      onPart();
      for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
    };
    return start({ body, caller, buffers, send: store }, async ({ total, end }) => ({ total, end }));
  };
  const bodyOf = (bytes: number) => Readable.from(pieces(numbered(bytes), [30]), { objectMode: false });

  it('never exceed their budget, and all uploads of all callers end', async () => {
    const budget = createByteBudget(3 * PART);
    const buffers = createPartBuffers(budget, PART);
    let most = 0;
    const onPart = () => (most = Math.max(most, budget.usedBytes));
    const sent = await Promise.all(
      Array.from({ length: 40 }, (_, n) => upload(buffers, bodyOf(1050), `caller ${n % 3}`, onPart)),
    );
    expect(sent).toEqual(Array.from({ length: 40 }, () => ({ total: 1050, end: 'complete' })));
    expect(most).toBe(3 * PART);
    expect(budget.usedBytes).toBe(0);
  });

  it('exceed the budget for one upload at a time only', async () => {
    const buffers = createPartBuffers(createByteBudget(PART / 2), PART);
    const sent = await Promise.all([upload(buffers, bodyOf(250), 'a'), upload(buffers, bodyOf(250), 'b')]);
    expect(sent).toMatchObject([{ total: 250 }, { total: 250 }]);
  });

  it('go to callers in turn, however many uploads one of them has', async () => {
    const buffers = createPartBuffers(createByteBudget(PART), PART);
    const order: string[] = [];
    const start = (caller: string) => upload(buffers, bodyOf(250), caller, () => order.push(caller));
    const many = Array.from({ length: 20 }, () => start('many'));
    await start('one');
    expect(order.filter((caller) => caller === 'many').length).toBeLessThan(9);
    await Promise.all(many);
  });

  it('leave the queue when a waiting body breaks off', async () => {
    const budget = createByteBudget(PART);
    const held = await budget.reserve(PART, 'other');
    const body = new Readable({ read: () => undefined });
    body.push(numbered(50));
    const waiting = upload(createPartBuffers(budget, PART), body, 'a');
    setImmediate(() => body.destroy());
    expect(await waiting).toEqual({ total: 0, end: 'cut' });
    held.release();
    expect(budget.usedBytes).toBe(0);
  });

  it('are taken from a body that stalls while others wait', async () => {
    const buffers = createPartBuffers(createByteBudget(PART), PART, 20);
    const stalled = new Readable({ read: () => undefined });
    stalled.push(numbered(50));
    const slow = upload(buffers, stalled, 'slow');
    await new Promise(setImmediate);
    expect(await upload(buffers, bodyOf(250), 'other')).toMatchObject({ total: 250 });
    expect(await slow).toEqual({ total: 50, end: 'cut' });
  });

  it('are returned after a failure of the store', async () => {
    const budget = createByteBudget(2 * PART);
    const store = () => Promise.reject(new Error('the store is unavailable'));
    const failing = { body: bodyOf(1000), buffers: createPartBuffers(budget, PART), send: store };
    await expect(start(failing, async () => 'sent')).rejects.toThrow('unavailable');
    expect(budget.usedBytes).toBe(0);
  });
});
