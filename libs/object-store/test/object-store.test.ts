import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isObjectMissing, s3Errors } from '../src/index.js';
import { failureOf, openStore } from './support.js';

const MIB = 1024 * 1024;
const store = openStore();

beforeAll(() => store.ensureBucket());
afterAll(() => store.close());

const read = async (key: string, range?: { start: number; end?: number }) => {
  const { stream, ...rest } = await store.get(key, { range });
  return { ...rest, body: await buffer(stream) };
};

describe('bucket', () => {
  it('can be ensured repeatedly and concurrently', async () => {
    await Promise.all([store.ensureBucket(), store.ensureBucket()]);
    await store.ping();
  });

  it('fails a ping when it does not exist', async () => {
    const other = openStore({ bucket: 'no-such-bucket-here' });
    await expect(other.ping()).rejects.toThrow();
    other.close();
  });
});

describe('object', () => {
  it('is read back as it was stored', async () => {
    const bytes = randomBytes(3 * MIB + 17);
    const info = { contentType: 'image/x', contentEncoding: 'gzip' };
    const { etag } = await store.put('whole', bytes, info);
    const { body, ...rest } = await read('whole');
    expect(body.equals(bytes)).toBe(true);
    expect(rest).toMatchObject({ size: bytes.length, length: bytes.length, etag, ...info });
    expect(await store.head('whole')).toMatchObject({ size: bytes.length, etag, ...info });
  });

  it('is stored by only one of concurrent putIfAbsent calls', async () => {
    expect(await store.readText('first')).toBeUndefined();
    const ids = ['a', 'b', 'c', 'd'];
    await Promise.all(ids.map((id) => store.putIfAbsent('first', Buffer.from(id))));
    const first = await store.readText('first');
    expect(ids).toContain(first);
    await store.putIfAbsent('first', Buffer.from('late'));
    expect(await store.readText('first')).toBe(first);
  });

  it('may be empty and have any name', async () => {
    const key = 'a b/ü+&?#%/..x';
    await store.put(key, Buffer.alloc(0));
    expect(await store.head(key)).toMatchObject({ size: 0 });
    expect((await read(key)).body).toHaveLength(0);
  });

  it('can be read partially', async () => {
    await store.put('part', Buffer.from('0123456789'));
    const middle = await read('part', { start: 2, end: 4 });
    expect(middle.body.toString()).toBe('234');
    expect(middle).toMatchObject({ size: 10, length: 3, contentRange: 'bytes 2-4/10' });
    expect((await read('part', { start: 7 })).body.toString()).toBe('789');
    const beyond = await failureOf(read('part', { start: 10 }));
    expect(beyond).toMatchObject({ name: 'InvalidRange' });
    expect(s3Errors(beyond)).toBeUndefined();
  });

  it('that does not exist has no head, cannot be read, and can be deleted', async () => {
    expect(await store.head('missing')).toBeUndefined();
    const failure = await failureOf(store.get('missing'));
    expect(isObjectMissing(failure)).toBe(true);
    expect(s3Errors(failure)).toBeUndefined();
    await store.delete('missing');
  });

  it('does not exist after it was deleted, alone or with others', async () => {
    const keys = Array.from({ length: 40 }, (_, n) => `many/${n}`);
    await Promise.all(keys.map((key) => store.put(key, Buffer.from('x'))));
    await store.delete('many/0');
    await store.deleteMany(keys);
    expect((await Promise.all(keys.map((key) => store.head(key)))).filter(Boolean)).toEqual([]);
  });

  it('is not stored or read any further once the signal aborts', async () => {
    const controller = new AbortController();
    const putting = store.put('aborted', randomBytes(16 * MIB), { signal: controller.signal });
    controller.abort();
    const failure = await failureOf(putting);
    expect(failure).toMatchObject({ name: 'AbortError' });
    expect(s3Errors(failure)).toBeUndefined();

    await store.put('long', randomBytes(16 * MIB));
    const reading = new AbortController();
    const { stream } = await store.get('long', { signal: reading.signal });
    reading.abort();
    await expect(buffer(stream)).rejects.toMatchObject({ name: 'AbortError' });
  });
});

describe('pre-signed URL', () => {
  beforeAll(() => store.put('signed', Buffer.from('hello'), { contentType: 'text/html' }));

  it('gives anybody the object, as a download with the requested name and type', async () => {
    const filename = 'Plan "Süd" 100%.txt';
    const response = await fetch(
      await store.presignGet('signed', { expiresInSec: 60, filename, contentType: 'text/plain' }),
    );
    expect(response.status).toBe(200);
    expect(await response.text()).toBe('hello');
    expect(response.headers.get('content-type')).toBe('text/plain');
    expect(response.headers.get('content-disposition')).toBe(
      `attachment; filename="Plan _S_d_ 100_.txt"; filename*=UTF-8''Plan%20%22S%C3%BCd%22%20100%25.txt`,
    );
  });

  it('points to the public endpoint', async () => {
    const publicStore = openStore({ publicEndpoint: 'https://files.example.org:8443' });
    const url = new URL(await publicStore.presignGet('signed', { expiresInSec: 60, filename: 'x' }));
    expect(url.origin).toBe('https://files.example.org:8443');
    expect(url.searchParams.get('X-Amz-Expires')).toBe('60');
    publicStore.close();
  });

  it('can be read by pages of any origin', async () => {
    // MinIO has no rules and allows all origins anyway.
    const rejection = await store.ensureCors();
    expect(await store.ensureCors()).toBe(rejection);
    const url = await store.presignGet('signed', { expiresInSec: 60, filename: 'x' });
    const origin = 'https://app.example';
    const response = await fetch(url, { headers: { origin } });
    expect(await response.text()).toBe('hello');
    expect(['*', origin]).toContain(response.headers.get('access-control-allow-origin'));
    const asking = { origin, 'access-control-request-method': 'GET', 'access-control-request-headers': 'range' };
    const preflight = await fetch(url, { method: 'OPTIONS', headers: asking });
    await preflight.body?.cancel();
    expect(preflight.ok).toBe(true);
    expect(preflight.headers.get('access-control-allow-methods')).toContain('GET');
  });

  it('gives access to nothing else', async () => {
    const url = await store.presignGet('signed', { expiresInSec: 60, filename: 'x' });
    const other = await fetch(url.replace('/signed?', '/whole?'));
    await other.body?.cancel();
    expect(other.status).toBe(403);
  });
});
