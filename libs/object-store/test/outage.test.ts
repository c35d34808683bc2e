import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startCuttableProxy } from '../../testing/src/cuttable-proxy.js';
import { s3Errors } from '../src/index.js';
import { endpoint, failureOf, openStore } from './support.js';

const MIB = 1024 * 1024;
const proxy = await startCuttableProxy(new URL(endpoint));
const store = openStore({ endpoint: `http://127.0.0.1:${proxy.port}` });

beforeAll(() => store.ensureBucket());
beforeEach(() => proxy.mend());
afterAll(async () => {
  store.close();
  await proxy.close();
});

const unavailable = { status: 503, headers: { 'retry-after': '1' } };

describe('an unavailable store', () => {
  it('at an address that does not exist is reported as unavailable', async () => {
    const nowhere = openStore({ endpoint: 'http://nowhere.invalid:9000' });
    expect(s3Errors(await failureOf(nowhere.ping()))).toMatchObject(unavailable);
    nowhere.close();
  });

  it('is reported as unavailable and works again once it is back', async () => {
    await store.put('object', Buffer.from('x'));
    const uploadId = await store.multipart.begin('upload');
    proxy.cut();
    const attempts = [
      store.ping(),
      store.get('object'),
      store.head('object'),
      store.put('object', Buffer.from('y')),
      store.multipart.uploadPart('upload', uploadId, 1, Buffer.alloc(MIB)),
    ].map(failureOf);
    for (const failure of await Promise.all(attempts)) expect(s3Errors(failure)).toMatchObject(unavailable);

    proxy.mend();
    await store.ping();
    expect(await store.head('object')).toMatchObject({ size: 1 });
    await store.multipart.abort('upload', uploadId);
  });

  it('breaks a stream that is being read', async () => {
    await store.put('broken', randomBytes(32 * MIB));
    const { stream } = await store.get('broken');
    const reading = failureOf(buffer(stream));
    proxy.cut();
    expect(s3Errors(await reading)).toMatchObject(unavailable);
  });

  it('is retried when a kept connection turns out to be closed', async () => {
    await store.put('object', Buffer.from('x'));
    const uploadId = await store.multipart.begin('upload');
    proxy.cut();
    proxy.mend();
    const part = await store.multipart.uploadPart('upload', uploadId, 1, Buffer.from('one'));
    expect(part).toMatchObject({ etag: expect.any(String) });
    await store.multipart.abort('upload', uploadId);
  });
});
