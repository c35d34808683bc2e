import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { json } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import { loadConfig } from '@dtplatform/config';
import { eventually } from '@dtplatform/testing';
import { Config } from '../src/config.js';
import { app, client, file, folder, olga } from './app.js';
import { requests } from './requests.js';
import { FILES, NS } from './start-app.js';
import { sha256, uploadClient } from './upload-client.js';

const MIB = 1024 * 1024;
const PART = 8 * MIB;

interface Shown {
  _id: string;
  _tipVersion?: number;
}

const each = <T>(count: number, work: (n: number) => PromiseLike<T>) =>
  Promise.all(Array.from({ length: count }, (_, n) => work(n)));

const other = uploadClient(await app.startInstance(), app.olga);

describe('concurrent uploads', () => {
  it('by forms are all stored, even under the same name', async () => {
    const folders = await each(4, (n) => folder(`folder ${n}`));
    const responses = await each(24, (n) =>
      olga.upload(`${n % 12}.txt`, `content ${n}`, { _parents: folders[n % 4]! }),
    );
    expect(responses.map(({ status }) => status)).toEqual(Array<number>(24).fill(201));
    const files = responses.map(({ body }) => (body as Shown[])[0]!);
    expect(new Set(files.map(({ _id }) => _id)).size).toBe(12);
    expect(files.map(({ _tipVersion }) => _tipVersion).sort()).toEqual([...Array(12).fill(1), ...Array(12).fill(2)]);
    const contents = await each(12, async (n) => (await client.download(files[n]!._id)).toString());
    contents.forEach((content, n) => expect([`content ${n}`, `content ${n + 12}`]).toContain(content));
  });

  it('complete or are cancelled, never both', async () => {
    const ids = await each(12, (n) => client.begin(`resumable ${n}`, 5));
    const ends = await each(12, async (n) => {
      const [patched, cancelled] = await Promise.all([
        client.patch(ids[n]!, Buffer.from('hello')),
        n % 3 === 0 ? client.cancel(ids[n]!) : undefined,
      ]);
      return { completed: patched.status === 200, cancelled: cancelled !== undefined && cancelled.status < 300 };
    });
    for (const [n, { completed, cancelled }] of ends.entries()) {
      expect(completed).not.toBe(cancelled);
      await client.get(ids[n]!).expect(completed ? 200 : 404);
    }
  });

  it('create a new file if the existing one moves during the upload', async () => {
    const [from, to] = [await folder('from'), await folder('to')];
    const moved = await file('plan.txt', { _parents: from });
    const query = new URLSearchParams({ nsfilter: NS, _namespaces: NS, _parents: from });
    const headers = { authorization: app.olga, 'content-type': 'multipart/form-data; boundary=b' };
    const req = request(`${app.url}${FILES}?${query.toString()}`, { method: 'POST', headers });
    const reply = once(req, 'response') as Promise<[IncomingMessage]>;
    req.write('--b\r\nContent-Disposition: form-data; name="file"; filename="plan.txt"\r\n\r\nbegin');
    // The target file is chosen by then.
    const drafts = app.mongo.db.collection('upload_drafts');
    await eventually(async () => expect(await drafts.countDocuments()).toBe(1));
    await olga.put(moved, { _name: 'plan.txt', _parents: [to] }).expect(200);
    req.end(' and end\r\n--b--\r\n');
    const [res] = await reply;
    expect(res.statusCode).toBe(201);
    const [created] = (await json(res)) as Shown[];
    expect(created!._id).not.toBe(moved);
    expect(created!._tipVersion).toBe(1);
  });

  it('share the memory for parts, which callers take in turn, even while the uploads of one stall', async () => {
    const settings = { MAX_FILE_BYTES: String(64 * 1024 * MIB), UPLOAD_BUFFER_BYTES: String(2 * PART) };
    const small = await app.startInstance(settings);
    const uploads = uploadClient(small, app.olga);
    const gauge = async (name: string) => {
      const lines = (await small.deps.registry.metrics()).split('\n');
      return Number(lines.find((line) => line.startsWith(`${name} `))?.split(' ')[1]);
    };
    await app.grants.allow('otto', NS, '*:*:*', ['*']);
    const otto = requests(small, await app.as('otto'));
    const content = randomBytes(9 * MIB);
    const ids = await each(3, (n) => uploads.begin(`still ${n}`, content.length));
    const sockets = await Promise.all(ids.map((id) => uploads.openPatch(id, content.length)));
    for (const socket of sockets) socket.write(content.subarray(0, MIB));
    await eventually(async () => expect(await gauge('uploads_in_flight')).toBe(3));
    await otto.upload('of otto', content.subarray(0, 6 * MIB)).expect(201);

    // A connection that broke while it waited for memory stored nothing.
    for (const socket of sockets) socket.destroy();
    await eventually(async () => {
      for (const id of ids) expect((await uploads.get(id).expect(200)).body._status).toBe('UPLOAD_INTERRUPTED');
    });
    for (const id of ids) expect(await uploads.offset(id)).toBeLessThanOrEqual(MIB);
    const ends = await Promise.all(ids.map((id) => uploads.resume(id, content)));
    expect(ends.map(({ _status }) => _status)).toEqual(ids.map(() => 'UPLOAD_COMPLETED'));
    expect((await uploads.download(ids[2]!)).equals(content)).toBe(true);
    expect(await gauge('uploads_in_flight')).toBe(0);
    expect(await gauge('memory_budget_used_bytes{budget="uploads"}')).toBe(0);
  });

  it('have memory for one part of the largest allowed file', () => {
    const settings = (more: Record<string, string>) => () => loadConfig(Config, { ...app.env, ...more });
    const large = { MAX_FILE_BYTES: String(5 * 1024 ** 4) };
    expect(settings({})).not.toThrow();
    expect(settings(large)).toThrow('UPLOAD_BUFFER_BYTES');
    expect(settings({ ...large, UPLOAD_BUFFER_BYTES: String(600 * MIB) })).not.toThrow();
  });
});

