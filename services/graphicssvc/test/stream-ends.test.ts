import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { Registry } from 'prom-client';
import { eventually } from '@dtplatform/testing';
import type { StandInFile } from './file-stand-in.js';
import { FILESETS, FILESTORE, sha256 } from './start-app.js';
import { app, client, fileSet, loaded, MiB, olga, outcomes, streamOf } from './stream-app.js';

const metric = async (name: string, registry: Registry = app.deps.registry) =>
  (await registry.getSingleMetric(name)!.get()).values[0]!.value;

describe('the stream', () => {
  describe('is closed', () => {
    it('when the token expires', async () => {
      const authorization = `Bearer ${await app.tokens.issue({ id: 'olga', expiresInSec: 2 })}`;
      const stream = await client({ authorization });
      expect(await stream.untilClosed()).toMatchObject({ code: 4401 });
    });

    it('for binary and large messages', async () => {
      const [binary, large] = [await client(), await client()];
      binary.socket.send(Buffer.from('x'));
      expect(await binary.untilClosed()).toMatchObject({ code: 1003 });
      large.socket.send('x'.repeat(5000));
      expect(await large.untilClosed()).toMatchObject({ code: 1009 });
    });

    it('when the process stops, after the reads in progress', async () => {
      const file = await loaded(4 * MiB);
      const instance = await app.startInstance();
      const stream = await client({}, instance.url);
      await stream.open(await fileSet([file]));
      const requestId = stream.send({ type: 'read', fileId: file.id });
      await stream.until(requestId, 'header');
      const stopping = instance.stop();
      expect(await stream.untilClosed()).toMatchObject({ code: 1001 });
      expect(stream.received(requestId).equals(file.content)).toBe(true);
      await stopping;
    });
  });

  it('buffers little for a client that does not read, serves others, and ends its reads when a permission is revoked', async () => {
    const file = await loaded(24 * MiB);
    const set = await fileSet([file]);
    await app.grants.allow('stan', 'tower_1', `graphicssvc:fileset:${set}`, ['READ']);
    await app.grants.allow('stan', 'tower_1', 'filesvc:file:*', ['READ']);
    const slow = await client({ authorization: await app.as('stan') });
    await slow.open(set);
    const ids = Array.from({ length: 4 }, () => slow.send({ type: 'read', fileId: file.id }));
    for (const id of ids) await slow.until(id, 'header');
    slow.socket.pause();
    const sent = () => metric('stream_sent_bytes_total');
    // Socket buffers fill up, then nothing more is sent.
    let last = -1;
    await eventually(
      async () => {
        const now = await sent();
        const before = last;
        last = now;
        expect(now).toBe(before);
      },
      { everyMs: 500, timeoutMs: 20_000 },
    );
    const fast = await client();
    await fast.open(set);
    expect(sha256((await fast.read(file.id)).content)).toBe(sha256(file.content));

    expect(last).toBeLessThan((ids.length * file.content.length) / 2);

    const grantsOf = app.grants.grantsOf.bind(app.grants);
    const asked: string[] = [];
    app.grants.grantsOf = (subject, namespace) => {
      asked.push(subject._id);
      return grantsOf(subject, namespace);
    };
    await app.grants.revoke('stan', 'tower_1');
    await eventually(() => expect(asked).toContain('stan'));
    const revokedAt = await sent();
    slow.socket.resume();
    const ends = await Promise.all(ids.map((id) => slow.until(id, 'end', 'error')));
    expect(ends.every(({ type }) => type === 'error')).toBe(true);
    // Each read had handed over one frame.
    expect((await sent()) - revokedAt).toBeLessThanOrEqual(ids.length * (64 * 1024 + 12));
    expect(slow.problems).toEqual([]);
  });
});

/** More than socket buffers hold. */
const LARGE = 24 * MiB;

describe('a slow client of the stream', () => {
  /** A client that asks for a file and then does not read it. */
  async function paused(url: string, set: string, fileId: string, user = 'olga') {
    const stream = await client({ authorization: await app.as(user) }, url);
    await stream.open(set);
    await stream.until(stream.send({ type: 'read', fileId }), 'header');
    stream.socket.pause();
    return stream;
  }

  it('is closed with 4408 after the time for a segment, and its memory goes to others', async () => {
    const file = await loaded(LARGE);
    const set = await fileSet([file]);
    const { url, deps } = await app.startInstance({ STREAM_BUFFER_BYTES: String(MiB), STREAM_SEGMENT_MS: '2000' });
    await app.grants.allow('stan', 'tower_1', `graphicssvc:fileset:${set}`, ['READ']);
    // Together they hold all of the memory.
    const slow = [await paused(url, set, file.id), await paused(url, set, file.id, 'stan')];
    const fast = await client({}, url);
    await fast.open(set);
    expect(sha256((await fast.read(file.id)).content)).toBe(sha256(file.content));
    await eventually(async () => expect(await metric('stream_slow_clients_total', deps.registry)).toBe(2));
    for (const stream of slow) {
      stream.socket.resume();
      expect(await stream.untilClosed()).toMatchObject({ code: 4408 });
    }
  });

  it('is cut off when it accepts nothing', async () => {
    const file = await loaded(LARGE);
    const { url, deps } = await app.startInstance({ STREAM_STALL_MS: '1000' });
    const stalled = await paused(url, await fileSet([file]), file.id);
    await eventually(async () => expect(await metric('stream_slow_clients_total', deps.registry)).toBe(1));
    stalled.socket.resume();
    expect(await stalled.untilClosed()).toMatchObject({ code: 1006 });
  });

  it('is cut off when it neither answers pings nor reads', async () => {
    const { url } = await app.startInstance({ STREAM_PING_EVERY_MS: '200' });
    const [gone, alive] = [await client({ autoPong: false }, url), await client({}, url)];
    let pings = 0;
    alive.socket.on('ping', () => (pings += 1));
    expect(await gone.untilClosed()).toMatchObject({ code: 1006 });
    await eventually(() => expect(pings).toBeGreaterThan(5));
    expect(alive.socket.readyState).toBe(alive.socket.OPEN);
  });

  it('is not cut off while it reads, although it answers no pings', async () => {
    const file = await loaded(LARGE);
    const { url } = await app.startInstance({ STREAM_PING_EVERY_MS: '400' });
    const stream = await client({ autoPong: false }, url);
    await stream.open(await fileSet([file]));
    const { socket } = stream;
    let pings = 0;
    // It answers pings late and reads slowly until then.
    socket.on('ping', (data) => {
      pings += 1;
      if (pings > 4) socket.pong(data);
    });
    socket.on('message', () => {
      if (pings > 4) return;
      socket.pause();
      setTimeout(() => socket.resume(), 10);
    });
    const { last, content } = await stream.read(file.id);
    expect(last.type).toBe('end');
    expect(pings).toBeGreaterThan(4);
    expect(sha256(content)).toBe(sha256(file.content));
  });
});

