import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ObjectStore } from '../src/index.js';
import { openStore } from './support.js';

const MIB = 1024 * 1024;
const store = openStore();

beforeAll(() => store.ensureBucket());
afterAll(() => store.close());

type Options = Partial<Parameters<ObjectStore['putStream']>[2]>;

/** Stores a body and records the multipart upload, if there was one. */
async function put(key: string, body: Readable, options: Options = {}) {
  const started: { uploadId?: string } = {};
  const verify = ({ end }: { end: string }) => {
    if (end !== 'complete') throw new Error(end);
  };
  const onMultipart = async (id: string) => void (started.uploadId = id);
  const bytes = store.putStream(key, body, { maxBytes: 1e9, caller: 'somebody', verify, onMultipart, ...options });
  return { started, bytes };
}

const inChunks = (bytes: Buffer, size: number) =>
  Readable.from(
    Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) => bytes.subarray(n * size, (n + 1) * size)),
    { objectMode: false },
  );

describe('putStream', () => {
  it.each([0, 5, 8 * MIB - 1, 8 * MIB, 8 * MIB + 1, 20 * MIB + 7])('stores %d bytes as one object', async (size) => {
    const content = randomBytes(size);
    const info = { contentType: 'model/x', contentEncoding: 'gzip' };
    const { started, bytes } = await put(`of-${size}`, inChunks(content, 70_001), { ...info, maxBytes: size });
    expect(await bytes).toBe(size);
    expect(started.uploadId === undefined).toBe(size <= 8 * MIB);
    const { stream, ...head } = await store.get(`of-${size}`);
    expect((await buffer(stream)).equals(content)).toBe(true);
    expect(head).toMatchObject({ size, ...info });
  });

  it('stores nothing and aborts its upload when the content is rejected or breaks off', async () => {
    const content = randomBytes(9 * MIB);
    const broken = Readable.from(
      (function* () {
        yield content;
        throw new Error('ECONNRESET');
      })(),
      { objectMode: false },
    );
    const cases: [string, Readable, Options][] = [
      ['too-long', inChunks(content, MIB), { maxBytes: content.length - 1 }],
      ['cut', broken, {}],
      ['refused', inChunks(content, MIB), { verify: () => { throw new Error('refused'); } }], // prettier-ignore
    ];
    for (const [name, body, options] of cases) {
      const { started, bytes } = await put(name, body, options);
      await expect(bytes).rejects.toThrow(name);
      expect(await store.head(name)).toBeUndefined();
      await expect(store.multipart.uploadPart(name, started.uploadId!, 1, Buffer.from('x'))).rejects.toMatchObject({
        name: 'NoSuchUpload',
      });
    }
  });

  it('stops before the first part when the upload cannot be recorded', async () => {
    const onMultipart = () => Promise.reject(new Error('not recorded'));
    const { bytes } = await put('unrecorded', inChunks(randomBytes(20 * MIB), MIB), { onMultipart });
    await expect(bytes).rejects.toThrow('not recorded');
    expect(await store.head('unrecorded')).toBeUndefined();
  });
});
