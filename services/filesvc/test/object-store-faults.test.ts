import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
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
import { requests } from './requests.js';
import { startApp } from './start-app.js';
import { sha256, uploadClient } from './upload-client.js';

const MIB = 1024 * 1024;
const PART = 8 * MIB;

const faults = await startFaultyProxy(new URL(process.env.S3_ENDPOINT!));
const proxy = await startCuttableProxy(new URL(faults.url));
const app = await startApp({ S3_ENDPOINT: proxy.url });
const client = uploadClient(app, app.olga);
afterAll(async () => {
  await app.stop();
  await proxy.close();
  await faults.close();
});

describe('an upload while requests to the object store fail', () => {
  const content = randomBytes(20 * MIB);
  const checksum = `sha256:${sha256(content)}`;

  const isPart = (number: number) => (req: IncomingMessage) =>
    req.method === 'PUT' && req.url!.includes(`partNumber=${number}&`);
  const failPart = (number: number, fault: Fault) =>
    faults.failWhen((req) => (isPart(number)(req) ? fault : undefined));
  const begin = (name: string) => client.begin(name, content.length, { checksum });
  const finish = async (id: string) => {
    expect((await client.get(id)).body._status).not.toBe('UPLOAD_COMPLETED');
    faults.mend();
    await client.resume(id, content, checksum);
    expect((await client.get(id)).body._status).toBe('UPLOAD_COMPLETED');
    expect((await client.download(id)).equals(content)).toBe(true);
  };

  afterEach(() => faults.mend());

  it.each<[string, Fault]>([
    ['a part fails with 503', { kind: 'status', status: 503 }],
    ['a part fails with 500', { kind: 'status', status: 500 }],
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

  it('succeeds when the retry of a part does', async () => {
    const id = await begin('again.bin');
    let isFirst = true;
    faults.failWhen((req) => {
      if (!isPart(2)(req) || !isFirst) return undefined;
      isFirst = false;
      return { kind: 'status', status: 503 };
    });
    await client.patch(id, content, { checksum }).expect(200);
    expect(isFirst).toBe(false);
    expect((await client.download(id)).equals(content)).toBe(true);
  });

  it('acknowledges a part only after the object store has', async () => {
    const id = await begin('slow.bin');
    let release!: () => void;
    let held = false;
    const until = new Promise<void>((resolve) => (release = resolve));
    faults.failWhen((req) => {
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

  it('is interrupted when the multipart upload cannot be completed', async () => {
    const id = await begin('uncompleted.bin');
    faults.failWhen((req) =>
      req.method === 'POST' && req.url!.includes('uploadId=') ? { kind: 'status', status: 503 } : undefined,
    );
    await client.patch(id, content, { checksum }).expect(503);
    expect((await client.get(id)).body._status).toBe('UPLOAD_INTERRUPTED');
    await client.head(id).expect(503);
    await finish(id);
  });
});

describe('an unavailable object store', () => {
  const content = randomBytes(20 * MIB);

  it('causes 503s, keeps acknowledged bytes, and recovers', async () => {
    const id = await client.begin('outage.bin', content.length);
    await client.patch(id, content.subarray(0, 9 * MIB)).expect(200);
    const form = () => requests(app, app.olga).upload('form.txt', 'x');
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

  it('completes a retried upload of zero bytes with the same idempotency key', async () => {
    const send = () => client.initiate('empty.bin', 0).set('idempotency-key', 'outage');
    proxy.cut();
    await send().expect(503);
    proxy.mend();
    const { body } = await eventually(() => send().expect(201));
    expect((await client.get(body._id)).body).toMatchObject({ _status: 'UPLOAD_COMPLETED', _tipVersion: 1 });
  });
});

/** The object exists, but the response was lost. */
describe('an upload whose completion was lost', () => {
  const content = randomBytes(10 * MIB);
  const checksum = `sha256:${sha256(content)}`;

  const loseCompletion = async (name: string) => {
    const id = await client.begin(name, content.length, { checksum });
    await client.patch(id, content.subarray(0, 6 * MIB), { checksum }).expect(200);
    proxy.cutAfter('CompleteMultipartUpload');
    await client.patch(id, content.subarray(6 * MIB), { checksum }).expect(503);
    expect((await client.get(id)).body._status).toBe('UPLOAD_INTERRUPTED');
    return id;
  };

  it('is completed by HEAD', async () => {
    const id = await loseCompletion('asked.bin');
    await client.head(id).expect(503);
    proxy.mend();
    expect(await client.offset(id)).toBe(content.length);
    expect((await client.download(id)).equals(content)).toBe(true);
  });

  it('is completed by an empty PATCH', async () => {
    const id = await loseCompletion('emptied.bin');
    proxy.mend();
    const reply = await client.patch(id, Buffer.alloc(0), { checksum }).expect(200);
    expect(reply.body._status).toBe('UPLOAD_COMPLETED');
  });

  it('does not take its last part twice from a request that read it before', async () => {
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

  it('is completed by the worker without its client', async () => {
    const id = await loseCompletion('left.bin');
    proxy.mend();
    const touchedAt = new Date(Date.now() - 60_000);
    await app.deps.mongo.db.collection('uploads').updateOne({ fileId: id }, { $set: { touchedAt } });
    await app.startWorker({ UPLOAD_SWEEP_EVERY_MS: '200' });
    await eventually(async () => expect((await client.get(id)).body._status).toBe('UPLOAD_COMPLETED'));
    expect((await client.download(id)).equals(content)).toBe(true);
  });
});
