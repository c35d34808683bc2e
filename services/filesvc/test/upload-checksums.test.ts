import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp } from './start-app.js';
import type { TestApp } from './start-app.js';
import { uploadClient } from './upload-client.js';

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

describe('a resumable upload', () => {
  let app: TestApp;
  let client: ReturnType<typeof uploadClient>;
  const content = randomBytes(9 * MIB + 3);

  beforeAll(async () => {
    app = await startApp({ MAX_FILE_BYTES: String(5 * TIB), UPLOAD_BUFFER_BYTES: String(1200 * MIB) });
    client = uploadClient(app, app.olga);
  });
  afterAll(() => app.stop());

  const algorithms = Object.keys(DIGESTS).flatMap((name) =>
    (['hex', 'base64'] as const).map((encoding): [string, 'hex' | 'base64'] => [name, encoding]),
  );

  it.each(algorithms)('is compared with its %s in %s, from one request and from several', async (name, encoding) => {
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

  it('that is finished takes nothing more, and keeps its content', async () => {
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

  it.each(['f'.repeat(24), 'nonsense'])('with the id %p is a 404', async (id) => {
    await client.head(id).expect(404);
    await client.patch(id, Buffer.from('x')).expect(404);
    await client.cancel(id).expect(404);
  });

  it('of 5 TiB has parts of a size that S3 takes, and more is a 413', async () => {
    const id = await client.begin('sparse.bin', 5 * TIB);
    await client.patch(id, content.subarray(0, 6 * MIB)).expect(200);
    const { headers } = await client.head(id).expect(200);
    expect(headers).toMatchObject({ 'upload-length': String(5 * TIB), 'upload-offset': String(6 * MIB) });
    const upload = await app.deps.mongo.db.collection('uploads').findOne({ fileId: id });
    expect(upload).toMatchObject({ partBytes: 583 * MIB, parts: [{ partNumber: 1, size: 6 * MIB }] });
    await client.cancel(id).expect(200);
    await client.initiate('larger.bin', 5 * TIB + 1).expect(413);
  });
});
