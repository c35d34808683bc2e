import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, startCuttableProxy } from '@dtplatform/testing';
import { FILES, NS, startApp } from './start-app.js';
import type { TestApp } from './start-app.js';
import { uploadClient } from './upload-client.js';

const MIB = 1024 * 1024;

describe('while the object store is unavailable', () => {
  let proxy: Awaited<ReturnType<typeof startCuttableProxy>>;
  let app: TestApp;
  let client: ReturnType<typeof uploadClient>;
  const content = randomBytes(20 * MIB);

  beforeAll(async () => {
    proxy = await startCuttableProxy(new URL(process.env.S3_ENDPOINT!));
    app = await startApp({ S3_ENDPOINT: proxy.url });
    client = uploadClient(app, app.olga);
  });
  afterAll(async () => {
    await app.stop();
    await proxy.close();
  });

  it('answers 503, keeps what was acknowledged, is not ready, and recovers by itself', async () => {
    const id = await client.begin('outage.bin', content.length);
    await client.patch(id, content.subarray(0, 9 * MIB)).expect(200);
    const form = () =>
      app.api
        .post(FILES)
        .query({ nsfilter: NS, _namespaces: NS })
        .set({ authorization: app.olga })
        .attach('file', Buffer.from('x'), 'form.txt');
    await expect(app.deps.checks.s3!()).resolves.toBeUndefined();

    proxy.cut();
    const refused = await client.patch(id, content.subarray(9 * MIB), { offset: 9 * MIB }).expect(503);
    expect(refused.headers['retry-after']).toMatch(/^\d+$/);
    expect(await client.offset(id)).toBe(9 * MIB);
    expect((await client.get(id)).body._status).toBe('UPLOAD_INTERRUPTED');
    await form().expect(503);
    await expect(app.deps.checks.s3!()).rejects.toThrow();

    proxy.mend();
    await client.resume(id, content);
    expect((await client.download(id)).equals(content)).toBe(true);
    await eventually(() => form().expect(201));
  });

  it('completes an upload of zero bytes that is sent again with the same idempotency key', async () => {
    const send = () => client.initiate('empty.bin', 0).set('idempotency-key', 'outage');
    proxy.cut();
    await send().expect(503);
    proxy.mend();
    const { body } = await eventually(() => send().expect(201));
    expect((await client.get(body._id)).body).toMatchObject({ _status: 'UPLOAD_COMPLETED', _tipVersion: 1 });
  });
});