describe('writers of one upload', () => {
  const content = randomBytes(20 * MIB);
  const rest = content.subarray(10 * MIB);

  /** A writer that has sent 10 MiB and keeps its connection open. The first part is durable. */
  const startWriter = async (name: string) => {
    const id = await client.begin(name, content.length);
    const socket = await client.openPatch(id, content.length);
    socket.write(content.subarray(0, 10 * MIB));
    await eventually(async () => expect(await client.offset(id)).toBe(PART));
    return { id, socket };
  };

  /** Sends the last bytes of a request. @returns the first line of the response */
  const finish = (socket: Socket, bytes: Buffer) => {
    const line = new Promise<string>((resolve) =>
      socket.once('data', (response) => resolve(response.toString('latin1').split('\r\n')[0]!)),
    );
    socket.write(bytes);
    return line;
  };
  const expectStored = async (id: string, expected = content) =>
    expect(sha256(await other.download(id))).toBe(sha256(expected));

  it('exclude each other, while the offset stays readable', async () => {
    const { id, socket } = await startWriter('one.bin');
    await other.patch(id, content.subarray(PART), { offset: PART }).expect(423);
    await other.initiate('one.bin', 5).expect(409);
    expect(await other.offset(id)).toBe(PART);
    socket.write(rest);
    await eventually(async () => expect(await other.offset(id)).toBe(content.length));
    await expectStored(id);
  });

  it('lose the lease when they stall, and can no longer write', async () => {
    const { id, socket } = await startWriter('silent.bin');
    const changed = Buffer.concat([content.subarray(0, PART), randomBytes(12 * MIB)]);
    await eventually(
      async () => {
        const offset = await other.offset(id);
        await other.patch(id, changed.subarray(offset, 11 * MIB), { offset }).expect(200);
      },
      { timeoutMs: 30_000, everyMs: 500 },
    );
    const offset = await other.offset(id);
    const next = await other.openPatch(id, changed.length - offset);
    next.write(changed.subarray(offset, offset + PART + 5));
    await eventually(async () => expect(await other.offset(id)).toBeGreaterThan(offset));

    expect(await finish(socket, rest)).toContain(' 409 ');
    expect(await finish(next, changed.subarray(offset + PART + 5))).toContain(' 200 ');
    socket.destroy();
    await expectStored(id, changed);
  });

  it('are cut when the process stops; received bytes are kept', async () => {
    const { id } = await startWriter('stopping.bin');
    app.deps.bodies.cutIn(0);
    await eventually(async () => expect((await client.get(id)).body._status).toBe('UPLOAD_INTERRUPTED'));
    await app.deps.bodies.settled();
    expect(await client.offset(id)).toBeGreaterThan(PART);
    await client.resume(id, content);
    await expectStored(id);
  });

  it('may finish while the process stops', async () => {
    const { id, socket } = await startWriter('ending.bin');
    app.deps.bodies.cutIn(60_000);
    const settled = app.deps.bodies.settled();
    expect(await finish(socket, rest)).toContain(' 200 ');
    await settled;
    await expectStored(id);
  });

  it('get a 409 when their upload is cancelled', async () => {
    const { id, socket } = await startWriter('cancelled.bin');
    await other.cancel(id).expect(200);
    expect(await finish(socket, rest)).toContain(' 409 ');
    await other.get(id).expect(404);
  });
});
