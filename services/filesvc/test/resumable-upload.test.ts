import { randomBytes } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { FILES, NS, startApp } from './start-app.js';
import { RESUMABLE, sha256, uploadClient } from './upload-client.js';

const MIB = 1024 * 1024;
const TIB = 1024 ** 4;

const app = await startApp({ MAX_FILE_BYTES: String(5 * TIB), UPLOAD_BUFFER_BYTES: String(1200 * MIB) });
const client = uploadClient(app, app.olga);
const content = randomBytes(20 * MIB);
afterAll(() => app.stop());

const upload = async (name: string, text: string) => {
  const id = await client.begin(name, text.length);
  expect((await client.patch(id, Buffer.from(text)).expect(200)).body._status).toBe('UPLOAD_COMPLETED');
  return id;
};
const textOf = async (id: string) => (await client.download(id)).toString();

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
      _tipId: last.body._fileVersion._id,
      _tipVersion: 1,
      _nextVersion: 2,
      _fileVersion: { _fileSize: 12 * MIB, _version: 1, _fileId: id },
    });
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
        const checksum = `sha256:${sha256(whole)}`;
        const id = await client.begin(`property-${run++}`, total, { checksum });
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
    ['capitals.csv', 'Application/JSON; charset=utf-8', 'text/csv'],
    ['patch', 'application/json-patch+json', 'application/json-patch+json'],
  ])('stores %s, initiated with type %s, as %s', async (name, sent, kept) => {
    const initiate = (type: string) => client.initiate(name, 1).set('content-type', type).serialize(JSON.stringify);
    await initiate('csv').expect(400);
    const { body } = await initiate(sent).set('content-encoding', 'br').expect(201);
    await client.patch(body._id, Buffer.from('x')).expect(200);
    const head = app.api.head(`${FILES}/${body._id}/content`).query({ nsfilter: NS }).set({ authorization: app.olga });
    const headers = { 'content-type': kept, 'content-encoding': 'br', 'content-length': '1' };
    expect((await head.expect(200)).headers).toMatchObject(headers);
  });

  it('of an existing file serves the former version until it completes', async () => {
    const id = await upload('versions.txt', 'one');
    const second = await client.initiate('versions.txt', 3, { checksum: 'd' }).expect(201);
    expect(second.body).toMatchObject({ _id: id, _status: 'UPLOAD_INITIATED', _tipVersion: 1 });
    const started = await client.patch(id, Buffer.from('t'), { checksum: 'd' }).expect(200);
    expect(started.body._status).toBe('UPLOAD_INTERRUPTED');
    expect((await client.get(id)).body).toMatchObject({ _status: 'UPLOAD_COMPLETED', _tipVersion: 1 });
    expect(await textOf(id)).toBe('one');

    const done = await client.patch(id, Buffer.from('wo'), { checksum: 'd' }).expect(200);
    expect(done.body).toMatchObject({ _id: id, _tipVersion: 2, _nextVersion: 3, _uploadMeta: { _checksum: 'd' } });
    expect(await textOf(id)).toBe('two');
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
    expect(await textOf(id)).toBe('abcd');
  });

  it('is removed with its file by a cancellation, unless the file has a version', async () => {
    const id = await client.begin('cancel-1', 10);
    await client.cancel(id).expect(204);
    await client.get(id).expect(404);
    await client.head(id).expect(404);
    await client.cancel(id).expect(404);

    const begun = await client.begin('cancel-2', 10);
    await client.patch(begun, Buffer.from('123')).expect(200);
    const cancelled = await client.cancel(begun).expect(200);
    expect(cancelled.body).toMatchObject({ _id: begun, _status: 'UPLOAD_INTERRUPTED' });
    await client.get(begun).expect(404);

    const old = await upload('cancel-3', 'one');
    await client.initiate('cancel-3', 5).expect(201);
    await client.patch(old, Buffer.from('x')).expect(200);
    await client.cancel(old).expect(200);
    expect((await client.get(old)).body._status).toBe('UPLOAD_COMPLETED');
    expect(await textOf(old)).toBe('one');
    expect(await client.offset(old)).toBe(3);
  });

  it('starts over when its content does not match its checksum, sent in one request or several', async () => {
    const whole = content.subarray(0, 9 * MIB + 3);
    const checksum = `sha256:${sha256(whole)}`;
    const wrong = Buffer.from(whole);
    wrong[whole.length - 1]! ^= 1;

    const id = await client.begin('verified.bin', whole.length, { checksum });
    const rejected = await client.patch(id, wrong, { checksum }).expect(400);
    expect(rejected.body.code).toBe('CHECKSUM_MISMATCH');
    expect(await client.offset(id)).toBe(0);
    for (const [sent, status] of [[wrong, 400] as const, [whole, 200] as const]) {
      await client.patch(id, sent.subarray(0, 6 * MIB + 1), { checksum, offset: 0 }).expect(200);
      await client.patch(id, sent.subarray(6 * MIB + 1), { checksum, offset: 6 * MIB + 1 }).expect(status);
    }
    expect((await client.download(id)).equals(whole)).toBe(true);
    await client.initiate('malformed', 1, { checksum: 'md5:abc' }).expect(400);
  });

  it('accepts nothing more once completed', async () => {
    const id = await upload('finished.bin', 'hello');
    expect((await client.patch(id, Buffer.from('x')).expect(400)).body.code).toBe('TOO_MANY_BYTES');
    await client.patch(id, Buffer.from('hello'), { offset: 0 }).expect(409);
    const other = await client.patch(id, Buffer.alloc(0), { checksum: 'other' }).expect(400);
    expect(other.body.code).toBe('OTHER_CHECKSUM');
    await client.cancel(id).expect(404);
    expect((await client.patch(id, Buffer.alloc(0)).expect(200)).body._status).toBe('UPLOAD_COMPLETED');
    expect(await client.offset(id)).toBe(5);
    expect(await textOf(id)).toBe('hello');
  });

  it('of 5 TiB has parts of a size that S3 accepts; a larger one is a 413', async () => {
    const id = await client.begin('sparse.bin', 5 * TIB);
    await client.patch(id, content.subarray(0, 6 * MIB)).expect(200);
    const { headers } = await client.head(id).expect(200);
    expect(headers).toMatchObject({ 'upload-length': String(5 * TIB), 'upload-offset': String(6 * MIB) });
    const stored = await app.deps.mongo.db.collection('uploads').findOne({ fileId: id });
    expect(stored).toMatchObject({ partBytes: 583 * MIB, parts: [{ partNumber: 1, size: 6 * MIB }] });
    await client.cancel(id).expect(200);
    await client.initiate('larger.bin', 5 * TIB + 1).expect(413);
  });

  it('rejects more bytes than the file has, and keeps the offset', async () => {
    const whole = content.subarray(0, 18 * MIB);
    const id = await client.begin('more.bin', whole.length);
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
    await client.resume(id, whole);
    expect(sha256(await client.download(id))).toBe(sha256(whole));
  });

  it('rejects a missing checksum, or one that differs from the initiation', async () => {
    const id = await client.begin('sum.bin', 5, { checksum: 'a+b' });
    const other = await client.patch(id, Buffer.from('hello'), { checksum: 'other' }).expect(400);
    expect(other.body.code).toBe('OTHER_CHECKSUM');
    await app.api.patch(`${FILES}/${id}`).query(RESUMABLE).set({ authorization: app.olga }).send('hello').expect(400);
    expect(await client.offset(id)).toBe(0);
    // An unescaped plus sign arrives as a space.
    await client.patch(id, Buffer.from('hello'), { checksum: 'a b' }).expect(200);
  });

  it.each([
    ['with a number as checksum that JSON does not preserve', { _uploadMeta: { _size: 1, _checksum: 1e21 } }],
    ['in an unknown folder', { _parents: ['0'.repeat(24)] }],
    ['whose name is a path', { _name: '../x' }],
    ['outside the namespace of the call', { _namespaces: ['b'] }],
  ])('cannot be initiated %s', async (_what, more) => {
    await client.initiate('x', 1, more).expect(400);
  });
});

