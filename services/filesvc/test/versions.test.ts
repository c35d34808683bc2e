import { describe, expect, it } from '@jest/globals';
import { GRAPHICS_TAG } from '@dtplatform/contracts';
import { eventually } from '@dtplatform/testing';
import { app, client, collect, folder, olga, stored } from './app.js';
import { requests } from './requests.js';

const UNKNOWN = 'f'.repeat(24);

await app.startWorker();
const usage = await collect();

describe('the versions of a file', () => {
  /** A file of versions with these contents, and the ids of the versions. */
  const versioned = async (name: string, ...contents: string[]) => {
    const versions: string[] = [];
    let id = '';
    for (const content of contents) {
      const [file] = (await olga.upload(name, content).expect(201)).body;
      id = file._id;
      versions.push(file._tipId);
    }
    return { id, versions };
  };
  const read = async (id: string) => (await olga.get(`/${id}`).expect(200)).body;
  const removeVersion = (id: string, versionId: string) => olga.remove(`${id}/versions/${versionId}`);
  const versionsIn = ({ body }: { body: { _list: { _version: number }[] } }) => body._list.map((each) => each._version);

  it('are listed newest first; folders and files without content have none', async () => {
    const { id, versions } = await versioned('listed.txt', 'one', 'two 2', 'three');
    const page = await olga.get(`/${id}/versions`).expect(200);
    expect(page.body).toMatchObject({ _offset: 0, _pageSize: 25, _total: 3, _includeTotal: true });
    expect(page.body._list.map(({ _id }: { _id: string }) => _id)).toEqual(versions.toReversed());
    for (const other of [await folder('no versions'), await client.begin('no versions yet', 5)])
      expect((await olga.get(`/${other}/versions`).expect(200)).body).toMatchObject({ _list: [], _total: 0 });
  });

  it('are read with the ETag of the file', async () => {
    const { id, versions } = await versioned('single.txt', 'one', 'two');
    const one = await olga.get(`/${id}/versions/${versions[0]}`).expect(200);
    expect(one.body).toMatchObject({ _id: versions[0], _version: 1, _fileSize: 3 });
    expect(one.headers.etag).toBe((await olga.get(`/${id}`)).headers.etag);
    const { versions: others } = await versioned('other.txt', 'x');
    for (const path of [UNKNOWN, others[0]]) {
      const missing = await olga.get(`/${id}/versions/${path}`).expect(404);
      expect(missing.body.message).toBe('The file has no such version.');
    }
  });

  it('are downloaded with their own type and encoding', async () => {
    const upload = async (content: string) =>
      (await olga.upload('typed.bin', content, {}, `image/${content}`).set('content-encoding', content).expect(201))
        .body[0];
    const old = await upload('x-first');
    await upload('x-second');
    const path = `/${old._id}/versions/${old._tipId}`;

    const { body, headers } = await olga.get(`${path}/content`).buffer(true).expect(200);
    expect(body.toString()).toBe('x-first');
    expect(headers).toMatchObject({
      'content-type': 'image/x-first',
      'content-encoding': 'x-first',
      'content-length': '7',
      'x-content-type-options': 'nosniff',
      etag: `"${old._tipId}"`,
    });
    const range = await olga.get(`${path}/content`).set({ range: 'bytes=2-4' }).buffer(true).expect(206);
    expect(range.body.toString()).toBe('fir');
    const { body: url } = await olga.get(`${path}/url`).expect(200);
    expect(url._name).toBe('typed.bin');
    const download = await fetch(url._url);
    expect(await download.text()).toBe('x-first');
    expect(Object.fromEntries(download.headers)).toMatchObject({
      'content-type': 'image/x-first',
      'content-encoding': 'x-first',
      'content-disposition': expect.stringContaining('typed.bin'),
    });
  });

  it('have signed URLs once complete, at the public address of the object store', async () => {
    const { id, versions } = await versioned('signed.txt', 'old', 'the tip');
    const { body } = await olga.get(`/${id}/url`).expect(200);
    expect(body).toEqual({ _url: expect.stringMatching(/^http/), _name: 'signed.txt' });
    expect(await (await fetch(body._url)).text()).toBe('the tip');
    for (const none of [await folder('no url'), await client.begin('no url yet', 5)])
      await olga.get(`/${none}/url`).expect(404);
    const other = await app.startInstance({ S3_PUBLIC_ENDPOINT: 'https://files.example.com:8443' });
    for (const path of ['', `/versions/${versions[0]}`]) {
      const { _url } = (await requests(other, app.olga).get(`/${id}${path}/url`).expect(200)).body;
      expect(new URL(_url).origin).toBe('https://files.example.com:8443');
    }
  });

  describe('are deleted', () => {
    it('with the previous one as the new tip; their numbers are not reused', async () => {
      const { id, versions } = await versioned('promoted.txt', 'one', 'second', 'three');
      const before = await read(id);
      await removeVersion(id, versions[2]!).expect(204);
      const after = await read(id);
      expect(after).toMatchObject({
        _tipId: versions[1],
        _tipVersion: 2,
        _nextVersion: 4,
        _status: 'UPLOAD_COMPLETED',
        _previews: [],
        _fileVersion: { _id: versions[1], _fileId: id, _version: 2, _fileSize: 6 },
      });
      expect(after._metadata._updatedAt).toBeGreaterThanOrEqual(before._metadata._updatedAt);
      expect((await client.download(id)).toString()).toBe('second');
      expect(versionsIn(await olga.get(`/${id}/versions`))).toEqual([2, 1]);
      for (const path of ['', '/url', '/content']) await olga.get(`/${id}/versions/${versions[2]}${path}`).expect(404);
      await removeVersion(id, versions[2]!).expect(404);
      await versioned('promoted.txt', 'fourth');
      expect(await read(id)).toMatchObject({ _tipVersion: 4, _nextVersion: 5 });
      expect(versionsIn(await olga.get(`/${id}/versions`))).toEqual([4, 2, 1]);
    });

    it('without changing the tip if they are older, but never the last one', async () => {
      const { id, versions } = await versioned('older.txt', 'one', 'two');
      const { etag } = (await olga.get(`/${id}`)).headers;
      await removeVersion(id, versions[0]!).expect(204);
      expect(await read(id)).toMatchObject({ _tipId: versions[1], _tipVersion: 2 });
      expect((await olga.get(`/${id}`)).headers.etag).not.toBe(etag);
      const last = await removeVersion(id, versions[1]!).expect(400);
      expect(last.body.code).toBe('LAST_VERSION');
      expect((await client.download(id)).toString()).toBe('two');
    });

    it('concurrently, so that one remains', async () => {
      const { id, versions } = await versioned('raced.txt', 'a', 'b', 'c', 'd');
      const responses = await Promise.all(versions.map((each) => removeVersion(id, each)));
      expect(responses.map(({ status }) => status).sort()).toEqual([204, 204, 204, 400]);
      const file = await read(id);
      expect((await olga.get(`/${id}/versions`)).body._list).toEqual([file._fileVersion]);
      expect((await client.download(id)).toString()).toBe('abcd'[versions.indexOf(file._tipId)]);
    });

    it('with their content and usage', async () => {
      const { id, versions } = await versioned('counted.txt', '12345', '123');
      const { _url } = (await olga.get(`/${id}/versions/${versions[0]}/url`)).body;
      const amount = (kind: string, version = {}) =>
        usage.amount(`FileVersion${kind}`, { dimensions: { file_id: id, ...version } });
      await eventually(() => expect(amount('Size')).toBe(8));
      await removeVersion(id, versions[0]!).expect(204);
      await eventually(async () => {
        expect([amount('Size'), amount('Size', { version: versions[0] }), amount('Count')]).toEqual([3, 0, 1]);
        expect((await fetch(_url)).status).toBe(404);
      });
      expect((await client.download(id)).toString()).toBe('123');
    });

    it('while another one uploads, which then becomes the tip', async () => {
      const { id, versions } = await versioned('uploading.txt', 'one', 'two');
      const content = Buffer.alloc(9 * 1024 * 1024, 'x');
      expect(await client.begin('uploading.txt', content.length)).toBe(id);
      await client.patch(id, content.subarray(0, 6_000_000)).expect(200);
      await removeVersion(id, versions[1]!).expect(204);
      expect(await read(id)).toMatchObject({ _status: 'UPLOAD_COMPLETED', _tipId: versions[0], _nextVersion: 3 });
      expect((await client.download(id)).toString()).toBe('one');
      await removeVersion(id, versions[0]!).expect(400);
      const offset = await client.offset(id);
      await client.patch(id, content.subarray(offset), { offset }).expect(200);
      expect(await read(id)).toMatchObject({ _tipVersion: 3, _nextVersion: 4, _uploadMeta: { _size: content.length } });
      expect((await client.download(id)).equals(content)).toBe(true);
      // The upload goes with its version.
      await removeVersion(id, (await read(id))._tipId).expect(204);
      expect(await read(id)).toMatchObject({ _tipVersion: 1, _nextVersion: 4 });
      expect(await read(id)).not.toHaveProperty('_uploadMeta');
    });

    it('while another one completes, which then becomes the tip', async () => {
      for (let round = 0; round < 5; round++) {
        const name = `concurrent-${round}.txt`;
        const { id, versions } = await versioned(name, 'one', 'two');
        await client.initiate(name, 5).expect(201);
        const [uploaded, removed] = await Promise.all([
          client.patch(id, Buffer.from('three')),
          removeVersion(id, versions[1]!),
        ]);
        expect([uploaded.status, removed.status]).toEqual([200, 204]);
        expect(await read(id)).toMatchObject({ _tipVersion: 3, _nextVersion: 4 });
        expect(versionsIn(await olga.get(`/${id}/versions`))).toEqual([3, 1]);
        expect((await client.download(id)).toString()).toBe('three');
      }
    });
  });

  it('are counted as graphics versions once their file is tagged, however many they are', async () => {
    const { id } = await versioned('tagged.ifc', 'one');
    await stored.addOlderVersions(id, 1100);
    const dimensions = { file_id: id };
    const amounts = () =>
      ['Count', 'Size', 'Count.graphics', 'Size.graphics'].map((kind) =>
        usage.amount(`FileVersion${kind}`, { dimensions }),
      );
    await olga.put(id, { _name: 'tagged.ifc', _tags: [GRAPHICS_TAG] }).expect(200);
    await eventually(() => expect(amounts()).toEqual([-1100, -3300, 1101, 3303]));
    await olga.upload('tagged.ifc', 'two', { _tags: 'none' }).expect(201);
    await eventually(() => expect(amounts()).toEqual([2, 6, 0, 0]));
    expect(usage.largestMessage()).toBeLessThanOrEqual(2000);
  });
});
