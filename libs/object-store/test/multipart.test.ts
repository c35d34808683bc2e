import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openStore } from './support.js';

const MIB = 1024 * 1024;
const store = openStore();
const { multipart } = store;

beforeAll(() => store.ensureBucket());
afterAll(() => store.close());

const read = async (key: string) => buffer((await store.get(key)).stream);
const filled = (letter: string, size: number) => Buffer.alloc(size, letter);

describe('multipart upload', () => {
  it('becomes one object with its parts in the order of their numbers', async () => {
    const uploadId = await multipart.begin('whole', { contentType: 'text/x' });
    const [a, b] = [filled('a', 5 * MIB), filled('b', 5 * MIB + 1)];
    const second = await multipart.uploadPart('whole', uploadId, 2, b);
    const first = await multipart.uploadPart('whole', uploadId, 1, a);
    const last = await multipart.uploadPart('whole', uploadId, 3, Buffer.from('end'));
    expect(await store.head('whole')).toBeUndefined();

    const parts = [first, second, last].map(({ etag }, index) => ({ partNumber: index + 1, etag }));
    const { etag } = await multipart.complete('whole', uploadId, parts);
    expect((await read('whole')).equals(Buffer.concat([a, b, Buffer.from('end')]))).toBe(true);
    expect(await store.head('whole')).toMatchObject({ contentType: 'text/x', etag, size: 10 * MIB + 4 });
  });

  it('keeps the last of two parts with the same number', async () => {
    const uploadId = await multipart.begin('again');
    await multipart.uploadPart('again', uploadId, 1, Buffer.from('first'));
    const { etag } = await multipart.uploadPart('again', uploadId, 1, Buffer.from('second'));
    await multipart.complete('again', uploadId, [{ partNumber: 1, etag }]);
    expect((await read('again')).toString()).toBe('second');
  });

  it('can be completed again when the response was lost', async () => {
    const uploadId = await multipart.begin('twice');
    const { etag } = await multipart.uploadPart('twice', uploadId, 1, Buffer.from('x'));
    const completed = await multipart.complete('twice', uploadId, [{ partNumber: 1, etag }]);
    expect(await multipart.complete('twice', uploadId, [{ partNumber: 1, etag }])).toEqual(completed);
  });

  it('leaves nothing once aborted, cannot be completed, and can be aborted again', async () => {
    const uploadId = await multipart.begin('aborted');
    const { etag } = await multipart.uploadPart('aborted', uploadId, 1, Buffer.from('x'));
    await multipart.abort('aborted', uploadId);
    await multipart.abort('aborted', uploadId);
    await expect(multipart.complete('aborted', uploadId, [{ partNumber: 1, etag }])).rejects.toThrow();
    expect(await store.head('aborted')).toBeUndefined();
  });

  it('is stopped by its signal', async () => {
    const uploadId = await multipart.begin('stopped');
    const controller = new AbortController();
    const uploading = multipart.uploadPart('stopped', uploadId, 1, filled('a', 16 * MIB), {
      signal: controller.signal,
    });
    controller.abort();
    await expect(uploading).rejects.toMatchObject({ name: 'AbortError' });
    await multipart.abort('stopped', uploadId);
  });
});