describe('tus 1.0', () => {
  const TUS = { 'tus-resumable': '1.0.0' };
  const BODY = { ...TUS, 'content-type': 'application/offset+octet-stream' };
  /** Like a tus client: without a checksum in the URL. */
  const patch = (id: string, bytes: string, offset: number, headers = {}) =>
    app.api
      .patch(`${FILES}/${id}`)
      .query(RESUMABLE)
      .set({ authorization: app.olga, 'upload-offset': String(offset), ...BODY, ...headers })
      .send(Buffer.from(bytes));

  it('is announced with version and extensions, without authentication', async () => {
    for (const path of [FILES, `${FILES}/${'0'.repeat(24)}`]) {
      const { headers } = await app.api.options(path).expect(204);
      expect(headers).toMatchObject({
        'tus-resumable': '1.0.0',
        'tus-version': '1.0.0',
        'tus-extension': 'termination',
        'tus-max-size': String(5 * TIB),
      });
    }
  });

  it.each([
    ['another version', 412, { 'tus-resumable': '0.2.2' }],
    ['the media type application/octet-stream', 415, { 'content-type': 'application/octet-stream' }],
    ['a longer media type', 415, { 'content-type': 'application/offset+octet-stream-2' }],
    ['a media type among others', 415, { 'content-type': 'x; application/offset+octet-stream' }],
    ['a wrong offset', 409, { 'upload-offset': '3' }],
    ...['-1', '1.5', '', '0x0', '9'.repeat(40)].map(
      (offset) => [`the offset "${offset}"`, 400, { 'upload-offset': offset }] as const,
    ),
  ])('rejects %s and changes nothing', async (what, status, headers) => {
    const id = await client.begin(`tus with ${what}`.replaceAll('/', ''), 10);
    const reply = await patch(id, 'hello', 0, headers).expect(status);
    expect(reply.headers).toMatchObject({ 'tus-resumable': '1.0.0', 'cache-control': 'no-store' });
    expect(reply.headers).not.toHaveProperty('upload-offset');
    if (status === 412) expect(reply.headers['tus-version']).toBe('1.0.0');
    expect(await client.offset(id)).toBe(0);
    expect((await client.get(id)).body._status).toBe('UPLOAD_INITIATED');
  });

  it('sends its headers in 401 and 404', async () => {
    const anonymous = await app.api
      .head(`${FILES}/${'0'.repeat(24)}`)
      .query(RESUMABLE)
      .expect(401);
    const missing = await client.head('0'.repeat(24)).set(TUS).expect(404);
    for (const { headers } of [anonymous, missing])
      expect(headers).toMatchObject({ 'tus-resumable': '1.0.0', 'cache-control': 'no-store' });
  });

  it('appends bytes at the offset, also by POST with an overridden method', async () => {
    const id = await client.begin('tus.txt', 10);
    const type = 'Application/Offset+Octet-Stream; charset=utf-8';
    const first = await patch(id, 'hello', 0, { 'content-type': type }).expect(200);
    expect(first.headers).toMatchObject({ 'upload-offset': '5', 'tus-resumable': '1.0.0' });
    const post = (method: string, headers = {}) =>
      app.api
        .post(`${FILES}/${id}`)
        .query(RESUMABLE)
        .set({ authorization: app.olga, ...TUS, ...headers, 'x-http-method-override': method });
    const last = await post('PATCH', { ...BODY, 'upload-offset': '5' })
      .send(Buffer.from('world'))
      .expect(200);
    expect(last.headers['upload-offset']).toBe('10');
    expect(await textOf(id)).toBe('helloworld');
    const head = await post('HEAD').expect(200);
    expect(head.headers).toMatchObject({ 'upload-offset': '10', 'upload-length': '10', 'cache-control': 'no-store' });
    expect(head.text).toBe('');
  });
});
