import { randomBytes } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startRelay } from '@dtplatform/queue';
import { deleteKeys, eventually } from '@dtplatform/testing';
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

const request = (file: StandInFile) => app.put(olga, [{ _fileId: file.id }]).expect(200);
const untilLoaded = (file: StandInFile) => app.untilStatus(olga, file.id, 'LOADED');
/** A load with a multipart upload. */
const withParts = (filter = {}) => app.loads.findOne({ ...filter, '_work.multipartId': { $exists: true } });
const expectStored = async (file: StandInFile) =>
  expect(await app.stored(file)).toMatchObject({ sha256: sha256(file.content) });

describe('a load survives', () => {
  it('the loss of its queue', async () => {
    const file = app.files.add();
    await request(file);
    // Relays without working: the job is only in Redis.
    const { mongo, log, config, redis } = app.deps;
    const relay = await startRelay({ mongo, redisUrl: config.REDIS_URL, log, queuePrefix: app.queuePrefix });
    const unsent = { checkAt: { $exists: false } };
    const isRelayed = async () => expect(await app.mongo.db.collection('outbox').countDocuments(unsent)).toBe(0);
    await eventually(isRelayed);
    await relay.stop();
    expect(await deleteKeys(redis.client, `{${app.queuePrefix}.*`)).toBeGreaterThan(0);
    const worker = await app.startWorker();
    await untilLoaded(file);
    expect(app.files.downloads).toEqual([file.id]);
    await worker.stop();
  });

  it('a worker that stops during the load', async () => {
    const file = app.files.add({ content: randomBytes(20 * MiB) });
    app.files.faults.push('hang');
    const first = await app.startWorker({ SHUTDOWN_GRACE_MS: '1' });
    await request(file);
    await eventually(() => expect(app.files.downloads).toEqual([file.id]));
    await eventually(async () => expect(await withParts()).toBeTruthy());
    await first.stop();
    expect(await app.untilStatus(olga, file.id, 'LOADING')).toMatchObject({ _size: 20 * MiB });

    const second = await app.startWorker();
    await untilLoaded(file);
    await expectStored(file);
    expect(await withParts()).toBeNull();
    await second.stop();
  });

  it('a message that is delivered twice, without loading again', async () => {
    const file = app.files.add();
    const worker = await app.startWorker();
    await request(file);
    const loaded = await untilLoaded(file);
    await work(file);
    expect(await untilLoaded(file)).toEqual(loaded);
    expect(app.files.downloads).toEqual([file.id]);
    await worker.stop();
  });

  it('two workers, of which only the last one writes', async () => {
    const file = app.files.add({ content: randomBytes(9 * MiB) });
    app.files.faults.push('hang');
    await request(file);
    const first = work(file);
    await eventually(() => expect(app.files.downloads).toEqual([file.id]));
    await work(file);
    const loaded = await untilLoaded(file);
    // The first worker notices at its next heartbeat.
    await first;
    expect(await untilLoaded(file)).toEqual(loaded);
    await expectStored(file);
  });

  it('two workers, of which the last one dies', async () => {
    const file = app.files.add();
    app.files.faults.push('hang', 'hang');
    await request(file);
    const stopped = new AbortController();
    const first = work(file);
    await eventually(() => expect(app.files.downloads).toHaveLength(1));
    const second = work(file, stopped.signal);
    second.catch(() => undefined);
    await eventually(() => expect(app.files.downloads).toHaveLength(2));
    expect(await first).toBe('taken');
    stopped.abort(new Error('It has no job any more.'));
    expect(await work(file)).toBeUndefined();
    await untilLoaded(file);
  });

  it('a failure to abort its multipart upload, which is aborted later', async () => {
    const file = app.files.add();
    await request(file);
    const key = `files/${file.id}/${file.versionId}`;
    const multipartId = await app.deps.objects.multipart.begin(key);
    await app.mongo.db.collection('outbox').deleteMany({});
    const ended = { _status: 'ERROR', '_work.multipartId': multipartId };
    await app.loads.updateOne({ _fileId: file.id }, { $set: ended, $unset: { '_work.lease.until': 1 as const } });
    const worker = await app.startWorker();
    await eventually(async () => expect(await withParts({ _fileId: file.id })).toBeNull());
    await expect(app.deps.objects.multipart.uploadPart(key, multipartId, 1, Buffer.from('x'))).rejects.toThrow();
    await worker.stop();
  });

  it('at most 20 crashes per request', async () => {
    const file = app.files.add();
    await request(file);
    await app.loads.updateOne({ _fileId: file.id }, { $set: { '_work.lease.fence': 20 } });
    await work(file);
    expect((await app.untilStatus(olga, file.id, 'ERROR'))._message).toBe('The load was started too many times.');
    expect(app.files.downloads).toEqual([]);

    await request(file);
    await work(file);
    await untilLoaded(file);
  });
});
