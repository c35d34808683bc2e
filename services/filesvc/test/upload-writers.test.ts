import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@dtplatform/testing';
import { creator, requests } from './requests.js';
import { FILES, NS, startApp } from './start-app.js';
import { sha256, uploadClient } from './upload-client.js';

interface Shown {
  _id: string;
  _tipVersion?: number;
}

const each = <T>(count: number, work: (n: number) => PromiseLike<T>) =>
  Promise.all(Array.from({ length: count }, (_, n) => work(n)));

const app = await startApp();
const client = uploadClient(app, app.olga);
const olga = requests(app, app.olga);
const second = await app.startInstance();
const other = uploadClient(second, app.olga);
afterAll(() => app.stop());

describe('concurrent uploads', () => {
  const create = creator(olga);

  it('by forms are all stored, even under the same name', async () => {
    const folders = await each(4, (n) => create.folder(`folder ${n}`));
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

  /** Uploads a form whose end is sent after `meanwhile`. */
  async function uploadDuring(name: string, parent: string, meanwhile: () => Promise<unknown>): Promise<Shown> {
    const query = new URLSearchParams({ nsfilter: NS, _namespaces: NS, _parents: parent });
    const headers = { authorization: app.olga, 'content-type': 'multipart/form-data; boundary=b' };
    const req = request(`${app.url}${FILES}?${query.toString()}`, { method: 'POST', headers });
    const reply = once(req, 'response') as Promise<[IncomingMessage]>;
    req.write(`--b\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\nbegin`);
    // The target file is chosen by then.
    const drafts = app.mongo.db.collection('upload_drafts');
    await eventually(async () => expect(await drafts.countDocuments()).toBe(1));
    await meanwhile();
    req.end(' and end\r\n--b--\r\n');
    const [res] = await reply;
    expect(res.statusCode).toBe(201);
    return ((await json(res)) as Shown[])[0]!;
  }

  it('create a new file if the existing one moves meanwhile', async () => {
    const [from, to] = [await create.folder('from'), await create.folder('to')];
    const moved = await create.file('plan.txt', { _parents: from });
    const { _id, _tipVersion } = await uploadDuring('plan.txt', from, async () => {
      await olga.put(moved, { _name: 'plan.txt', _parents: [to] }).expect(200);
    });
    expect(_id).not.toBe(moved);
    expect(_tipVersion).toBe(1);
  });
});

const MIB = 1024 * 1024;

describe('writers of one upload', () => {
  const content = randomBytes(20 * MIB);

  /** A writer that has sent 10 MiB and keeps its connection open. The first part is durable. */
  const startWriter = async (name: string) => {
    const id = await client.begin(name, content.length);
    const socket = await client.openPatch(id, content.length);
    socket.write(content.subarray(0, 10 * MIB));
    await eventually(async () => expect(await client.offset(id)).toBe(8 * MIB));
    return { id, socket };
  };

  const firstLine = (socket: Socket) =>
    new Promise<string>((resolve) =>
      socket.once('data', (bytes) => resolve(bytes.toString('latin1').split('\r\n')[0]!)),
    );

  it('exclude each other, while the offset stays readable', async () => {
    const { id, socket } = await startWriter('one.bin');
    await other.patch(id, content.subarray(8 * MIB), { offset: 8 * MIB }).expect(423);
    await other.initiate('one.bin', 5).expect(409);
    expect(await other.offset(id)).toBe(8 * MIB);
    socket.write(content.subarray(10 * MIB));
    await eventually(async () => expect(await other.offset(id)).toBe(content.length));
    expect(sha256(await other.download(id))).toBe(sha256(content));
  });

  it('lose the lease when they stall, and can no longer write', async () => {
    const { id, socket } = await startWriter('silent.bin');
    const changed = Buffer.concat([content.subarray(0, 8 * MIB), randomBytes(12 * MIB)]);
    await eventually(
      async () => {
        const offset = await other.offset(id);
        await other.patch(id, changed.subarray(offset, 11 * MIB), { offset }).expect(200);
      },
      { timeoutMs: 30_000, everyMs: 500 },
    );
    const offset = await other.offset(id);
    const next = await other.openPatch(id, changed.length - offset);
    next.write(changed.subarray(offset, offset + 8 * MIB + 5));
    await eventually(async () => expect(await other.offset(id)).toBeGreaterThan(offset));

    const rejected = firstLine(socket);
    socket.write(content.subarray(10 * MIB));
    expect(await rejected).toContain(' 409 ');
    const done = firstLine(next);
    next.write(changed.subarray(offset + 8 * MIB + 5));
    expect(await done).toContain(' 200 ');
    socket.destroy();
    expect(sha256(await other.download(id))).toBe(sha256(changed));
  });

  it('are cut when the process stops; received bytes are kept', async () => {
    const { id } = await startWriter('stopping.bin');
    app.deps.bodies.cutIn(0);
    await eventually(async () => expect((await client.get(id)).body._status).toBe('UPLOAD_INTERRUPTED'));
    await app.deps.bodies.settled();
    expect(await client.offset(id)).toBeGreaterThan(8 * MIB);
    await client.resume(id, content);
    expect(sha256(await client.download(id))).toBe(sha256(content));
  });

  it('may finish while the process stops', async () => {
    const { id, socket } = await startWriter('ending.bin');
    app.deps.bodies.cutIn(60_000);
    const settled = app.deps.bodies.settled();
    const done = firstLine(socket);
    socket.write(content.subarray(10 * MIB));
    expect(await done).toContain(' 200 ');
    await settled;
    expect(sha256(await client.download(id))).toBe(sha256(content));
  });

  it('get a 409 when their upload is cancelled', async () => {
    const { id, socket } = await startWriter('cancelled.bin');
    await other.cancel(id).expect(200);
    const rejected = firstLine(socket);
    socket.write(content.subarray(10 * MIB));
    expect(await rejected).toContain(' 409 ');
    await other.get(id).expect(404);
  });
});
