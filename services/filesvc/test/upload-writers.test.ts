import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@dtplatform/testing';
import { startApp } from './start-app.js';
import type { TestApp } from './start-app.js';
import { sha256, uploadClient } from './upload-client.js';

const MIB = 1024 * 1024;

/** Leases: exclusive writers, and takeover when a writer is gone. */
describe('writers of an upload', () => {
  let app: TestApp;
  let second: Awaited<ReturnType<TestApp['startInstance']>>;
  let client: ReturnType<typeof uploadClient>;
  let other: ReturnType<typeof uploadClient>;
  const content = randomBytes(20 * MIB);

  /** A writer that has sent 10 MiB and keeps its connection open. The first part is durable. */
  const startWriter = async (name: string) => {
    const id = await client.begin(name, content.length);
    const socket = await client.openPatch(id, content.length);
    socket.write(content.subarray(0, 10 * MIB));
    await eventually(async () => expect(await client.offset(id)).toBe(8 * MIB), { timeoutMs: 30_000 });
    return { id, socket };
  };

  const firstLine = (socket: Socket) =>
    new Promise<string>((resolve) =>
      socket.once('data', (bytes) => resolve(bytes.toString('latin1').split('\r\n')[0]!)),
    );

  beforeAll(async () => {
    app = await startApp();
    second = await app.startInstance();
    client = uploadClient(app, app.olga);
    other = uploadClient(second, app.olga);
  });
  afterAll(() => app.stop());

  it('are exclusive, while the offset stays readable', async () => {
    const { id, socket } = await startWriter('one.bin');
    await other.patch(id, content.subarray(8 * MIB), { offset: 8 * MIB }).expect(423);
    await other.initiate('one.bin', 5).expect(409);
    expect(await other.offset(id)).toBe(8 * MIB);
    socket.write(content.subarray(10 * MIB));
    await eventually(async () => expect(await other.offset(id)).toBe(content.length), { timeoutMs: 30_000 });
    expect(sha256(await other.download(id))).toBe(sha256(content));
  });

  it('can be succeeded on another instance after a lost connection', async () => {
    const { id, socket } = await startWriter('followed.bin');
    socket.destroy();
    expect(await other.resume(id, content)).toMatchObject({ _status: 'UPLOAD_COMPLETED' });
    expect(sha256(await other.download(id))).toBe(sha256(content));
  });

  it('lose the lease when they fall silent, and can no longer write', async () => {
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

    const refused = firstLine(socket);
    socket.write(content.subarray(10 * MIB));
    expect(await refused).toContain(' 409 ');
    const done = firstLine(next);
    next.write(changed.subarray(offset + 8 * MIB + 5));
    expect(await done).toContain(' 200 ');
    socket.destroy();
    expect(sha256(await other.download(id))).toBe(sha256(changed));
  });

  it('are cut when the process stops, keeping the bytes received', async () => {
    const { id } = await startWriter('stopping.bin');
    app.deps.bodies.cutIn(0);
    await eventually(async () => expect((await client.get(id)).body._status).toBe('UPLOAD_INTERRUPTED'));
    await app.deps.bodies.settled();
    expect(await client.offset(id)).toBeGreaterThan(8 * MIB);
    await client.resume(id, content);
    expect(sha256(await client.download(id))).toBe(sha256(content));
  });

  it('that finish soon are not cut when the process stops', async () => {
    const { id, socket } = await startWriter('ending.bin');
    app.deps.bodies.cutIn(60_000);
    const settled = app.deps.bodies.settled();
    const done = firstLine(socket);
    socket.write(content.subarray(10 * MIB));
    expect(await done).toContain(' 200 ');
    await settled;
    expect(sha256(await client.download(id))).toBe(sha256(content));
  });

  it('get an error when their upload is cancelled', async () => {
    const { id, socket } = await startWriter('cancelled.bin');
    await other.cancel(id).expect(200);
    const refused = firstLine(socket);
    socket.write(content.subarray(10 * MIB));
    expect(await refused).toContain(' 409 ');
    await other.get(id).expect(404);
  });
});
