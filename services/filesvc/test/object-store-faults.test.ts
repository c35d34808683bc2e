import { createHash, randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@dtplatform/mongo';
import { createTotals } from '@dtplatform/queue';
import { eventually, startCuttableProxy } from '@dtplatform/testing';
import { createDomainEvents } from '../src/events/domain-events.store.js';
import { createFileStore } from '../src/files/files.store.js';
import { createPlacements } from '../src/files/placement.js';
import { createUploadFinisher } from '../src/uploads/finish-upload.js';
import { createUploadWriter } from '../src/uploads/upload-writer.store.js';
import { createUploads } from '../src/uploads/uploads.js';
import { createUploadStore } from '../src/uploads/uploads.store.js';
import { startFaultyProxy } from './faulty-proxy.js';
import type { Fault } from './faulty-proxy.js';
import { FILES, NS, startApp } from './start-app.js';
import type { TestApp } from './start-app.js';
import { uploadClient } from './upload-client.js';

const MIB = 1024 * 1024;
const PART = 8 * MIB;

/** Parts that the object store refuses, receives in part or acknowledges late. */
describe('an upload while single requests to the object store fail', () => {
  let proxy: Awaited<ReturnType<typeof startFaultyProxy>>;
  let app: TestApp;
  let client: ReturnType<typeof uploadClient>;
  const content = randomBytes(20 * MIB);
  const checksum = `sha256:${createHash('sha256').update(content).digest('hex')}`;

  const isPart = (number: number) => (req: IncomingMessage) =>
    req.method === 'PUT' && req.url!.includes(`partNumber=${number}&`);
  const failPart = (number: number, fault: Fault) => proxy.failWhen((req) => (isPart(number)(req) ? fault : undefined));
  const begin = (name: string) => client.begin(name, content.length, { checksum });
  const finish = async (id: string) => {
    expect((await client.get(id)).body._status).not.toBe('UPLOAD_COMPLETED');
    proxy.mend();
    await client.resume(id, content, checksum);
    expect((await client.get(id)).body._status).toBe('UPLOAD_COMPLETED');
    expect((await client.download(id)).equals(content)).toBe(true);
  };

  beforeAll(async () => {
    proxy = await startFaultyProxy(new URL(process.env.S3_ENDPOINT!));
    app = await startApp({ S3_ENDPOINT: proxy.url });
    client = uploadClient(app, app.olga);
  });
  afterEach(() => proxy.mend());
  afterAll(async () => {
    await app.stop();
    await proxy.close();
  });

  it.each<[string, Fault]>([
    ['a part is answered with 503', { kind: 'status', status: 503 }],
    ['a part is answered with 500', { kind: 'status', status: 500 }],
    ['the connection breaks within a part', { kind: 'cut', afterBytes: 3 * MIB }],
  ])('keeps the parts before it when %s', async (what, fault) => {
    const id = await begin(`${what}.bin`);
    failPart(2, fault);
    const rejected = await client.patch(id, content, { checksum }).expect(503);
    expect(rejected.headers['retry-after']).toMatch(/^\d+$/);
    expect(await client.offset(id)).toBe(PART);
    expect((await client.get(id)).body._status).toBe('UPLOAD_INTERRUPTED');
    await finish(id);
  });

  it('does not notice a part that succeeds the second time', async () => {
    const id = await begin('again.bin');
    let isFirst = true;
    proxy.failWhen((req) => {
      if (!isPart(2)(req) || !isFirst) return undefined;
      isFirst = false;
      return { kind: 'status', status: 503 };
    });
    await client.patch(id, content, { checksum }).expect(200);
    expect(isFirst).toBe(false);
    expect((await client.download(id)).equals(content)).toBe(true);
  });

  it('acknowledges a part only when the object store has', async () => {
    const id = await begin('slow.bin');
    let release!: () => void;
    let held = false;
    const until = new Promise<void>((resolve) => (release = resolve));
    proxy.failWhen((req) => {
      if (!isPart(2)(req)) return undefined;
      held = true;
      return { kind: 'hold', until };
    });
    const patching = client.patch(id, content, { checksum }).then(({ status }) => status);
    await eventually(async () => expect([held, await client.offset(id)]).toEqual([true, PART]));
    expect((await client.get(id)).body._status).toBe('UPLOAD_INITIATED');
    release();
    expect(await patching).toBe(200);
    expect((await client.download(id)).equals(content)).toBe(true);
  });

  it('is not complete when the content could not be made one object', async () => {
    const id = await begin('uncompleted.bin');
    proxy.failWhen((req) =>
      req.method === 'POST' && req.url!.includes('uploadId=') ? { kind: 'status', status: 503 } : undefined,
    );
    await client.patch(id, content, { checksum }).expect(503);
    expect((await client.get(id)).body._status).toBe('UPLOAD_INTERRUPTED');
    await client.head(id).expect(503);
    await finish(id);
  });
});

describe('an object store behind a proxy', () => {
  let app: TestApp;
  let client: ReturnType<typeof uploadClient>;
  let proxy: Awaited<ReturnType<typeof startCuttableProxy>>;

  beforeAll(async () => {
    proxy = await startCuttableProxy(new URL(process.env.S3_ENDPOINT!));
    app = await startApp({ S3_ENDPOINT: proxy.url });
    client = uploadClient(app, app.olga);
  });
  afterAll(async () => {
    await app.stop();
    await proxy.close();
  });

  describe('while the object store is unavailable', () => {
    const content = randomBytes(20 * MIB);

    it('answers 503, keeps what was acknowledged, is not ready, and recovers by itself', async () => {
      const id = await client.begin('outage.bin', content.length);
      await client.patch(id, content.subarray(0, 9 * MIB)).expect(200);
      const form = () =>
        app.api
          .post(FILES)
          .query({ nsfilter: NS, _namespaces: NS })
          .set({ authorization: app.olga })
          .attach('file', Buffer.from('x'), 'form.txt');
      await expect(app.deps.checks.s3()).resolves.toBeUndefined();

      proxy.cut();
      const rejected = await client.patch(id, content.subarray(9 * MIB), { offset: 9 * MIB }).expect(503);
      expect(rejected.headers['retry-after']).toMatch(/^\d+$/);
      expect(await client.offset(id)).toBe(9 * MIB);
      expect((await client.get(id)).body._status).toBe('UPLOAD_INTERRUPTED');
      await form().expect(503);
      await expect(app.deps.checks.s3()).rejects.toThrow();

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

  /** The object store made the object, but its response was lost. */
  describe('an upload whose completion was lost', () => {
    const content = randomBytes(10 * MIB);
    const checksum = `sha256:${createHash('sha256').update(content).digest('hex')}`;

    const loseCompletion = async (name: string) => {
      const id = await client.begin(name, content.length, { checksum });
      await client.patch(id, content.subarray(0, 6 * MIB), { checksum }).expect(200);
      proxy.cutAfter('CompleteMultipartUpload');
      await client.patch(id, content.subarray(6 * MIB), { checksum }).expect(503);
      expect((await client.get(id)).body._status).toBe('UPLOAD_INTERRUPTED');
      return id;
    };

    it('is completed by a request for its progress', async () => {
      const id = await loseCompletion('asked.bin');
      await client.head(id).expect(503);
      proxy.mend();
      expect(await client.offset(id)).toBe(content.length);
      expect((await client.get(id)).body._status).toBe('UPLOAD_COMPLETED');
      expect((await client.download(id)).equals(content)).toBe(true);
    });

    it('is completed by an empty request of its client', async () => {
      const id = await loseCompletion('emptied.bin');
      proxy.mend();
      const reply = await client.patch(id, Buffer.alloc(0), { checksum }).expect(200);
      expect(reply.body._status).toBe('UPLOAD_COMPLETED');
    });

    it('does not get its last part twice from a request that found it before the completion failed', async () => {
      const { mongo, objects } = app.deps;
      const events = createDomainEvents(mongo);
      const fileStore = createFileStore(mongo, createTotals(mongo), events);
      const uploadStore = createUploadStore(mongo, events);
      const stores = { fileStore, uploadStore, uploadWriter: createUploadWriter(mongo, events), objects };

      const id = await client.begin('raced.bin', content.length);
      await client.patch(id, content.subarray(0, 6 * MIB)).expect(200);
      const file = (await fileStore.find(id))!;
      const found = (await uploadStore.find(file.internal.uploadId!))!;
      proxy.cutAfter('CompleteMultipartUpload');
      await client.patch(id, content.subarray(6 * MIB)).expect(503);
      proxy.mend();

      const uploads = createUploads({
        ...stores,
        uploadStore: { ...uploadStore, find: async () => found },
        finisher: createUploadFinisher(stores),
        placements: createPlacements(stores),
        newId,
        maxFileBytes: content.length,
      });
      const said = { offset: undefined, length: undefined, checksum: undefined };
      const body = Readable.from([content.subarray(6 * MIB)]);
      await expect(uploads.append(file, { body, caller: 'olga', ...said })).rejects.toMatchObject({ status: 423 });
      expect(await client.offset(id)).toBe(content.length);
      expect((await client.download(id)).equals(content)).toBe(true);
    });

    it('is completed by the worker if its client does not return', async () => {
      const id = await loseCompletion('left.bin');
      proxy.mend();
      const touchedAt = new Date(Date.now() - 60_000);
      await app.deps.mongo.db.collection('uploads').updateOne({ fileId: id }, { $set: { touchedAt } });
      await app.startWorker({ UPLOAD_SWEEP_EVERY_MS: '200' });
      await eventually(async () => expect((await client.get(id)).body._status).toBe('UPLOAD_COMPLETED'));
      expect((await client.download(id)).equals(content)).toBe(true);
    });
  });
});
