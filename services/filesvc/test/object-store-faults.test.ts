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
import { requests } from './requests.js';
import { startApp } from './start-app.js';
import { sha256, uploadClient } from './upload-client.js';

const MIB = 1024 * 1024;
const PART = 8 * MIB;

const faults = await startFaultyProxy(new URL(process.env.S3_ENDPOINT!));
const proxy = await startCuttableProxy(new URL(faults.url));
const app = await startApp({ S3_ENDPOINT: proxy.url });
const client = uploadClient(app, app.olga);
afterEach(() => {
  faults.mend();
  proxy.mend();
});
afterAll(async () => {
  await app.stop();
  await proxy.close();
  await faults.close();
});

const content = randomBytes(20 * MIB);
const checksum = `sha256:${sha256(content)}`;
const begin = (name: string) => client.begin(name, content.length, { checksum });
const statusOf = async (id: string) => (await client.get(id)).body._status as string;
const expectStored = async (id: string) => {
  expect(await statusOf(id)).toBe('UPLOAD_COMPLETED');
  expect((await client.download(id)).equals(content)).toBe(true);
};

describe('an upload while requests to the object store fail', () => {
  const isSecondPart = ({ method, url }: IncomingMessage) => method === 'PUT' && url!.includes('partNumber=2&');

  it('keeps the parts before one that fails', async () => {
    const id = await begin('failing.bin');
    faults.failWhen((req) => (isSecondPart(req) ? 503 : undefined));
    const rejected = await client.patch(id, content, { checksum }).expect(503);
    expect(rejected.headers['retry-after']).toMatch(/^\d+$/);
    expect(await client.offset(id)).toBe(PART);
    expect(await statusOf(id)).toBe('UPLOAD_INTERRUPTED');
    faults.mend();
    await client.resume(id, content, checksum);
    await expectStored(id);
  });

  it('retries a part, and acknowledges it only after the object store has', async () => {
    const id = await begin('slow.bin');
    let release!: () => void;
    const until = new Promise<void>((resolve) => (release = resolve));
    let attempts = 0;
    faults.failWhen((req) => {
      if (!isSecondPart(req)) return undefined;
      attempts += 1;
      return attempts === 1 ? 503 : until;
    });
    const patching = client.patch(id, content, { checksum }).then(({ status }) => status);
    await eventually(async () => expect([attempts, await client.offset(id)]).toEqual([2, PART]));
    expect(await statusOf(id)).toBe('UPLOAD_INITIATED');
    release();
    expect(await patching).toBe(200);
    await expectStored(id);
  });
});

describe('an unavailable object store', () => {
  it('causes 503s, keeps acknowledged bytes, and recovers', async () => {
    const id = await begin('outage.bin');
    await client.patch(id, content.subarray(0, 9 * MIB), { checksum }).expect(200);
    const form = () => requests(app, app.olga).upload('form.txt', 'x');
    await expect(app.deps.checks.s3()).resolves.toBeUndefined();

    proxy.cut();
    const rejected = await client.patch(id, content.subarray(9 * MIB), { offset: 9 * MIB, checksum }).expect(503);
    expect(rejected.headers['retry-after']).toMatch(/^\d+$/);
    expect(await client.offset(id)).toBe(9 * MIB);
    expect(await statusOf(id)).toBe('UPLOAD_INTERRUPTED');
    await form().expect(503);
    await expect(app.deps.checks.s3()).rejects.toThrow();

    proxy.mend();
    await client.resume(id, content, checksum);
    await expectStored(id);
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
  const [first, last] = [content.subarray(0, 16 * MIB), content.subarray(16 * MIB)];

  const loseCompletion = async (id: string) => {
    proxy.mend();
    await client.patch(id, first, { checksum }).expect(200);
    proxy.cutAfter('CompleteMultipartUpload');
    await client.patch(id, last, { checksum }).expect(503);
    expect(await statusOf(id)).toBe('UPLOAD_INTERRUPTED');
  };

  it('is completed by HEAD or an empty PATCH, once the object store is back', async () => {
    const [asked, emptied] = [await begin('asked.bin'), await begin('emptied.bin')];
    for (const id of [asked, emptied]) await loseCompletion(id);
    await client.head(asked).expect(503);
    proxy.mend();
    expect(await client.offset(asked)).toBe(content.length);
    const reply = await client.patch(emptied, Buffer.alloc(0), { checksum }).expect(200);
    expect(reply.body._status).toBe('UPLOAD_COMPLETED');
    await expectStored(asked);
  });

  it('does not take its last part twice from a request that read it before', async () => {
    const { mongo, objects } = app.deps;
    const events = createDomainEvents(mongo);
    const fileStore = createFileStore(mongo, createTotals(mongo), events);
    const uploadStore = createUploadStore(mongo, events);
    const stores = { fileStore, uploadStore, uploadWriter: createUploadWriter(mongo, events), objects };

    const id = await begin('raced.bin');
    await client.patch(id, first, { checksum }).expect(200);
    const file = (await fileStore.find(id))!;
    const found = (await uploadStore.find(file.internal.uploadId!))!;
    proxy.cutAfter('CompleteMultipartUpload');
    await client.patch(id, last, { checksum }).expect(503);
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
    const appended = uploads.append(file, { body: Readable.from([last]), caller: 'olga', ...said });
    await expect(appended).rejects.toMatchObject({ status: 423 });
    expect(await client.offset(id)).toBe(content.length);
    await expectStored(id);
  });

  it('is completed by the worker without its client', async () => {
    const id = await begin('left.bin');
    await loseCompletion(id);
    proxy.mend();
    const touchedAt = new Date(Date.now() - 60_000);
    await app.deps.mongo.db.collection('uploads').updateOne({ fileId: id }, { $set: { touchedAt } });
    await app.startWorker({ UPLOAD_SWEEP_EVERY_MS: '200' });
    await eventually(() => expectStored(id));
  });
});
