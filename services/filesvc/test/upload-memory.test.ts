import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loadConfig } from '@dtplatform/config';
import { eventually } from '@dtplatform/testing';
import { Config } from '../src/config.js';
import { FILES, NS, startApp } from './start-app.js';
import type { TestApp } from './start-app.js';
import { uploadClient } from './upload-client.js';

const MIB = 1024 * 1024;
const PART = 8 * MIB;

describe('the memory of uploads', () => {
  let app: TestApp;
  let client: ReturnType<typeof uploadClient>;
  const content = randomBytes(9 * MIB);

  beforeAll(async () => {
    app = await startApp({ MAX_FILE_BYTES: String(64 * 1024 * MIB), UPLOAD_BUFFER_BYTES: String(2 * PART) });
    client = uploadClient(app, app.olga);
  });
  afterAll(() => app.stop());

  const sendForm = (name: string, authorization = app.olga) =>
    app.api
      .post(FILES)
      .query({ nsfilter: NS, _namespaces: NS })
      .set({ authorization })
      .attach('file', content.subarray(0, 6 * MIB), name);

  async function gauge(name: string): Promise<number> {
    const lines = (await app.deps.registry.metrics()).split('\n');
    return Number(lines.find((line) => line.startsWith(`${name} `))?.split(' ')[1]);
  }

  it('is shared: uploads wait for one another, and all of them complete', async () => {
    const ids = await Promise.all(Array.from({ length: 6 }, (_, n) => client.begin(`shared-${n}`, content.length)));
    const [patched, forms] = await Promise.all([
      Promise.all(ids.map((id) => client.patch(id, content))),
      Promise.all(Array.from({ length: 4 }, (_, n) => sendForm(`form-${n}`))),
    ]);
    expect(patched.map(({ status, body }) => [status, body._status])).toEqual(ids.map(() => [200, 'UPLOAD_COMPLETED']));
    expect(forms.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    expect((await client.download(ids[5]!)).equals(content)).toBe(true);
  });

  it('leaves room for others beside uploads of one caller that stand still', async () => {
    await app.grants.allow('otto', NS, '*:*:*', ['*']);
    const otto = await app.as('otto');
    const ids = await Promise.all(['a', 'b', 'c'].map((name) => client.begin(`still-${name}`, content.length)));
    const sockets = await Promise.all(ids.map((id) => client.openPatch(id, content.length)));
    for (const socket of sockets) socket.write(content.subarray(0, MIB));
    await eventually(async () => expect(await gauge('uploads_in_flight')).toBe(3));
    await sendForm('of-otto', otto).expect(201);

    // The bytes of a connection that broke off while it waited are not stored, those of the others are.
    for (const socket of sockets) socket.destroy();
    const offsets = () => Promise.all(ids.map((id) => client.offset(id)));
    await eventually(async () => {
      for (const id of ids) expect((await client.get(id).expect(200)).body._status).toBe('UPLOAD_INTERRUPTED');
    });
    expect((await offsets()).every((offset) => offset <= MIB)).toBe(true);
    for (const id of ids) expect((await client.resume(id, content))._status).toBe('UPLOAD_COMPLETED');
    expect((await client.download(ids[2]!)).equals(content)).toBe(true);
    expect(await gauge('uploads_in_flight')).toBe(0);
    expect(await gauge('memory_budget_used_bytes{budget="uploads"}')).toBe(0);
  });

  it('does not follow the size that a caller declares', async () => {
    const reply = await client.initiate('huge', 5 * 1024 ** 4).expect(413);
    expect(reply.body).toMatchObject({ code: 'FILE_TOO_LARGE' });
  });

  it('must hold a part of the largest file that is allowed', async () => {
    const settings = (more: Record<string, string>) => () =>
      loadConfig(Config, { ...SETTINGS, S3_ENDPOINT: 'http://s3', S3_ACCESS_KEY: 'a', S3_SECRET_KEY: 'b', ...more });
    expect(settings({})).not.toThrow();
    expect(settings({ MAX_FILE_BYTES: String(5 * 1024 ** 4) })).toThrow('UPLOAD_BUFFER_BYTES');
    expect(settings({ MAX_FILE_BYTES: String(5 * 1024 ** 4), UPLOAD_BUFFER_BYTES: String(600 * MIB) })).not.toThrow();
  });
});

const SETTINGS = {
  S3_BUCKET: 'files',
  BASE_URL: 'http://platform',
  OAUTH_ISSUER: 'http://platform',
  JWKS_URL: 'http://platform',
  TOKEN_URL: 'http://platform',
  OBJECTMODELSVC_URL: 'http://platform',
  SERVICE_CLIENT_ID: 'filesvc',
  SERVICE_CLIENT_SECRET: 'a-secret-of-16-characters',
  MONGO_URL: 'mongodb://mongo',
  MONGO_DB: 'filesvc',
  REDIS_URL: 'redis://redis',
};

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

  it.each<[string, 'hex' | 'base64']>([
    ['sha256', 'hex'],
    ['sha256', 'base64'],
    ['md5', 'hex'],
    ['crc32c', 'base64'],
  ])('is compared with its %s in %s, from one request and from several', async (name, encoding) => {
    const checksum = `${name}:${DIGESTS[name]!(content).toString(encoding)}`;
    const wrong = Buffer.from(content);
    wrong[content.length - 1]! ^= 1;

    const id = await client.begin(`${name}-${encoding}.bin`, content.length, { checksum });
    const refused = await client.patch(id, wrong, { checksum }).expect(400);
    expect(refused.body.code).toBe('CHECKSUM_MISMATCH');
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
