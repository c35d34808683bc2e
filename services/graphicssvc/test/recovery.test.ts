import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startRelay } from '@dtplatform/queue';
import { eventually } from '@dtplatform/testing';
import { sha256, startApp } from './start-app.js';
import type { Headers, TestApp } from './start-app.js';

const MiB = 1024 * 1024;

describe('a load survives', () => {
  let app: TestApp;
  let olga: Headers;

  beforeAll(async () => {
    app = await startApp();
    olga = { authorization: await app.as('olga') };
  });
  beforeEach(() => {
    app.files.downloads.length = 0;
  });
  afterAll(() => app.stop());

  it('a worker that stops in the middle of it', async () => {
    const file = app.files.add({ content: randomBytes(20 * MiB) });
    app.files.faults.push('hang');
    const first = await app.startWorker({ SHUTDOWN_GRACE_MS: '1' });
    await app.put(olga, [{ _fileId: file.id }]).expect(200);
    await eventually(() => expect(app.files.downloads).toEqual([file.id]));
    await eventually(async () =>
      expect(await app.loads.findOne({ '_work.multipartId': { $exists: true } })).toBeTruthy(),
    );
    await first.stop();
    expect(await app.untilStatus(olga, file.id, 'LOADING')).toMatchObject({ _size: 20 * MiB });

    const second = await app.startWorker();
    await app.untilStatus(olga, file.id, 'LOADED');
    expect(await app.stored(file)).toMatchObject({ sha256: sha256(file.content) });
    expect(await app.loads.findOne({ '_work.multipartId': { $exists: true } })).toBeNull();
    await second.stop();
  });

  it('the loss of the queue', async () => {
    const file = app.files.add();
    await app.put(olga, [{ _fileId: file.id }]).expect(200);
    // A worker that relays and works on nothing: the job is in Redis alone.
    const { mongo, log, config, redis } = app.deps;
    const relay = await startRelay({ mongo, redisUrl: config.REDIS_URL, log, queuePrefix: app.queuePrefix });
    const unsent = { checkAt: { $exists: false } };
    const isRelayed = async () => expect(await app.mongo.db.collection('outbox').countDocuments(unsent)).toBe(0);
    // The worker of the test before was killed with the lease of its relay.
    await eventually(isRelayed, { timeoutMs: 40_000 });
    await relay.stop();
    const keys = await redis.client.keys(`{${app.queuePrefix}.*`);
    expect(keys.length).toBeGreaterThan(0);
    await redis.client.del(...keys);
    const worker = await app.startWorker();
    await app.untilStatus(olga, file.id, 'LOADED');
    expect(app.files.downloads).toEqual([file.id]);
    await worker.stop();
  });

  it('a message that is delivered twice: the version is not loaded again', async () => {
    const file = app.files.add();
    const worker = await app.startWorker();
    await app.put(olga, [{ _fileId: file.id }]).expect(200);
    const loaded = await app.untilStatus(olga, file.id, 'LOADED');
    const shutdown = new AbortController().signal;
    await app.deps.loading.process(`${file.id}-${file.versionId}`, { shutdown, mayRetry: true });
    expect(await app.untilStatus(olga, file.id, 'LOADED')).toEqual(loaded);
    expect(app.files.downloads).toEqual([file.id]);
    await worker.stop();
  });

  it('two workers on it: only the last one may write', async () => {
    const file = app.files.add({ content: randomBytes(9 * MiB) });
    app.files.faults.push('hang');
    await app.put(olga, [{ _fileId: file.id }]).expect(200);
    const id = `${file.id}-${file.versionId}`;
    const shutdown = new AbortController().signal;
    const first = app.deps.loading.process(id, { shutdown, mayRetry: true });
    await eventually(() => expect(app.files.downloads).toEqual([file.id]));
    await app.deps.loading.process(id, { shutdown, mayRetry: true });
    const loaded = await app.untilStatus(olga, file.id, 'LOADED');
    // The next heartbeat of the first worker finds that it no longer holds the load.
    await first;
    expect(await app.untilStatus(olga, file.id, 'LOADED')).toEqual(loaded);
    expect(await app.stored(file)).toMatchObject({ sha256: sha256(file.content) });
  });

  it('two workers on it, although the last one never ends it', async () => {
    const file = app.files.add();
    app.files.faults.push('hang', 'hang');
    await app.put(olga, [{ _fileId: file.id }]).expect(200);
    const stopped = new AbortController();
    const process = (shutdown = new AbortController().signal) =>
      app.deps.loading.process(`${file.id}-${file.versionId}`, { shutdown, mayRetry: true });
    const first = process();
    await eventually(() => expect(app.files.downloads).toHaveLength(1));
    const second = process(stopped.signal);
    second.catch(() => undefined);
    await eventually(() => expect(app.files.downloads).toHaveLength(2));
    expect(await first).toBe('taken');
    stopped.abort(new Error('It has no job any more.'));
    expect(await process()).toBeUndefined();
    await app.untilStatus(olga, file.id, 'LOADED');
  });

  it('leaves no parts behind when it fails while the object store cannot be told', async () => {
    const file = app.files.add();
    await app.put(olga, [{ _fileId: file.id }]).expect(200);
    const key = `files/${file.id}/${file.versionId}`;
    const multipartId = await app.deps.objects.multipart.begin(key);
    await app.mongo.db.collection('outbox').deleteMany({});
    const ended = {
      $set: { _status: 'ERROR', '_work.multipartId': multipartId },
      $unset: { '_work.lease.until': 1 as const },
    };
    await app.loads.updateOne({ _fileId: file.id }, ended);
    const worker = await app.startWorker();
    await eventually(async () =>
      expect(await app.loads.findOne({ _fileId: file.id, '_work.multipartId': { $exists: true } })).toBeNull(),
    );
    await expect(app.deps.objects.multipart.uploadPart(key, multipartId, 1, Buffer.from('x'))).rejects.toThrow();
    await worker.stop();
  });

  it('at most 20 crashes since it was last requested', async () => {
    const file = app.files.add();
    const shutdown = new AbortController().signal;
    const request = async () => app.put(olga, [{ _fileId: file.id }]).expect(200);
    const process = () => app.deps.loading.process(`${file.id}-${file.versionId}`, { shutdown, mayRetry: true });
    await request();
    await app.loads.updateOne({ _fileId: file.id }, { $set: { '_work.lease.fence': 20 } });
    await process();
    expect((await app.untilStatus(olga, file.id, 'ERROR'))._message).toBe('The load was started too often.');
    expect(app.files.downloads).toEqual([]);

    await request();
    await process();
    await app.untilStatus(olga, file.id, 'LOADED');
  });
});
