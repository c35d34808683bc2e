import { createHash, randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@dtplatform/testing';
import * as tus from 'tus-js-client';
import { enter, openWorkspace, type Person } from './support/people.js';
import { dev, send } from './support/platform.js';

const MIB = 1024 * 1024;
const FILES = '/filesvc/api/v1/files';

/** Resumable uploads with an independent tus client. */
describe('resumable upload with tus-js-client', () => {
  let owner: Person;
  let query: { nsfilter: string };

  beforeAll(async () => {
    owner = await enter();
    query = { nsfilter: await openWorkspace(owner) };
  });

  /** Initiates an upload; the client gets its URL. */
  const initiate = async (content: Buffer) => {
    const checksum = `sha256:${sha256(content)}`;
    const json = {
      _name: `${randomBytes(4).toString('hex')}.bin`,
      _uploadMeta: { _size: content.length, _checksum: checksum },
      _namespaces: [query.nsfilter],
    };
    const resumable = { ...query, uploadType: 'resumable' };
    const reply = await send('POST', FILES, { token: owner.token, query: resumable, json });
    expect(reply).toMatchObject({ status: 201, body: { _status: 'UPLOAD_INITIATED' } });
    const id = reply.body._id as string;
    const url = new URL(`${FILES}/${id}`, dev.baseUrl);
    url.search = new URLSearchParams({ ...resumable, checksum }).toString();
    return { id, url: url.href };
  };

  /** Starts a client and returns its upload and a promise of its end. */
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

  const expectStored = async (id: string, content: Buffer) => {
    const file = await send('GET', `${FILES}/${id}`, { token: owner.token, query });
    expect(file.body).toMatchObject({ _status: 'UPLOAD_COMPLETED', _fileVersion: { _fileSize: content.length } });
    const url = new URL(`${FILES}/${id}/content?nsfilter=${query.nsfilter}`, dev.baseUrl);
    const stored = await fetch(url, { headers: { authorization: `Bearer ${owner.token}` } });
    expect(sha256(Buffer.from(await stored.arrayBuffer()))).toBe(sha256(content));
  };

  it('stores a small file', async () => {
    const content = randomBytes(1000);
    const { id, url } = await initiate(content);
    await upload(content, url).done;
    await expectStored(id, content);
  });

  it('stores a file in several parts of odd size', async () => {
    const content = randomBytes(13 * MIB + 7);
    const { id, url } = await initiate(content);
    const accepted: number[] = [];
    const onChunkComplete = (_size: number, sent: number) => void accepted.push(sent);
    await upload(content, url, { chunkSize: 6 * MIB + 1, onChunkComplete }).done;
    expect(accepted).toEqual([6 * MIB + 1, 12 * MIB + 2, content.length]);
    await expectStored(id, content);
  });

  it('stores a file in parts smaller than an object store accepts', async () => {
    const content = randomBytes(2 * MIB + 5);
    const { id, url } = await initiate(content);
    await upload(content, url, { chunkSize: 700_000 }).done;
    await expectStored(id, content);
  });

  it('continues with another client where an aborted one stopped', async () => {
    const content = randomBytes(30 * MIB);
    const { id, url } = await initiate(content);
    await new Promise<void>((resolve, reject) => {
      let aborting = false;
      const onProgress = (sent: number) => {
        if (aborting || sent < 12 * MIB) return;
        aborting = true;
        first.upload.abort().then(resolve, reject);
      };
      const first = upload(content, url, { onProgress });
      first.done.then(() => reject(new Error('the upload completed before it was aborted')), reject);
    });

    await eventually(async () => {
      const file = await send('GET', `${FILES}/${id}`, { token: owner.token, query });
      expect(file.body._status).toBe('UPLOAD_INTERRUPTED');
    });

    const begins: (string | undefined)[] = [];
    const onBeforeRequest = (request: tus.HttpRequest) => {
      if (request.getMethod() === 'PATCH') begins.push(request.getHeader('Upload-Offset'));
    };
    await upload(content, url, { onBeforeRequest }).done;
    expect(begins).toEqual([expect.stringMatching(/^[1-9]\d*$/)]);
    await expectStored(id, content);
  });

  it('reports its version and extensions', async () => {
    const reply = await send('OPTIONS', FILES, {});
    expect(reply.headers.get('tus-resumable')).toBe('1.0.0');
    expect(reply.headers.get('tus-version')).toContain('1.0.0');
  });

  it('refuses a wrong offset and changes nothing', async () => {
    const content = randomBytes(1000);
    const { id, url } = await initiate(content);
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
    await expectStored(id, content);
  });
});

const sha256 = (content: Buffer): string => createHash('sha256').update(content).digest('hex');
