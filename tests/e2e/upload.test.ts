import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { Readable } from 'node:stream';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@dtplatform/testing';
import * as tus from 'tus-js-client';
import * as tus2 from 'tus-js-client-2';
import { enter, openWorkspace, type Person } from './support/people.js';
import { send } from './support/platform.js';
import { FILES, uploadsOf } from './support/uploads.js';

const MIB = 1024 * 1024;
/** Its types lack some of what it takes. */
const Upload2 = tus2.Upload as unknown as typeof tus.Upload;

/** Resumable uploads with independent tus clients. */
describe.each([
  ['tus-js-client 4', tus.Upload],
  ['tus-js-client 2', Upload2],
])('resumable upload with %s', (_name, Upload) => {
  let owner: Person;
  let uploads: ReturnType<typeof uploadsOf>;

  beforeAll(async () => {
    owner = await enter();
    uploads = uploadsOf(owner, { nsfilter: await openWorkspace(owner) });
  });

  /** Starts a client and returns its upload and a promise of its end. */
  const upload = (content: Buffer, url: string, options: Partial<tus.UploadOptions> = {}) => {
    let it!: tus.Upload;
    const done = new Promise<void>((resolve, reject) => {
      const headers = { authorization: `Bearer ${owner.token}` };
      const own = { uploadUrl: url, headers, retryDelays: null, onSuccess: () => resolve(), onError: reject };
      it = new Upload(content, { ...own, ...options });
    });
    it.start();
    return { upload: it, done };
  };

  /** A PATCH whose body the test sends piece by piece. */
  const openPatch = (url: string, length: number) => {
    const headers = { authorization: `Bearer ${owner.token}`, 'content-length': length };
    const patch = request(url, { method: 'PATCH', headers });
    patch.on('error', () => undefined).on('response', (response) => response.resume());
    return patch;
  };

  /** Retries at once, up to 100 times. */
  const PATIENT = Array.from({ length: 100 }, () => 100);
  const statusOf = (error: Error) => (error as tus.DetailedError).originalResponse?.getStatus();

  it('stores a small file', async () => {
    const content = randomBytes(1000);
    const { id, url } = await uploads.initiate(content);
    await upload(content, url).done;
    await uploads.expectStored(id, content);
  });

  it.each([6 * MIB + 1, 5 * MIB, 5_000_000])('stores a file in parts of %i bytes', async (chunkSize) => {
    const content = randomBytes(13 * MIB + 7);
    const { id, url } = await uploads.initiate(content);
    const accepted: number[] = [];
    const onChunkComplete = (_size: number, sent: number) => void accepted.push(sent);
    await upload(content, url, { chunkSize, onChunkComplete }).done;
    expect(accepted).toEqual([chunkSize, 2 * chunkSize, content.length]);
    await uploads.expectStored(id, content);
  });

  it('stores a file in parts smaller than an object store accepts', async () => {
    const content = randomBytes(2 * MIB + 5);
    const { id, url } = await uploads.initiate(content);
    await upload(content, url, { chunkSize: 700_000 }).done;
    await uploads.expectStored(id, content);
  });

  it('stores a file with POST in place of PATCH', async () => {
    const content = randomBytes(1000);
    const { id, url } = await uploads.initiate(content);
    await upload(content, url, { overridePatchMethod: true }).done;
    await uploads.expectStored(id, content);
  });

  it('continues with another client where an aborted one stopped', async () => {
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

  it('tries again after a 423, when the writer before it has gone', async () => {
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

  it('tries again after a 409, when another client has moved the offset', async () => {
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

  it('ends an upload for good', async () => {
    const { id, url } = await uploads.initiate(randomBytes(1000));
    await Upload.terminate(url, { headers: { authorization: `Bearer ${owner.token}` } });
    expect((await uploads.read(id)).status).toBe(404);
  });
});

/** Reads the beginning of a content, and then waits for bytes that never come. */
function readerOfBeginning(content: Buffer, bytes: number): tus.UploadOptions['fileReader'] {
  const read = () => {
    const body = new Readable({ read: () => undefined });
    body.push(content.subarray(0, bytes));
    return Object.assign(body, { size: content.length });
  };
  const source = { size: content.length, slice: async () => ({ value: read(), done: true }), close: () => undefined };
  return { openFile: async () => source };
}

describe('the tus protocol', () => {
  it('reports its version and extensions', async () => {
    const reply = await send('OPTIONS', FILES, {});
    expect(reply.headers.get('tus-resumable')).toBe('1.0.0');
    expect(reply.headers.get('tus-version')).toContain('1.0.0');
  });

  it('refuses a wrong offset and changes nothing', async () => {
    const owner = await enter();
    const uploads = uploadsOf(owner, { nsfilter: await openWorkspace(owner) });
    const content = randomBytes(1000);
    const { id, url } = await uploads.initiate(content);
    const patch = async (offset: number, from: number) =>
      fetch(url, {
        method: 'PATCH',
        headers: {
          authorization: `Bearer ${owner.token}`,
          'tus-resumable': '1.0.0',
          'upload-offset': String(offset),
          'content-type': 'application/offset+octet-stream',
        },
        body: new Uint8Array(content.subarray(from)),
      });
    expect((await patch(10, 10)).status).toBe(409);
    expect((await patch(0, 0)).status).toBe(200);
    await uploads.expectStored(id, content);
  });
});
