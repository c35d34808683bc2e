import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
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
      const reply = await fetch(`${app.url}${FILES}/${id}?uploadType=resumable&nsfilter=${NS}&checksum=c`, {
        method: 'PATCH',
        headers: { authorization: app.olga },
        duplex: 'half',
        body: new Blob([content]).stream(),
      });
      expect(reply.status).toBe(400);
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
      ['sha256', (b: Buffer) => createHash('sha256').update(b).digest('base64')],
      ['md5', (b: Buffer) => createHash('md5').update(b).digest('hex')],
    ])('content that does not match its %s, and starts over', async (name, digest) => {
      const right = Buffer.from('the right content');
      const checksum = `${name}:${digest(right)}`;
      const id = await client.begin(`verified-${name}`, right.length, { checksum });
      const wrong = await client.patch(id, Buffer.from('the wrong content'), { checksum }).expect(400);
      expect(wrong.body.code).toBe('CHECKSUM_MISMATCH');
      expect(await client.offset(id)).toBe(0);
      expect((await client.get(id)).body._status).toBe('UPLOAD_INTERRUPTED');
      await client.patch(id, right, { checksum }).expect(200);
      expect((await client.download(id)).equals(right)).toBe(true);
    });

    it('content in parts that does not match its checksum, from one request or several', async () => {
      const whole = content.subarray(0, 9 * MIB);
      const checksum = `md5:${createHash('md5').update(whole).digest('hex')}`;
      const other = Buffer.from(whole);
      other[3] = other[3]! ^ 1;
      const id = await client.begin('verified-parts', whole.length, { checksum });
      await client.patch(id, other, { checksum }).expect(400);
      expect(await client.offset(id)).toBe(0);
      await client.patch(id, other.subarray(0, 6 * MIB), { checksum }).expect(200);
      await client.patch(id, other.subarray(6 * MIB), { checksum }).expect(400);
      expect(await client.offset(id)).toBe(0);
      await client.patch(id, whole.subarray(0, 6 * MIB), { checksum }).expect(200);
      await client.patch(id, whole.subarray(6 * MIB), { checksum }).expect(200);
      expect((await client.download(id)).equals(whole)).toBe(true);
    });

    it('a wrong crc32c', async () => {
      const checksum = 'crc32c:e3069283';
      const id = await client.begin('crc', 9, { checksum });
      await client.patch(id, Buffer.from('123456780'), { checksum }).expect(400);
      await client.patch(id, Buffer.from('123456789'), { checksum }).expect(200);
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
      const reply = await app.api.post(FILES).query(RESUMABLE).set({ authorization: app.olga }).send(body);
      expect(reply.status).toBe(400);
    });

    it('a file above the size limit', async () => {
      await client.initiate('huge', 2 ** 52).expect(413);
    });
  });
});
