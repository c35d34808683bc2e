import { afterAll, describe, expect, it } from '@jest/globals';
import { BACKUP_LEASE, objectsOfVersion, RESTART_UPLOADS, StoredVersion } from '@dtplatform/contracts';
import { createLease } from '@dtplatform/mongo';
import { eventually } from '@dtplatform/testing';
import { requests } from './requests.js';
import { startApp } from './start-app.js';
import { uploadClient } from './upload-client.js';

const MIB = 1024 * 1024;

const app = await startApp();
const olga = requests(app, app.olga);
afterAll(() => app.stop());

describe('a backup', () => {
  const upload = async (name: string, content: string | Buffer) =>
    (await olga.upload(name, content).expect(201)).body[0]._id as string;
  const objectOf = async (fileId: string) => {
    const version = await app.mongo.db.collection('file_versions').findOne({ _fileId: fileId });
    return objectsOfVersion(StoredVersion.parse(version))[0]!;
  };
  const isThere = async (key: string) => (await app.deps.objects.head(key)) !== undefined;

  it('finds the objects of a version and their sizes in its record', async () => {
    const { key, size } = await objectOf(await upload('named.txt', '12345'));
    expect(await app.deps.objects.head(key)).toMatchObject({ size: 5 });
    expect(size).toBe(5);
  });

  it('postpones the removal of objects', async () => {
    const worker = await app.startWorker({ UPLOAD_SWEEP_EVERY_MS: '100', ORPHANED_OBJECT_HOURS: '1' });
    const [kept, control] = [await upload('kept.txt', 'kept'), await upload('control.txt', 'control')];
    const [{ key }, { key: controlKey }] = [await objectOf(kept), await objectOf(control)];
    await olga.remove(control).expect(204);
    await eventually(async () => expect(await isThere(controlKey)).toBe(false));
    const [queue] = worker.jobs.workers.filter((one) => one.queue === 'filesvc.content');
    const idle = { waiting: 0, active: 0, delayed: 0 };
    await eventually(async () => expect(await queue!.counts()).toMatchObject(idle));

    const lease = createLease(app.mongo, BACKUP_LEASE.name, BACKUP_LEASE);
    expect(await lease.hold()).toBe(true);
    await olga.remove(kept).expect(204);
    await eventually(async () => expect((await queue!.counts()).delayed).toBe(1));
    expect(await isThere(key)).toBe(true);

    await lease.release();
    await eventually(async () => expect(await isThere(key)).toBe(false));
    await worker.stop();
  });

  it('restarts unfinished uploads when it is restored', async () => {
    const client = uploadClient(app, app.olga);
    const content = Buffer.alloc(12 * MIB, 'a');
    const id = await client.begin('restored.bin', content.length);
    await client.patch(id, content.subarray(0, 9 * MIB)).expect(200);
    const { objects } = app.deps;
    for (const { key, multipartId } of (await objects.listMultiparts({ prefix: 'versions/' })).found)
      await objects.multipart.abort(key, multipartId!);
    await app.mongo.db.collection('uploads').updateMany({}, RESTART_UPLOADS);

    await client.patch(id, content).expect(200);
    const [file] = (await olga.get('', { _ids: id }).expect(200)).body._list;
    expect(file).toMatchObject({ _status: 'UPLOAD_COMPLETED', _fileVersion: { _fileSize: content.length } });
  });
});
