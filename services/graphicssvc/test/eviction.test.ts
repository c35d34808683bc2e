import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { eventually } from '@dtplatform/testing';
import type { StandInFile } from './file-stand-in.js';
import { FILESETS, sha256, startApp } from './start-app.js';
import { openStream } from './stream-client.js';

const DAY_MS = 86_400_000;
const MiB = 1024 * 1024;
const NOT_LOADED = { code: 'NOT_LOADED', errors: [{ location: '_status', message: 'QUEUED' }] };

const app = await startApp({ STORE_MAX_BYTES: '2500', STORE_MAX_IDLE_DAYS: '30' });
await app.startWorker({ EVICTION_EVERY_SEC: '100000' });
const olga = { authorization: await app.as('olga') };
beforeEach(async () => void (await app.loads.deleteMany({})));
const sockets: { close(): void }[] = [];
afterEach(() => sockets.splice(0).forEach((socket) => socket.close()));
afterAll(() => app.stop());

describe('eviction', () => {
  const useAt = (file: StandInFile, usedAt: number) =>
    app.loads.updateOne({ _fileVersionId: file.versionId }, { $set: { '_work.usedAt': usedAt } });
  async function loaded(usedAt: number, content = randomBytes(1000)): Promise<StandInFile> {
    const file = await app.loaded(olga, { content });
    expect(await app.stored(file)).toBeDefined();
    await useAt(file, usedAt);
    return file;
  }
  const statusesOf = (...files: StandInFile[]) =>
    Promise.all(files.map(async ({ id }) => (await app.loads.findOne<{ _status: string }>({ _fileId: id }))!._status));
  const evict = () => app.deps.eviction.run(new AbortController().signal);
  const minutesAgo = (minutes: number) => Date.now() - minutes * 60_000;

  it('removes the least recently used files until the rest fits', async () => {
    const [newest, oldest] = [await loaded(minutesAgo(1)), await loaded(minutesAgo(9))];
    const middle = await loaded(minutesAgo(5));
    expect(await evict()).toEqual({ count: 1, bytes: 1000 });
    expect(await statusesOf(newest, oldest, middle)).toEqual(['LOADED', 'EVICTED', 'LOADED']);
    expect(await app.stored(oldest)).toBeUndefined();
    expect(await app.stored(middle)).toBeDefined();
    expect(await app.untilStatus(olga, oldest.id, 'EVICTED')).toMatchObject({ _size: 1000 });
    expect(await evict()).toEqual({ count: 0, bytes: 0 });
  });

  it('removes idle files', async () => {
    const [idle, before] = [await loaded(Date.now() - 31 * DAY_MS), await loaded(0)];
    const used = await loaded(Date.now() - 29 * DAY_MS);
    expect((await evict()).count).toBe(2);
    expect(await statusesOf(idle, before, used)).toEqual(['EVICTED', 'EVICTED', 'LOADED']);
  });

  it('counts requests and reads as uses', async () => {
    const [requested, read] = [await loaded(minutesAgo(9)), await loaded(minutesAgo(8))];
    const unused = await loaded(minutesAgo(7));
    await app.put(olga, [{ _fileId: requested.id }]).expect(200);
    const stream = await streamOf(read);
    expect((await stream.read(read.id)).content.equals(read.content)).toBe(true);
    await evict();
    expect(await statusesOf(requested, read, unused)).toEqual(['LOADED', 'LOADED', 'EVICTED']);
  });

  it('is undone by a request or a read', async () => {
    const [first, second] = [await loaded(0), await loaded(0)];
    await evict();
    await app.loaded(olga, first);
    const stream = await streamOf(second);
    expect((await stream.read(second.id)).last).toMatchObject(NOT_LOADED);
    await app.untilStatus(olga, second.id, 'LOADED');
    expect((await stream.read(second.id)).content.equals(second.content)).toBe(true);
    for (const file of [first, second]) expect(await app.stored(file)).toMatchObject({ sha256: sha256(file.content) });
  });

  it('never shows an older version while the latest is reloaded', async () => {
    const file = await loaded(Date.now());
    app.files.replace(file, randomBytes(2000));
    await app.loaded(olga, file);
    const latest = { _fileVersionId: file.versionId };
    await useAt(file, 0);
    expect((await evict()).count).toBe(1);
    app.files.faults.push('unavailable');
    const stream = await streamOf(file);
    for (let attempt = 0; attempt < 2; attempt++) {
      expect((await stream.read(file.id)).last).toMatchObject({ code: 'NOT_LOADED' });
    }
    expect(await stream.open(stream.fileSetId)).toMatchObject({ files: [latest] });
    await app.untilStatus(olga, file.id, 'LOADED');
    expect((await stream.read(file.id)).content.equals(file.content)).toBe(true);
    expect(await app.stored(file)).toBeDefined();
  });

  describe('during a read', () => {
    /** A read that pauses until the client resumes. */
    async function pausedRead(file: StandInFile) {
      const stream = await streamOf(file);
      const requestId = stream.send({ type: 'read', fileId: file.id });
      await stream.until(requestId, 'header');
      stream.socket.pause();
      return { stream, requestId };
    }
    const large = () => loaded(Date.now(), randomBytes(24 * MiB));

    it('ends it with NOT_LOADED and reloads the file', async () => {
      const file = await large();
      const { stream, requestId } = await pausedRead(file);
      await useAt(file, 0);
      expect((await evict()).count).toBe(1);
      stream.socket.resume();
      expect(await stream.until(requestId, 'end', 'error')).toMatchObject(NOT_LOADED);
      await app.untilStatus(olga, file.id, 'LOADED');
      expect((await stream.read(file.id)).content.equals(file.content)).toBe(true);
    });

    it('goes unnoticed if the file is reloaded in the meantime', async () => {
      const file = await loaded(Date.now());
      const stream = await streamOf(file);
      const { objects } = app.deps;
      const get = objects.get.bind(objects);
      objects.get = async (...request) => {
        objects.get = get;
        await useAt(file, 0);
        await evict();
        const found = await get(...request).catch((error: unknown) => error);
        await app.loaded(olga, file);
        throw found;
      };
      expect((await stream.read(file.id)).content.equals(file.content)).toBe(true);
    });

    it('is postponed: a long read counts as use until it ends', async () => {
      const file = await large();
      const { stream, requestId } = await pausedRead(file);
      const now = Date.now.bind(Date);
      const clock = jest.spyOn(Date, 'now').mockImplementation(() => now() + 120_000);
      const later = Date.now();
      try {
        stream.socket.resume();
        expect((await stream.until(requestId, 'end', 'error')).type).toBe('end');
      } finally {
        clock.mockRestore();
      }
      const load = await app.loads.findOne<{ _work: { usedAt: number } }>({ _fileId: file.id });
      expect(load!._work.usedAt).toBeGreaterThanOrEqual(later);
    });
  });

  it('reloads a file that is requested while its object is removed', async () => {
    const file = await loaded(0);
    const { objects } = app.deps;
    const remove = objects.delete;
    objects.delete = async (key) => {
      objects.delete = remove;
      await app.loaded(olga, file);
      await remove(key);
    };
    await evict();
    await eventually(async () => expect(await app.stored(file)).toMatchObject({ sha256: sha256(file.content) }));
    await app.untilStatus(olga, file.id, 'LOADED');
  });

  it('retries an object that cannot be removed', async () => {
    const file = await loaded(0);
    const { objects } = app.deps;
    const remove = objects.delete;
    objects.delete = () => Promise.reject(new Error('refused'));
    await expect(evict()).rejects.toThrow('refused');
    expect(await statusesOf(file)).toEqual(['LOADED']);
    objects.delete = remove;
    expect(await evict()).toEqual({ count: 1, bytes: 1000 });
    expect(await app.stored(file)).toBeUndefined();
  });

  it('is not needed to reload a file whose object is lost', async () => {
    const file = await loaded(Date.now());
    await app.deps.objects.delete(`files/${file.id}/${file.versionId}`);
    const stream = await streamOf(file);
    expect((await stream.read(file.id)).last).toMatchObject({ code: 'NOT_LOADED' });
    await eventually(async () => expect((await stream.read(file.id)).last.type).toBe('end'));
  });

  it('runs in the worker', async () => {
    const file = await loaded(0);
    const worker = await app.startWorker({ EVICTION_EVERY_SEC: '1' });
    await eventually(async () => expect(await statusesOf(file)).toEqual(['EVICTED']));
    await worker.stop();
  });

  async function streamOf(file: StandInFile) {
    const body = { _name: 'Tower', _namespaces: ['tower_1'], _fileIds: [file.id] };
    const set = await app.api.post(`${FILESETS}?nsfilter=tower_1`).set(olga).send(body).expect(201);
    const stream = await openStream(app.url, olga);
    sockets.push(stream);
    await stream.open(set.body._id);
    return { ...stream, fileSetId: set.body._id as string };
  }
});
