import { createHash, randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@dtplatform/testing';
import { startFaultyProxy } from './faulty-proxy.js';
import type { Fault } from './faulty-proxy.js';
import { startApp } from './start-app.js';
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
    const refused = await client.patch(id, content, { checksum }).expect(503);
    expect(refused.headers['retry-after']).toMatch(/^\d+$/);
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
