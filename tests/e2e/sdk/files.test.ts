import { randomBytes } from 'node:crypto';
import { mkdtemp, open, readdir, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createClient, downloadBlob, downloadStream, upload } from '@dtplatform/sdk';
import { DiskError, downloadToFile } from '@dtplatform/sdk/node';
import { eventually, startCuttableProxy } from '@dtplatform/testing';
import type { CuttableProxy } from '@dtplatform/testing';
import { dev } from '../support/platform.js';
import { enterWithSdk, sha256 } from './support.js';
import type { Owner } from './support.js';

const MIB = 1024 * 1024;
const newName = () => `${randomBytes(4).toString('hex')}.bin`;

describe('files with the SDK', () => {
  let owner: Owner;
  let folder: string;
  let proxy: CuttableProxy;
  /** Calls the platform through a proxy that can be cut. */
  const throughProxy = () => createClient({ ...owner.client, baseUrl: proxy.url, auth: owner.session });
  const local = (name: string) => path.join(folder, name);

  beforeAll(async () => {
    owner = await enterWithSdk();
    folder = await mkdtemp(path.join(tmpdir(), 'dtplatform-sdk-'));
    const { hostname, port } = new URL(dev.baseUrl);
    proxy = await startCuttableProxy({ hostname, port });
  });
  afterAll(async () => {
    await proxy.close();
    await rm(folder, { recursive: true });
  });

  it.each([0, 1, 3 * MIB + 1])('upload and download %i bytes', async (size) => {
    const content = randomBytes(size);
    const progress: number[] = [];
    const file = await upload(owner.client, {
      ...{ name: newName(), content: new Uint8Array(content), tags: ['plan'] },
      onProgress: ({ sentBytes }) => progress.push(sentBytes),
    });
    expect(file).toMatchObject({ _status: 'UPLOAD_COMPLETED', _tags: ['plan'] });
    if (size > 0) expect(progress.at(-1)).toBe(size);
    const blob = await downloadBlob(owner.client, { id: file._id });
    expect(sha256(new Uint8Array(await blob.arrayBuffer()))).toBe(sha256(content));
  });

  it('upload Blobs, which Node.js reads in parts', async () => {
    const content = randomBytes(16 * MIB + 1);
    const file = await upload(owner.client, { name: newName(), content: new Blob([content]) });
    const { size, stream } = await downloadStream(owner.client, { id: file._id });
    expect(size).toBe(content.length);
    const received = new Uint8Array(await new Response(stream).arrayBuffer());
    expect(sha256(received)).toBe(sha256(content));
  });

  it('upload text', async () => {
    const { _id: id } = await upload(owner.client, { name: newName(), content: 'Fenêtre' });
    expect(await (await downloadBlob(owner.client, { id })).text()).toBe('Fenêtre');
  });

  it('follow a link to another file, and replace nothing but files', async () => {
    const { _id: id } = await upload(owner.client, { name: newName(), content: 'content' });
    await writeFile(local('target'), 'before');
    await symlink(local('target'), local('link'));
    await downloadToFile(owner.client, local('link'), { id });
    expect(await readlink(local('link'))).toBe(local('target'));
    expect(await readFile(local('target'), 'utf8')).toBe('content');
    await expect(downloadToFile(owner.client, '/dev/null', { id })).rejects.toThrow('it is not a file');
  });

  it('resume an interrupted upload without sending stored bytes again', async () => {
    const content = randomBytes(24 * MIB);
    let id = '';
    const starts: number[] = [];
    const storedBytes = async () => {
      const { headers } = await owner.client.send('filesvc.uploads.progress', {
        ...{ path: { id }, query: { uploadType: 'resumable' as const } },
      });
      return Number(headers.get('upload-offset'));
    };
    async function* cutOnce(start: number) {
      starts.push(start);
      if (starts.length === 1) {
        yield content.subarray(0, 20 * MIB);
        await eventually(async () => expect(await storedBytes()).toBeGreaterThanOrEqual(8 * MIB));
        proxy.cut();
        proxy.mend();
      }
      yield content.subarray(starts.length === 1 ? 20 * MIB : start);
    }
    const file = await upload(throughProxy(), {
      ...{ name: newName(), checksum: `sha256:${sha256(content)}` },
      content: { size: content.length, read: (start) => Readable.from(cutOnce(start)) },
      onStart: (started) => (id = started),
    });
    expect(starts.length).toBeGreaterThan(1);
    expect(Math.min(...starts.slice(1))).toBeGreaterThanOrEqual(8 * MIB);
    expect(file._status).toBe('UPLOAD_COMPLETED');
  });

  it('stop an upload on request', async () => {
    const stop = new AbortController();
    const attempt = upload(owner.client, {
      ...{ name: newName(), content: new Uint8Array(12 * MIB), signal: stop.signal },
      onProgress: () => stop.abort(new Error('enough')),
    });
    await expect(attempt).rejects.toThrow('enough');
  });

  describe('of some size', () => {
    // More than socket buffers, so that a cut loses something.
    const content = randomBytes(24 * MIB);
    let id: string;
    beforeAll(async () => {
      id = (await upload(owner.client, { name: newName(), content: new Uint8Array(content) }))._id;
    });

    it('resume an interrupted download', async () => {
      let cuts = 0;
      const onProgress = ({ receivedBytes }: { receivedBytes: number }) => {
        if (receivedBytes < 2 * MIB * (cuts + 1) || cuts === 2) return;
        cuts += 1;
        proxy.cut();
        proxy.mend();
      };
      await downloadToFile(throughProxy(), local('cut.bin'), { id, onProgress });
      expect(cuts).toBe(2);
      expect(sha256(await readFile(local('cut.bin')))).toBe(sha256(content));
    });

    it('resume a download of an earlier call', async () => {
      const target = local('later.bin');
      const onProgress = ({ receivedBytes }: { receivedBytes: number }) =>
        void (receivedBytes > 3 * MIB && proxy.cut());
      await expect(downloadToFile(throughProxy(), target, { id, retries: 0, onProgress })).rejects.toMatchObject({
        name: 'NetworkError',
      });
      proxy.mend();
      expect((await readdir(folder)).filter((name) => name.startsWith('later.bin'))).toEqual([
        expect.stringMatching(/^later\.bin\.\w+\.part$/),
      ]);
      const received: number[] = [];
      await downloadToFile(owner.client, target, { id, onProgress: (each) => received.push(each.receivedBytes) });
      expect(received[0]).toBeGreaterThan(3 * MIB);
      expect(sha256(await readFile(target))).toBe(sha256(content));
    });

    it('leave nothing behind on a full disk', async () => {
      // The first part fits, the rest does not.
      const openFull = async (target: string, flags: string) => {
        const [file, full] = [await open(target, flags), await open('/dev/full', 'w')];
        return {
          write: (bytes: Uint8Array, offset: number, length: number, position: number) =>
            (position < MIB ? file : full).write(bytes, offset, length, position),
          sync: () => file.sync(),
          close: async () => void (await Promise.all([file.close(), full.close()])),
        };
      };
      const error = await downloadToFile(owner.client, local('full.bin'), { id, open: openFull }).catch(
        (thrown: unknown) => thrown,
      );
      expect(error).toBeInstanceOf(DiskError);
      expect(error).toMatchObject({ code: 'ENOSPC', message: expect.stringContaining('the disk is full') });
      expect((await readdir(folder)).filter((name) => name.startsWith('full.bin'))).toEqual([]);
    });
  });
});
