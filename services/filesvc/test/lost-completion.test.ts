import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createTotals } from '@dtplatform/queue';
import { eventually, startCuttableProxy } from '@dtplatform/testing';
import { appendUpload } from '../src/domain/uploads/append-upload.js';
import { createUploadFinisher } from '../src/domain/uploads/finish-upload.js';
import { createAnnouncements } from '../src/store/announcements.js';
import { createFileStore } from '../src/store/files/file-store.js';
import { createUploadStore } from '../src/store/uploads/upload-store.js';
import { startApp } from './start-app.js';
import type { TestApp } from './start-app.js';
import { uploadClient } from './upload-client.js';

const MIB = 1024 * 1024;

/** The object store made the object, but its response was lost. */
describe('an upload whose completion was lost', () => {
  const proxies: Awaited<ReturnType<typeof startCuttableProxy>>[] = [];
  const apps: TestApp[] = [];
  let app: TestApp;
  let client: ReturnType<typeof uploadClient>;
  let proxy: Awaited<ReturnType<typeof startCuttableProxy>>;
  const content = randomBytes(10 * MIB);
  const checksum = `sha256:${createHash('sha256').update(content).digest('hex')}`;

  const loseCompletion = async () => {
    const id = await client.begin('lost.bin', content.length, { checksum });
    await client.patch(id, content.subarray(0, 6 * MIB), { checksum }).expect(200);
    proxy.cutAfter('CompleteMultipartUpload');
    await client.patch(id, content.subarray(6 * MIB), { checksum }).expect(503);
    expect((await client.get(id)).body._status).toBe('UPLOAD_INTERRUPTED');
    return id;
  };

  beforeEach(async () => {
    proxy = await startCuttableProxy(new URL(process.env.S3_ENDPOINT!));
    app = await startApp({ S3_ENDPOINT: proxy.url });
    client = uploadClient(app, app.olga);
    proxies.push(proxy);
    apps.push(app);
  });
  afterAll(async () => {
    for (const one of apps) await one.stop();
    for (const one of proxies) await one.close();
  });

  it('is completed by a request for its progress', async () => {
    const id = await loseCompletion();
    await client.head(id).expect(503);
    proxy.mend();
    expect(await client.offset(id)).toBe(content.length);
    expect((await client.get(id)).body._status).toBe('UPLOAD_COMPLETED');
    expect((await client.download(id)).equals(content)).toBe(true);
  });

  it('is completed by an empty request of its client', async () => {
    const id = await loseCompletion();
    proxy.mend();
    const reply = await client.patch(id, Buffer.alloc(0), { checksum }).expect(200);
    expect(reply.body._status).toBe('UPLOAD_COMPLETED');
  });

  it('is completed by the worker if its client does not return', async () => {
    const id = await loseCompletion();
    proxy.mend();
    const touchedAt = new Date(Date.now() - 60_000);
    await app.deps.mongo.db.collection('uploads').updateOne({ fileId: id }, { $set: { touchedAt } });
    await app.startWorker({ UPLOAD_SWEEP_EVERY_MS: '200' });
    await eventually(async () => expect((await client.get(id)).body._status).toBe('UPLOAD_COMPLETED'));
    expect((await client.download(id)).equals(content)).toBe(true);
  });

  it('does not get its last part twice from a request that found it before the completion failed', async () => {
    const { mongo, objects } = app.deps;
    const announcements = createAnnouncements(mongo);
    const uploadStore = createUploadStore(mongo, announcements);
    const deps = { uploadStore, objects, finisher: createUploadFinisher({ uploadStore, objects }) };
    const fileStore = createFileStore(mongo, createTotals(mongo), announcements);

    const id = await client.begin('raced.bin', content.length);
    await client.patch(id, content.subarray(0, 6 * MIB)).expect(200);
    const file = (await fileStore.find(id))!;
    const found = (await uploadStore.find(file.internal.uploadId!))!;
    proxy.cutAfter('CompleteMultipartUpload');
    await client.patch(id, content.subarray(6 * MIB)).expect(503);
    proxy.mend();

    const append = appendUpload(deps, file, found, {
      body: Readable.from([content.subarray(6 * MIB)]),
      caller: 'olga',
    });
    await expect(append).rejects.toMatchObject({ status: 423 });
    expect(await client.offset(id)).toBe(content.length);
    expect((await client.download(id)).equals(content)).toBe(true);
  });
});
