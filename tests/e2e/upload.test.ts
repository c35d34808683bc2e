import { createHash, randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import * as tus from 'tus-js-client';
import { enter, openWorkspace, type Person } from './support/people.js';
import { dev } from './support/platform.js';
import { must } from './support/resources.js';

const MIB = 1024 * 1024;
const FILES = '/filesvc/api/v1/files';
const sha256 = (content: Buffer): string => createHash('sha256').update(content).digest('hex');

describe('tus-js-client', () => {
  let owner: Person;
  let query: { nsfilter: string };

  beforeAll(async () => {
    owner = await enter();
    query = { nsfilter: await openWorkspace(owner) };
  });

  /** Initiates an upload. @returns its id and its URL for tus clients */
  const initiate = async (content: Buffer) => {
    const resumable = { ...query, uploadType: 'resumable', checksum: `sha256:${sha256(content)}` };
    const json = {
      ...{ _name: `${randomBytes(4).toString('hex')}.bin`, _namespaces: [query.nsfilter] },
      _uploadMeta: { _size: content.length, _checksum: resumable.checksum },
    };
    const { body } = await must(201, 'POST', FILES, { token: owner.token, query: resumable, json });
    const url = new URL(`${FILES}/${body._id}`, dev.baseUrl);
    url.search = new URLSearchParams(resumable).toString();
    return { id: body._id as string, url: url.href };
  };
  const upload = (content: Buffer, url: string, options: Partial<tus.UploadOptions>) =>
    new Promise<void>((resolve, reject) => {
      const headers = { authorization: `Bearer ${owner.token}` };
      const own = { uploadUrl: url, headers, retryDelays: null, onSuccess: () => resolve(), onError: reject };
      new tus.Upload(content, { ...own, ...options }).start();
    });
  const expectStored = async (id: string, content: Buffer) => {
    const { body } = await must(200, 'GET', `${FILES}/${id}`, { token: owner.token, query });
    expect(body).toMatchObject({ _status: 'UPLOAD_COMPLETED', _fileVersion: { _fileSize: content.length } });
    const url = new URL(`${FILES}/${id}/content?nsfilter=${query.nsfilter}`, dev.baseUrl);
    const stored = await fetch(url, { headers: { authorization: `Bearer ${owner.token}` } });
    expect(sha256(Buffer.from(await stored.arrayBuffer()))).toBe(sha256(content));
  };

  it('completes when two clients send the same file at the same time', async () => {
    const content = randomBytes(16 * MIB);
    const { id, url } = await initiate(content);
    const options = { chunkSize: 5 * MIB, retryDelays: Array.from({ length: 100 }, () => 100) };
    await Promise.all([upload(content, url, options), upload(content, url, options)]);
    await expectStored(id, content);
  });
});
