import { createHash, randomBytes } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { FILES, NS, startApp } from './start-app.js';
import { RESUMABLE, sha256, uploadClient } from './upload-client.js';

const MIB = 1024 * 1024;
const TIB = 1024 ** 4;

const DIGESTS: Record<string, (bytes: Buffer) => Buffer> = {
  sha256: (bytes) => createHash('sha256').update(bytes).digest(),
  md5: (bytes) => createHash('md5').update(bytes).digest(),
  crc32c: (bytes) => {
    let crc = ~0;
    for (const byte of bytes) {
      crc ^= byte;
      for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0x82f63b78 : 0);
    }
    const digest = Buffer.alloc(4);
    digest.writeInt32BE(~crc);
    return digest;
  },
};

const app = await startApp({ MAX_FILE_BYTES: String(5 * TIB), UPLOAD_BUFFER_BYTES: String(1200 * MIB) });
const client = uploadClient(app, app.olga);
const content = randomBytes(20 * MIB);
afterAll(() => app.stop());

describe('a resumable upload', () => {
  it('goes from INITIATED through INTERRUPTED to COMPLETED', async () => {
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
    const { headers } = await client.head(id).expect(200);
    expect(headers).toMatchObject({ 'upload-length': String(12 * MIB), 'upload-offset': '0' });

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

  it('stores exactly the bytes sent, wherever requests end or break', async () => {
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

  it('is one file when its name is initiated twice concurrently', async () => {
    const responses = await Promise.all([client.initiate('twice.bin', 3), client.initiate('twice.bin', 3)]);
    expect(responses.map(({ status }) => status)).toEqual([201, 201]);
    const [id, same] = responses.map(({ body }) => body._id as string);
    expect(same).toBe(id);
    expect((await client.patch(id!, Buffer.from('abc')).expect(200)).body._status).toBe('UPLOAD_COMPLETED');
  });

  it.each([
    ['plan.png', 'application/json', 'image/png'],
    ['capitals.csv', 'Application/JSON; charset=utf-8', 'text/csv'],
    ['patch', 'application/json-patch+json', 'application/json-patch+json'],
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

  it('rejects a malformed content type', async () => {
    await client.initiate('malformed.csv', 1).set({ 'content-type': 'csv' }).serialize(JSON.stringify).expect(400);
  });

  it('of an existing file serves the former version until it completes', async () => {
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

  it('starts over when its name is initiated again', async () => {
    const first = await client.initiate('again.bin', 10).expect(201);
    const id = first.body._id as string;
    await client.patch(id, Buffer.from('12345')).expect(200);
    const again = await client.initiate('again.bin', 4).expect(201);
    expect(again.body).toMatchObject({ _id: id, _status: 'UPLOAD_INITIATED' });
    expect(again.body._uploadMeta._uploadId).not.toBe(first.body._uploadMeta._uploadId);
    expect(await client.offset(id)).toBe(0);
    await client.patch(id, Buffer.from('abcd')).expect(200);
    expect((await client.download(id)).toString()).toBe('abcd');
  });

  it('is removed with its file by a cancellation, unless the file has a version', async () => {
    const id = await client.begin('cancel-1', 10);
    await client.cancel(id).expect(204);
    await client.get(id).expect(404);
    await client.head(id).expect(404);
    await client.cancel(id).expect(404);

    const fresh = await client.begin('cancel-2', 10);
    await client.patch(fresh, Buffer.from('123')).expect(200);
    const cancelled = await client.cancel(fresh).expect(200);
    expect(cancelled.body).toMatchObject({ _id: fresh, _status: 'UPLOAD_INTERRUPTED' });
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

  const algorithms = Object.keys(DIGESTS).flatMap((name) =>
    (['hex', 'base64'] as const).map((encoding): [string, 'hex' | 'base64'] => [name, encoding]),
  );

  it.each(algorithms)('verifies its %s in %s, sent in one request or several', async (name, encoding) => {
    const content = randomBytes(9 * MIB + 3);
    const checksum = `${name}:${DIGESTS[name]!(content).toString(encoding)}`;
    const wrong = Buffer.from(content);
    wrong[content.length - 1]! ^= 1;

    const id = await client.begin(`${name}-${encoding}.bin`, content.length, { checksum });
    const rejected = await client.patch(id, wrong, { checksum }).expect(400);
    expect(rejected.body.code).toBe('CHECKSUM_MISMATCH');
    expect(await client.offset(id)).toBe(0);
    for (const last of [wrong, content]) {
      await client.patch(id, last.subarray(0, 6 * MIB + 1), { checksum, offset: 0 }).expect(200);
      const rest = client.patch(id, last.subarray(6 * MIB + 1), { checksum, offset: 6 * MIB + 1 });
      await rest.expect(last === wrong ? 400 : 200);
    }
    expect((await client.download(id)).equals(content)).toBe(true);
  });

  it('accepts nothing more once completed', async () => {
    const id = await client.begin('finished.bin', 5);
    await client.patch(id, Buffer.from('hello')).expect(200);
    expect((await client.patch(id, Buffer.from('x')).expect(400)).body.code).toBe('TOO_MANY_BYTES');
    await client.patch(id, Buffer.from('hello'), { offset: 0 }).expect(409);
    expect((await client.patch(id, Buffer.alloc(0), { checksum: 'other' }).expect(400)).body.code).toBe(
      'OTHER_CHECKSUM',
    );
    await client.cancel(id).expect(404);
    expect((await client.patch(id, Buffer.alloc(0)).expect(200)).body._status).toBe('UPLOAD_COMPLETED');
    expect(await client.offset(id)).toBe(5);
    expect((await client.download(id)).toString()).toBe('hello');
  });

  it('of 5 TiB has parts of a size that S3 accepts; a larger one is a 413', async () => {
    const id = await client.begin('sparse.bin', 5 * TIB);
    await client.patch(id, content.subarray(0, 6 * MIB)).expect(200);
    const { headers } = await client.head(id).expect(200);
    expect(headers).toMatchObject({ 'upload-length': String(5 * TIB), 'upload-offset': String(6 * MIB) });
    const upload = await app.deps.mongo.db.collection('uploads').findOne({ fileId: id });
    expect(upload).toMatchObject({ partBytes: 583 * MIB, parts: [{ partNumber: 1, size: 6 * MIB }] });
    await client.cancel(id).expect(200);
    await client.initiate('larger.bin', 5 * TIB + 1).expect(413);
  });

  describe('rejects', () => {
    it('more bytes than the file has, and keeps the offset', async () => {
      const id = await client.begin('more.bin', 18 * MIB);
      await client.patch(id, content.subarray(0, 6 * MIB)).expect(200);
      const announced = await client.patch(id, content.subarray(0, 13 * MIB)).expect(400);
      expect(announced.body.code).toBe('TOO_MANY_BYTES');
      expect(await client.offset(id)).toBe(6 * MIB);
      await client.patch(id, content.subarray(6 * MIB, 7 * MIB)).expect(200);
      const chunked = await fetch(`${app.url}${FILES}/${id}?uploadType=resumable&nsfilter=${NS}&checksum=c`, {
        method: 'PATCH',
        headers: { authorization: app.olga },
        duplex: 'half',
        body: new Blob([content]).stream(),
      });
      expect(chunked.status).toBe(400);
      expect(await client.offset(id)).toBe(7 * MIB);
      await client.resume(id, content.subarray(0, 18 * MIB));
      expect(sha256(await client.download(id))).toBe(sha256(content.subarray(0, 18 * MIB)));
    });

    it('a missing checksum, or one that differs from the initiation', async () => {
      const id = await client.begin('sum.bin', 5, { checksum: 'a+b' });
      const other = await client.patch(id, Buffer.from('hello'), { checksum: 'other' }).expect(400);
      expect(other.body.code).toBe('OTHER_CHECKSUM');
      await app.api.patch(`${FILES}/${id}`).query(RESUMABLE).set({ authorization: app.olga }).send('hello').expect(400);
      expect(await client.offset(id)).toBe(0);
      // An unescaped plus sign arrives as a space.
      await client.patch(id, Buffer.from('hello'), { checksum: 'a b' }).expect(200);
    });

    it('a numeric checksum that JSON does not preserve', async () => {
      const initiate = (checksum: string) =>
        app.api
          .post(FILES)
          .query(RESUMABLE)
          .set({ authorization: app.olga, 'content-type': 'application/json' })
          .send(`{"_name": "${checksum}", "_uploadMeta": {"_size": 1, "_checksum": ${checksum}}}`);
      expect((await initiate('9007199254740991').expect(201)).body._uploadMeta._checksum).toBe('9007199254740991');
      for (const checksum of ['1152921504606846976', '0.12345678901234567', '1e21'])
        await initiate(checksum).expect(400);
    });

    it.each([
      ['without a name', { _name: undefined }],
      ['without a size', { _uploadMeta: { _checksum: 'c' } }],
      ['without a checksum', { _uploadMeta: { _size: 1 } }],
      ['of a fractional size', { _uploadMeta: { _size: 1.5, _checksum: 'c' } }],
      ['of a negative size', { _uploadMeta: { _size: -1, _checksum: 'c' } }],
      ['with a malformed digest', { _uploadMeta: { _size: 1, _checksum: 'md5:abc' } }],
      ['in an unknown folder', { _parents: ['0'.repeat(24)] }],
      ['whose name is a path', { _name: '../x' }],
      ['outside the namespace of the call', { _namespaces: ['b'] }],
    ])('an initiation %s', async (_what, more) => {
      const body = { _name: 'x', _uploadMeta: { _size: 1, _checksum: 'c' }, ...more };
      await app.api.post(FILES).query(RESUMABLE).set({ authorization: app.olga }).send(body).expect(400);
    });
  });
});
