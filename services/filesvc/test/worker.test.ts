import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { BACKUP_LEASE, objectsOfVersion, RESTART_UPLOADS, StoredVersion } from '@dtplatform/contracts';
import { createLease } from '@dtplatform/mongo';
import { eventually, startCuttableProxy } from '@dtplatform/testing';
import { app, client, file, olga } from './app.js';
import { uploadClient } from './upload-client.js';

const MIB = 1024 * 1024;
const LONG_AGO = new Date('2020-01-01');

const { jobs } = await app.startWorker({ UPLOAD_SWEEP_EVERY_MS: '200' });
const uploads = app.mongo.db.collection('uploads');
const content = randomBytes(20 * MIB);

describe('the worker', () => {
  it('removes only uploads without activity for a day', async () => {
    const abandoned = await client.begin('abandoned.bin', 20 * MIB);
    await client.patch(abandoned, content.subarray(0, 9 * MIB)).expect(200);
    const kept = await client.begin('kept.bin', 20 * MIB);
    const old = await file('old.txt');
    await client.initiate('old.txt', 5).expect(201);
    await uploads.updateMany({ fileId: { $in: [abandoned, old] } }, { $set: { touchedAt: LONG_AGO } });
    await eventually(() => client.get(abandoned).expect(404));
    await client.get(kept).expect(200);
    expect(await client.offset(kept)).toBe(0);
    expect((await client.get(old)).body._status).toBe('UPLOAD_COMPLETED');
    await eventually(() => client.cancel(old).expect(404));
  });

  it('interrupts an upload whose process died', async () => {
    const mongo = new URL(app.deps.config.MONGO_URL.replace('mongodb:', 'http:'));
    const proxy = await startCuttableProxy(mongo);
    const dying = await app.startInstance({ MONGO_URL: `mongodb://127.0.0.1:${proxy.port}/${mongo.search}` });
    const id = await client.begin('died.bin', content.length);
    const socket = await uploadClient(dying, app.olga).openPatch(id, content.length);
    socket.write(content.subarray(0, 10 * MIB));
    await eventually(async () => expect(await client.offset(id)).toBe(8 * MIB));
    expect((await client.get(id)).body._status).toBe('UPLOAD_INITIATED');

    proxy.cut();
    socket.destroy();
    await eventually(async () => expect((await client.get(id)).body._status).toBe('UPLOAD_INTERRUPTED'), {
      timeoutMs: 30_000,
    });
    await client.resume(id, content);
    expect((await client.download(id)).equals(content)).toBe(true);
    await proxy.close();
  });
});

describe('a backup', () => {
  /** The object of a new file with its name as content, as a backup finds it. */
  const objectOf = async (name: string) => {
    const id = await file(name);
    const version = await app.mongo.db.collection('file_versions').findOne({ _fileId: id });
    const { key, size } = objectsOfVersion(StoredVersion.parse(version))[0]!;
    expect([size, await sizeAt(key)]).toEqual([name.length, name.length]);
    return { id, key };
  };
  const sizeAt = async (key: string) => (await app.deps.objects.head(key))?.size;

  it('postpones the removal of objects', async () => {
    const [kept, control] = [await objectOf('kept.txt'), await objectOf('control.txt')];
    await olga.remove(control.id).expect(204);
    await eventually(async () => expect(await sizeAt(control.key)).toBeUndefined());
    const queue = jobs.workers.find((one) => one.queue === 'filesvc.content')!;
    const idle = { waiting: 0, active: 0, delayed: 0 };
    await eventually(async () => expect(await queue.counts()).toMatchObject(idle));

    const lease = createLease(app.mongo, BACKUP_LEASE.name, BACKUP_LEASE);
    expect(await lease.hold()).toBe(true);
    await olga.remove(kept.id).expect(204);
    await eventually(async () => expect((await queue.counts()).delayed).toBe(1));
    expect(await sizeAt(kept.key)).toBeDefined();

    await lease.release();
    await eventually(async () => expect(await sizeAt(kept.key)).toBeUndefined());
  });

  it('restarts unfinished uploads when it is restored', async () => {
    const id = await client.begin('restored.bin', content.length);
    await client.patch(id, content.subarray(0, 9 * MIB)).expect(200);
    const { objects } = app.deps;
    for (const { key, multipartId } of (await objects.listMultiparts({ prefix: 'versions/' })).found)
      await objects.multipart.abort(key, multipartId!);
    await uploads.updateMany({}, RESTART_UPLOADS);

    const restarted = await client.patch(id, content).expect(200);
    expect(restarted.body).toMatchObject({
      _status: 'UPLOAD_COMPLETED',
      _fileVersion: { _fileSize: content.length },
    });
  });
});
