import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openStore } from './support.js';

const MIB = 1024 * 1024;
const store = openStore();
const { multipart } = store;

beforeAll(() => store.ensureBucket());
afterAll(() => store.close());

const read = async (key: string) => buffer((await store.get(key)).stream);
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const filled = (letter: string, size: number) => Buffer.alloc(size, letter);

describe('a multipart upload', () => {
  it('assembles one object from buffers and lists of buffers, in the order of the part numbers', async () => {
    const uploadId = await multipart.begin('whole', { contentType: 'text/x' });
    const [a, b, c] = [filled('a', 5 * MIB), filled('b', 2 * MIB), filled('c', 3 * MIB + 1)];
    const second = await multipart.uploadPart('whole', uploadId, 2, [b, c]);
    const first = await multipart.uploadPart('whole', uploadId, 1, a);
    const last = await multipart.uploadPart('whole', uploadId, 3, Buffer.from('end'));
    expect(await store.head('whole')).toBeUndefined();

    const parts = [first, second, last].map(({ etag }, index) => ({ partNumber: index + 1, etag }));
    const { etag } = await multipart.complete('whole', uploadId, parts);
    expect(sha256(await read('whole'))).toBe(sha256(Buffer.concat([a, b, c, Buffer.from('end')])));
    expect(await store.head('whole')).toMatchObject({ contentType: 'text/x', etag, size: 10 * MIB + 4 });
  });

  it('uses the later of two parts with the same number', async () => {
    const uploadId = await multipart.begin('again');
    await multipart.uploadPart('again', uploadId, 1, Buffer.from('first'));
    const { etag } = await multipart.uploadPart('again', uploadId, 1, Buffer.from('second'));
    await multipart.complete('again', uploadId, [{ partNumber: 1, etag }]);
    expect((await read('again')).toString()).toBe('second');
  });

  it('can be completed again after a lost reply', async () => {
    const uploadId = await multipart.begin('twice');
    const { etag } = await multipart.uploadPart('twice', uploadId, 1, Buffer.from('x'));
    const completed = await multipart.complete('twice', uploadId, [{ partNumber: 1, etag }]);
    expect(await multipart.complete('twice', uploadId, [{ partNumber: 1, etag }])).toEqual(completed);
  });

  it('leaves nothing behind when it is aborted, cannot be completed afterwards, and can be aborted again', async () => {
    const uploadId = await multipart.begin('aborted');
    const { etag } = await multipart.uploadPart('aborted', uploadId, 1, Buffer.from('x'));
    await multipart.abort('aborted', uploadId);
    await multipart.abort('aborted', uploadId);
    await expect(multipart.complete('aborted', uploadId, [{ partNumber: 1, etag }])).rejects.toThrow();
    expect(await store.head('aborted')).toBeUndefined();
  });

  it('is stopped by its signal', async () => {
    const uploadId = await multipart.begin('stopped');
    for (const body of [filled('a', 16 * MIB), [filled('a', 8 * MIB), filled('b', 8 * MIB)]]) {
      const controller = new AbortController();
      const uploading = multipart.uploadPart('stopped', uploadId, 1, body, { signal: controller.signal });
      controller.abort();
      await expect(uploading).rejects.toMatchObject({ name: 'AbortError' });
    }
    await multipart.abort('stopped', uploadId);
  });
});
