import { randomBytes } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import { loadConfig } from '@dtplatform/config';
import { eventually } from '@dtplatform/testing';
import { Config } from '../src/config.js';
import { FILES, NS, startApp } from './start-app.js';
import { uploadClient } from './upload-client.js';

const MIB = 1024 * 1024;
const PART = 8 * MIB;

const app = await startApp({ MAX_FILE_BYTES: String(64 * 1024 * MIB), UPLOAD_BUFFER_BYTES: String(2 * PART) });
const client = uploadClient(app, app.olga);
afterAll(() => app.stop());

describe('the memory of uploads', () => {
  const content = randomBytes(9 * MIB);

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

  it('is shared by concurrent uploads, which all complete', async () => {
    const ids = await Promise.all(Array.from({ length: 6 }, (_, n) => client.begin(`shared-${n}`, content.length)));
    const [patched, forms] = await Promise.all([
      Promise.all(ids.map((id) => client.patch(id, content))),
      Promise.all(Array.from({ length: 4 }, (_, n) => sendForm(`form-${n}`))),
    ]);
    expect(patched.map(({ status, body }) => [status, body._status])).toEqual(ids.map(() => [200, 'UPLOAD_COMPLETED']));
    expect(forms.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    expect((await client.download(ids[5]!)).equals(content)).toBe(true);
  });

  it('leaves room for others while the uploads of one caller stall', async () => {
    await app.grants.allow('otto', NS, '*:*:*', ['*']);
    const otto = await app.as('otto');
    const ids = await Promise.all(['a', 'b', 'c'].map((name) => client.begin(`still-${name}`, content.length)));
    const sockets = await Promise.all(ids.map((id) => client.openPatch(id, content.length)));
    for (const socket of sockets) socket.write(content.subarray(0, MIB));
    await eventually(async () => expect(await gauge('uploads_in_flight')).toBe(3));
    await sendForm('of-otto', otto).expect(201);

    // A connection that broke while it waited for memory stored nothing.
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

  it('must hold one part of the largest allowed file', async () => {
    const settings = (more: Record<string, string>) => () =>
      loadConfig(Config, { ...app.env, MAX_FILE_BYTES: '', UPLOAD_BUFFER_BYTES: '', ...more });
    expect(settings({})).not.toThrow();
    expect(settings({ MAX_FILE_BYTES: String(5 * 1024 ** 4) })).toThrow('UPLOAD_BUFFER_BYTES');
    expect(settings({ MAX_FILE_BYTES: String(5 * 1024 ** 4), UPLOAD_BUFFER_BYTES: String(600 * MIB) })).not.toThrow();
  });
});
