import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { eventually } from '@dtplatform/testing';
import { FILES, NS, startApp } from './start-app.js';
import type { TestApp } from './start-app.js';
import { RESUMABLE, sha256, uploadClient } from './upload-client.js';

const MIB = 1024 * 1024;

describe('resumable upload', () => {
  let app: TestApp;
  let client: ReturnType<typeof uploadClient>;
  let content: Buffer;

  beforeAll(async () => {
    app = await startApp();
    client = uploadClient(app, app.olga);
    content = randomBytes(20 * MIB);
  });
  afterAll(() => app.stop());

  it('goes from INITIATED through INTERRUPTED to COMPLETED, resuming at the current offset each time', async () => {
    const initiated = await client.initiate('parts.ifc', 12 * MIB, { checksum: 4711, _tags: ['a'] }).expect(201);
    expect(initiated.headers['upload-offset']).toBe('0');
    expect(initiated.body).toMatchObject({
      _name: 'parts.ifc',
      _status: 'UPLOAD_INITIATED',
      _tags: ['a'],
      _namespaces: [NS],
      _parents: [],
      _uploadMeta: { _size: 12 * MIB, _checksum: '4711', _uploadId: expect.any(String) },
    });
    const id = initiated.body._id as string;
    const head = await client.head(id).expect(200);
    expect(head.headers).toMatchObject({
      'cache-control': 'no-store',
      'upload-length': String(12 * MIB),
      'upload-offset': '0',
    });

    const first = await client.patch(id, content.subarray(0, 5 * MIB), { checksum: '4711' }).expect(200);
    expect(first.body).toMatchObject({ _id: id, _status: 'UPLOAD_INTERRUPTED' });
    expect(first.headers['upload-offset']).toBe(String(5 * MIB));
    expect((await client.get(id).expect(200)).body._status).toBe('UPLOAD_INTERRUPTED');
    expect(await client.offset(id)).toBe(5 * MIB);

    const last = await client.patch(id, content.subarray(5 * MIB, 12 * MIB), { checksum: '4711' }).expect(200);
    expect(last.body).toMatchObject({
      _status: 'UPLOAD_COMPLETED',
      _tipVersion: 1,
      _nextVersion: 2,
      _fileVersion: { _fileSize: 12 * MIB, _version: 1, _fileId: id },
    });
    expect(last.body._tipId).toBe(last.body._fileVersion._id);
    expect(sha256(await client.download(id))).toBe(sha256(content.subarray(0, 12 * MIB)));
  });

  it('stores exactly the bytes sent, wherever requests end or connections break', async () => {
    const size = fc.integer({ min: 1, max: 18 * MIB });
    // Around part boundaries: 5 MiB is the smallest part, 8 MiB the usual one.
    const edge = fc
      .tuple(fc.constantFrom(0, 5 * MIB, 8 * MIB, 16 * MIB), fc.integer({ min: -2, max: 2 }))
      .map(([at, by]) => Math.max(at + by, 0));
    const step = fc.record({ bytes: fc.oneof(edge, size), how: fc.constantFrom('whole', 'short', 'cut') });
    let run = 0;
    await fc.assert(
      fc.asyncProperty(size, fc.array(step, { maxLength: 4 }), async (total, steps) => {
        const whole = content.subarray(0, total);
        const id = await client.begin(`property-${run++}`, total, { checksum: `sha256:${sha256(whole)}` });
        const checksum = `sha256:${sha256(whole)}`;
        for (const { bytes, how } of steps) {
          const offset = await client.offset(id);
          const rest = whole.subarray(offset);
          const piece = rest.subarray(0, how === 'whole' ? rest.length : bytes);
          if (how === 'cut') await client.cut(id, rest.length, piece);
          else await client.patch(id, piece, { offset, checksum });
        }
        await client.resume(id, whole, checksum);
        expect(sha256(await client.download(id))).toBe(sha256(whole));
      }),
      { numRuns: 8, seed: 4711 },
    );
  });

  it('keeps the bytes received before the connection broke', async () => {
    const id = await client.begin('cut.bin', content.length);
    await client.cut(id, content.length, content.subarray(0, 11 * MIB));
    await eventually(async () => {
      expect((await client.get(id)).body._status).toBe('UPLOAD_INTERRUPTED');
      expect(await client.offset(id)).toBeGreaterThan(8 * MIB);
    });
    expect(await client.offset(id)).toBeLessThanOrEqual(11 * MIB);
    expect(await client.resume(id, content)).toMatchObject({ _status: 'UPLOAD_COMPLETED' });
    expect(sha256(await client.download(id))).toBe(sha256(content));
  });

  it('creates one file when the same name is initiated twice concurrently', async () => {
    const responses = await Promise.all([client.initiate('twice.bin', 3), client.initiate('twice.bin', 3)]);
    expect(responses.map(({ status }) => status)).toEqual([201, 201]);
    const [id, same] = responses.map(({ body }) => body._id as string);
    expect(same).toBe(id);
    expect((await client.patch(id!, Buffer.from('abc')).expect(200)).body._status).toBe('UPLOAD_COMPLETED');
  });

  it.each([
    ['plan.png', 'application/json', 'image/png'],
    ['plan.png', 'model/gltf-binary', 'model/gltf-binary'],
    ['no extension', 'application/json; charset=utf-8', 'application/octet-stream'],
    ['capitals.csv', 'Application/JSON', 'text/csv'],
    ['patch', 'application/json-patch+json', 'application/json-patch+json'],
    ['legacy.csv', 'text/csv; charset=windows-1252', 'text/csv; charset=windows-1252'],
  ])('stores %s, initiated with type %s, as %s', async (name, sent, kept) => {
    const { body } = await client
      .initiate(`${sent.length}-${name}`, 1)
      .set({ 'content-type': sent, 'content-encoding': 'br' })
      .serialize(JSON.stringify)
      .expect(201);
    await client.patch(body._id, Buffer.from('x')).expect(200);
    const head = await app.api
      .head(`${FILES}/${body._id}/content`)
      .query({ nsfilter: NS })
      .set({ authorization: app.olga });
    expect(head.headers).toMatchObject({ 'content-type': kept, 'content-encoding': 'br', 'content-length': '1' });
  });

  it('refuses to begin with a type that is none', async () => {
    await client.initiate('malformed.csv', 1).set({ 'content-type': 'csv' }).serialize(JSON.stringify).expect(400);
  });

  it('completes an upload of zero bytes at once', async () => {
    const response = await client.initiate('empty.txt', 0).expect(201);
    expect(response.body._status).toBe('UPLOAD_INITIATED');
    expect((await client.get(response.body._id)).body).toMatchObject({
      _status: 'UPLOAD_COMPLETED',
      _fileVersion: { _fileSize: 0 },
    });
    expect(await client.download(response.body._id)).toHaveLength(0);
  });

  describe('of an existing name', () => {
    it('creates a new version while the file stays complete and serves its tip', async () => {
      const id = await client.begin('versions.txt', 3);
      await client.patch(id, Buffer.from('one')).expect(200);

      const second = await client.initiate('versions.txt', 3, { checksum: 'd' }).expect(201);
      expect(second.body).toMatchObject({ _id: id, _status: 'UPLOAD_INITIATED', _tipVersion: 1 });
      const started = await client.patch(id, Buffer.from('t'), { checksum: 'd' }).expect(200);
      expect(started.body._status).toBe('UPLOAD_INTERRUPTED');
      expect((await client.get(id)).body).toMatchObject({ _status: 'UPLOAD_COMPLETED', _tipVersion: 1 });
      expect((await client.download(id)).toString()).toBe('one');

      const done = await client.patch(id, Buffer.from('wo'), { checksum: 'd' }).expect(200);
      expect(done.body).toMatchObject({
        _id: id,
        _tipVersion: 2,
        _nextVersion: 3,
        _uploadMeta: { _checksum: 'd' },
      });
      expect((await client.download(id)).toString()).toBe('two');
    });

    it('restarts an unfinished upload', async () => {
      const first = await client.initiate('again.bin', 10).expect(201);
      await client.patch(first.body._id, Buffer.from('12345')).expect(200);
      const again = await client.initiate('again.bin', 4).expect(201);
      expect(again.body._id).toBe(first.body._id);
      expect(again.body._uploadMeta._uploadId).not.toBe(first.body._uploadMeta._uploadId);
      expect(again.body._status).toBe('UPLOAD_INITIATED');
      expect(await client.offset(first.body._id)).toBe(0);
      await client.patch(first.body._id, Buffer.from('abcd')).expect(200);
      expect((await client.download(first.body._id)).toString()).toBe('abcd');
    });
  });

  describe('that is cancelled', () => {
    it('is removed with its file, and answers 204 when no bytes had arrived', async () => {
      const id = await client.begin('cancel-1', 10);
      await client.cancel(id).expect(204);
      await client.get(id).expect(404);
      await client.head(id).expect(404);
      await client.cancel(id).expect(404);
    });

    it('returns the file when bytes had arrived, and keeps earlier versions', async () => {
      const fresh = await client.begin('cancel-2', 10);
      await client.patch(fresh, Buffer.from('123')).expect(200);
      expect((await client.cancel(fresh).expect(200)).body).toMatchObject({
        _id: fresh,
        _status: 'UPLOAD_INTERRUPTED',
      });
      await client.get(fresh).expect(404);

      const old = await client.begin('cancel-3', 3);
      await client.patch(old, Buffer.from('one')).expect(200);
      await client.initiate('cancel-3', 5).expect(201);
      await client.patch(old, Buffer.from('x')).expect(200);
      await client.cancel(old).expect(200);
      expect((await client.get(old)).body._status).toBe('UPLOAD_COMPLETED');
      expect((await client.download(old)).toString()).toBe('one');
      expect(await client.offset(old)).toBe(3);
    });
  });

  describe('rejects', () => {
    it('more bytes than the file has, and keeps the offset', async () => {
      const id = await client.begin('more.bin', 10 * MIB);
      await client.patch(id, content.subarray(0, 6 * MIB)).expect(200);
      const announced = await client.patch(id, content.subarray(0, 5 * MIB)).expect(400);
      expect(announced.body).toMatchObject({ status: 400, code: 'TOO_MANY_BYTES' });
      expect(await client.offset(id)).toBe(6 * MIB);
      expect((await client.patch(id, content.subarray(6 * MIB, 10 * MIB)).expect(200)).body._status).toBe(
        'UPLOAD_COMPLETED',
      );
    });

    it('more bytes than the file has in a request without a length', async () => {
      const id = await client.begin('chunked.bin', 18 * MIB);
      await client.patch(id, content.subarray(0, MIB)).expect(200);
      const response = await fetch(`${app.url}${FILES}/${id}?uploadType=resumable&nsfilter=${NS}&checksum=c`, {
        method: 'PATCH',
        headers: { authorization: app.olga },
        duplex: 'half',
        body: new Blob([content]).stream(),
      });
      expect(response.status).toBe(400);
      expect(await client.offset(id)).toBe(MIB);
      await client.resume(id, content.subarray(0, 18 * MIB));
      expect(sha256(await client.download(id))).toBe(sha256(content.subarray(0, 18 * MIB)));
    });

    it('a missing checksum, or one that differs from the initiation', async () => {
      const id = await client.begin('sum.bin', 5, { checksum: 'a+b' });
      expect((await client.patch(id, Buffer.from('hello'), { checksum: 'other' }).expect(400)).body.code).toBe(
        'OTHER_CHECKSUM',
      );
      await app.api.patch(`${FILES}/${id}`).query(RESUMABLE).set({ authorization: app.olga }).send('hello').expect(400);
      expect(await client.offset(id)).toBe(0);
      // An unescaped plus sign arrives as a space.
      await client.patch(id, Buffer.from('hello'), { checksum: 'a b' }).expect(200);
    });

    it.each([
      ['no name', { _uploadMeta: { _size: 1, _checksum: 'c' } }],
      ['no size', { _name: 'x', _uploadMeta: { _checksum: 'c' } }],
      ['no checksum', { _name: 'x', _uploadMeta: { _size: 1 } }],
      ['no whole size', { _name: 'x', _uploadMeta: { _size: 1.5, _checksum: 'c' } }],
      ['a negative size', { _name: 'x', _uploadMeta: { _size: -1, _checksum: 'c' } }],
      ['a digest that does not fit', { _name: 'x', _uploadMeta: { _size: 1, _checksum: 'md5:abc' } }],
      ['11 tags', { _name: 'x', _uploadMeta: { _size: 1, _checksum: 'c' }, _tags: Array.from({ length: 11 }, String) }],
      ['a long tag', { _name: 'x', _uploadMeta: { _size: 1, _checksum: 'c' }, _tags: ['t'.repeat(51)] }],
      ['no folder', { _name: 'x', _uploadMeta: { _size: 1, _checksum: 'c' }, _parents: ['0'.repeat(24)] }],
      ['a NUL', { _name: 'x\0y', _uploadMeta: { _size: 1, _checksum: 'c' } }],
      ['a path', { _name: '../x', _uploadMeta: { _size: 1, _checksum: 'c' } }],
      [
        'another namespace than its context',
        { _name: 'x', _uploadMeta: { _size: 1, _checksum: 'c' }, _namespaces: ['b'] },
      ],
    ])('an initiation with %s', async (_what, body) => {
      const response = await app.api.post(FILES).query(RESUMABLE).set({ authorization: app.olga }).send(body);
      expect(response.status).toBe(400);
    });

    it('a file above the size limit', async () => {
      await client.initiate('huge', 2 ** 52).expect(413);
    });
  });
});

/** tus 1.0 on the URLs of the resumable upload. */
