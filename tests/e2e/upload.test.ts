import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { Readable } from 'node:stream';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@dtplatform/testing';
import * as tus from 'tus-js-client';
import { enter, openWorkspace, type Person } from './support/people.js';
import { uploadsOf } from './support/uploads.js';

const MIB = 1024 * 1024;

describe('tus-js-client', () => {
  let owner: Person;
  let uploads: ReturnType<typeof uploadsOf>;

  beforeAll(async () => {
    owner = await enter();
    uploads = uploadsOf(owner, { nsfilter: await openWorkspace(owner) });
  });

  /** Starts a client. */
  const upload = (content: Buffer, url: string, options: Partial<tus.UploadOptions> = {}) => {
    let it!: tus.Upload;
    const done = new Promise<void>((resolve, reject) => {
      const headers = { authorization: `Bearer ${owner.token}` };
      const own = { uploadUrl: url, headers, retryDelays: null, onSuccess: () => resolve(), onError: reject };
      it = new tus.Upload(content, { ...own, ...options });
    });
    it.start();
    return { upload: it, done };
  };

  /** A PATCH whose body the test writes. */
  const openPatch = (url: string, length: number) => {
    const headers = { authorization: `Bearer ${owner.token}`, 'content-length': length };
    const patch = request(url, { method: 'PATCH', headers });
    patch.on('error', () => undefined).on('response', (response) => response.resume());
    return patch;
  };

  const PATIENT = Array.from({ length: 100 }, () => 100);
  const statusOf = (error: Error) => (error as tus.DetailedError).originalResponse?.getStatus();

  it.each([
    [1000, Infinity],
    [2 * MIB + 5, 700_000],
    [13 * MIB + 7, 6 * MIB + 1],
  ])('stores %i bytes in requests of %d', async (size, chunkSize) => {
    const content = randomBytes(size);
    const { id, url } = await uploads.initiate(content);
    await upload(content, url, { chunkSize }).done;
    await uploads.expectStored(id, content);
  });

  it('continues where an aborted client stopped', async () => {
    const content = randomBytes(30 * MIB);
    const { id, url } = await uploads.initiate(content);
    const first = upload(content, url, { fileReader: readerOfBeginning(content, 13 * MIB) });
    await eventually(async () => expect(await uploads.offset(id)).toBeGreaterThan(0));
    await first.upload.abort();

    await eventually(async () => expect((await uploads.read(id)).body._status).toBe('UPLOAD_INTERRUPTED'));

    const begins: number[] = [];
    const onBeforeRequest = (request: tus.HttpRequest) => {
      if (request.getMethod() === 'PATCH') begins.push(Number(request.getHeader('Upload-Offset')));
    };
    await upload(content, url, { onBeforeRequest }).done;
    expect(begins).toEqual([expect.any(Number)]);
    expect(begins[0]).toBeGreaterThan(0);
    await uploads.expectStored(id, content);
  });

  it('retries after 423 until the other writer is gone', async () => {
    const content = randomBytes(20 * MIB);
    const { id, url } = await uploads.initiate(content);
    const writer = openPatch(url, content.length);
    writer.write(content.subarray(0, 9 * MIB));
    await eventually(async () => expect(await uploads.offset(id)).toBe(8 * MIB));

    const rejections: unknown[] = [];
    const onShouldRetry = (error: Error) => {
      rejections.push(statusOf(error));
      writer.destroy();
      return true;
    };
    await upload(content, url, { retryDelays: PATIENT, onShouldRetry }).done;
    expect(rejections[0]).toBe(423);
    await uploads.expectStored(id, content);
  });

  it('retries after 409 when another client has moved the offset', async () => {
    const content = randomBytes(7 * MIB);
    const { id, url } = await uploads.initiate(content);
    let others: Promise<unknown> | undefined;
    const onBeforeRequest = async (request: tus.HttpRequest) => {
      if (request.getMethod() !== 'PATCH') return;
      const headers = { authorization: `Bearer ${owner.token}` };
      await (others ??= fetch(url, { method: 'PATCH', headers, body: new Uint8Array(content.subarray(0, MIB)) }));
    };
    const rejections: unknown[] = [];
    const onShouldRetry = (error: Error) => (rejections.push(statusOf(error)), true);
    await upload(content, url, { retryDelays: PATIENT, onBeforeRequest, onShouldRetry }).done;
    expect(rejections).toEqual([409]);
    await uploads.expectStored(id, content);
  });

  it('completes when two clients send the same file at the same time', async () => {
    const content = randomBytes(16 * MIB);
    const { id, url } = await uploads.initiate(content);
    const options = { chunkSize: 5 * MIB, retryDelays: PATIENT };
    await Promise.all([upload(content, url, options).done, upload(content, url, options).done]);
    await uploads.expectStored(id, content);
  });
});

/** Yields the first bytes and then stalls. */
function readerOfBeginning(content: Buffer, bytes: number): tus.UploadOptions['fileReader'] {
  const read = () => {
    const body = new Readable({ read: () => undefined });
    body.push(content.subarray(0, bytes));
    return Object.assign(body, { size: content.length });
  };
  const source = { size: content.length, slice: async () => ({ value: read(), done: true }), close: () => undefined };
  return { openFile: async () => source };
}
