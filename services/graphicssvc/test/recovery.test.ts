import { randomBytes } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startRelay } from '@dtplatform/queue';
import { eventually } from '@dtplatform/testing';
import type { StandInFile } from './file-stand-in.js';
import { sha256, startApp } from './start-app.js';

const MiB = 1024 * 1024;

const app = await startApp();
const olga = { authorization: await app.as('olga') };
beforeEach(() => {
  app.files.downloads.length = 0;
});
afterAll(() => app.stop());

/** Works on the load of a file, as a job does. */
const work = ({ id, versionId }: StandInFile, shutdown = new AbortController().signal) =>
  app.deps.loading.process(`${id}-${versionId}`, { shutdown, mayRetry: true });

describe('a load survives', () => {
  it('a worker that stops meanwhile', async () => {
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

  it('the loss of its queue', async () => {
    const file = app.files.add();
    await app.put(olga, [{ _fileId: file.id }]).expect(200);
    // Relays without working: the job is only in Redis.
    const { mongo, log, config, redis } = app.deps;
    const relay = await startRelay({ mongo, redisUrl: config.REDIS_URL, log, queuePrefix: app.queuePrefix });
    const unsent = { checkAt: { $exists: false } };
    const isRelayed = async () => expect(await app.mongo.db.collection('outbox').countDocuments(unsent)).toBe(0);
    // The worker of the test before still holds the relay's lease.
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

  it('a message that is delivered twice, without loading again', async () => {
    const file = app.files.add();
    const worker = await app.startWorker();
    await app.put(olga, [{ _fileId: file.id }]).expect(200);
    const loaded = await app.untilStatus(olga, file.id, 'LOADED');
    await work(file);
    expect(await app.untilStatus(olga, file.id, 'LOADED')).toEqual(loaded);
    expect(app.files.downloads).toEqual([file.id]);
    await worker.stop();
  });

  it('two workers, of which only the last one writes', async () => {
    const file = app.files.add({ content: randomBytes(9 * MiB) });
    app.files.faults.push('hang');
    await app.put(olga, [{ _fileId: file.id }]).expect(200);
    const first = work(file);
    await eventually(() => expect(app.files.downloads).toEqual([file.id]));
    await work(file);
    const loaded = await app.untilStatus(olga, file.id, 'LOADED');
    // The first worker notices at its next heartbeat.
    await first;
    expect(await app.untilStatus(olga, file.id, 'LOADED')).toEqual(loaded);
    expect(await app.stored(file)).toMatchObject({ sha256: sha256(file.content) });
  });

  it('two workers, of which the last one dies', async () => {
    const file = app.files.add();
    app.files.faults.push('hang', 'hang');
    await app.put(olga, [{ _fileId: file.id }]).expect(200);
    const stopped = new AbortController();
    const first = work(file);
    await eventually(() => expect(app.files.downloads).toHaveLength(1));
    const second = work(file, stopped.signal);
    second.catch(() => undefined);
    await eventually(() => expect(app.files.downloads).toHaveLength(2));
    expect(await first).toBe('taken');
    stopped.abort(new Error('It has no job any more.'));
    expect(await work(file)).toBeUndefined();
    await app.untilStatus(olga, file.id, 'LOADED');
  });

  it('a failure to abort its multipart upload, which is aborted later', async () => {
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

  it('at most 20 crashes per request', async () => {
    const file = app.files.add();
    const request = async () => app.put(olga, [{ _fileId: file.id }]).expect(200);
    await request();
    await app.loads.updateOne({ _fileId: file.id }, { $set: { '_work.lease.fence': 20 } });
    await work(file);
    expect((await app.untilStatus(olga, file.id, 'ERROR'))._message).toBe('The load was started too many times.');
    expect(app.files.downloads).toEqual([]);

    await request();
    await work(file);
    await app.untilStatus(olga, file.id, 'LOADED');
  });
});