const NOT_FOUND = { type: 'error', status: 404, code: 'FILE_NOT_FOUND' };

describe('the stream of deleted files', () => {
  /** Gives a file another loaded version. */
  function addVersion(file: StandInFile, content = randomBytes(100)): Promise<StandInFile> {
    app.files.replace(file, content);
    return app.loaded(olga, file);
  }

  it('rejects a deleted version that is still stored', async () => {
    const file = await loaded(1000);
    const { versionId, content } = file;
    await addVersion(file);
    const stream = await streamOf(file);
    for (let count = 0; count < 10; count++) {
      expect((await stream.read(file.id, { fileVersionId: versionId })).content.equals(content)).toBe(true);
    }
    // filesvc is asked now and then, not for each read.
    expect(app.files.askedVersions.filter((id) => id === versionId).length).toBeLessThan(10);

    app.files.removeVersion(file, versionId);
    await eventually(async () => {
      expect((await stream.read(file.id, { fileVersionId: versionId })).last).toMatchObject(NOT_FOUND);
    });
    expect(await app.stored({ id: file.id, versionId })).toBeDefined();
    const path = `${FILESTORE}/${file.id}?nsfilter=tower_1`;
    await app.api.get(`${path}&_fileVersionId=${versionId}`).set(olga).expect(404);
    await app.api.get(path).set(olga).expect(200);
    expect((await stream.read(file.id)).content.equals(file.content)).toBe(true);
  });

  it('rejects the latest requested version once deleted, until another is requested', async () => {
    const file = await loaded(1000);
    const { content } = file;
    await addVersion(file);
    const stream = await streamOf(file);
    app.files.removeTip(file, content);
    expect((await stream.read(file.id)).last).toMatchObject(NOT_FOUND);
    await app.put(olga, [{ _fileId: file.id }]).expect(200);
    expect((await stream.read(file.id)).content.equals(content)).toBe(true);
  });

  it('ends only the reads of versions and files that are deleted', async () => {
    const [versioned, deleted, kept] = [await loaded(LARGE), await loaded(LARGE), await loaded(LARGE)];
    const { versionId } = versioned;
    await addVersion(versioned);
    const stream = await streamOf(versioned, deleted, kept);
    const ids = [
      stream.send({ type: 'read', fileId: versioned.id, fileVersionId: versionId }),
      stream.send({ type: 'read', fileId: deleted.id }),
      stream.send({ type: 'read', fileId: kept.id }),
    ];
    for (const id of ids) await stream.until(id, 'header');
    stream.socket.pause();
    const before = await outcomes('FILE_NOT_FOUND');
    app.files.removeVersion(versioned, versionId);
    app.files.remove(deleted.id);
    await eventually(async () => expect(await outcomes('FILE_NOT_FOUND')).toBe(before + 2));
    stream.socket.resume();
    const ends = await Promise.all(ids.map((id) => stream.until(id, 'end', 'error')));
    expect(ends).toMatchObject([NOT_FOUND, NOT_FOUND, { type: 'end' }]);
    expect(stream.received(ids[2]!).equals(kept.content)).toBe(true);
  });

  it('ends only the reads through a file set that is deleted', async () => {
    const file = await loaded(LARGE);
    const [removed, other] = [await fileSet([file]), await fileSet([file])];
    const stream = await client();
    const ids: number[] = [];
    for (const set of [removed, other]) {
      await stream.open(set);
      ids.push(stream.send({ type: 'read', fileId: file.id }));
      await stream.until(ids.at(-1), 'header');
    }
    stream.socket.pause();
    const before = await outcomes('FILE_NOT_FOUND');
    await app.api.delete(`${FILESETS}/${removed}?nsfilter=tower_1`).set(olga).expect(204);
    await eventually(async () => expect(await outcomes('FILE_NOT_FOUND')).toBe(before + 1));
    stream.socket.resume();
    const ends = await Promise.all(ids.map((id) => stream.until(id, 'end', 'error')));
    expect(ends).toMatchObject([NOT_FOUND, { type: 'end' }]);
    expect(stream.received(ids[1]!).equals(file.content)).toBe(true);
    expect(stream.problems).toEqual([]);
  });
});
