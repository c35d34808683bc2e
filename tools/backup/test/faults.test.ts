import { writeFileSync } from 'node:fs';
import { appendFile, cp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { BACKUP_LEASE } from '@dtplatform/contracts';
import { Rejected } from '../src/failures.js';
import { newFolder, newId, newPlatform } from './platform.js';
import type { BackupFolder, Platform } from './platform.js';

const MARK = 'restore_in_progress';

describe('a backup', () => {
  let platform: Platform;
  let folder: BackupFolder;
  let target: Platform;
  let key: string;

  beforeAll(async () => {
    platform = newPlatform();
    await platform.bucket.ensureBucket();
    key = await platform.addVersion(Buffer.from('content'));
    await platform.documents('itemsvc', 'items').insertMany([{ _id: 'one' }, { _id: 'two' }]);
  });
  beforeEach(async () => {
    folder = await newFolder();
    target = newPlatform();
  });
  afterEach(async () => {
    await target.stop();
    await folder.remove();
  });
  afterAll(() => platform.stop());

  const fileOf = (backup: string, name: string) => path.join(folder.root, 'backups', backup, name);
  const expectNothingRestored = async () => expect(await target.documents('itemsvc', 'items').countDocuments()).toBe(0);

  it('of an empty platform is rejected', async () => {
    await expect(folder.backup(target)).rejects.toThrow('no database of the platform has a collection');
  });

  it('names an object that the bucket lost, and keeps the others', async () => {
    const lost = await platform.addVersion(Buffer.from('never stored'), { stored: false });
    const other = await platform.addVersion(Buffer.from('longer than the object'), { stored: false });
    await platform.bucket.put(other, Buffer.from('short'));
    try {
      expect(await folder.backup(platform)).toMatchObject({ objects: 3, missingObjects: 2, newObjects: 1 });
      for (const one of [lost, other])
        expect(folder.lines).toContain(`MISSING: object ${one} is not in the bucket, or has another size`);
      expect(await folder.restore(target)).toMatchObject({ objects: 1, missingObjects: 2 });
      expect(folder.lines).toContain(`MISSING: object ${lost} was missing when the backup was made`);
    } finally {
      const ids = [lost, other].map((one) => one.slice('versions/'.length));
      await platform.documents('filesvc', 'file_versions').deleteMany({ _id: { $in: ids } });
    }
  });

  it('that is damaged is rejected before anything is written', async () => {
    const { backup } = await folder.backup(platform);
    const dump = fileOf(backup, 'itemsvc.items.bson.gz');
    const whole = await readFile(dump);
    await appendFile(dump, 'x');
    await expect(folder.restore(target)).rejects.toThrow('the backup is damaged: itemsvc.items.bson.gz was changed');
    await rm(dump);
    await expect(folder.restore(target)).rejects.toThrow('the backup is damaged: itemsvc.items.bson.gz is missing');
    await expectNothingRestored();
    await writeFile(dump, whole);
    await folder.restore(target);
  });

  it('with a damaged object is rejected before anything is replaced', async () => {
    await folder.backup(platform);
    await target.documents('itemsvc', 'items').insertOne({ _id: 'kept' });
    const file = path.join(folder.root, 'objects', key);
    const rejection = `the backup is damaged: object ${key}`;
    const expectRejected = (what: string) =>
      expect(folder.restore(target, { replace: true })).rejects.toThrow(new Rejected(`${rejection} ${what}`));
    await writeFile(file, 'Content');
    await expectRejected('was changed');
    await truncate(file, 3);
    await expectRejected('is not complete');
    await rm(file);
    await expectRejected('is missing');
    expect(await target.documents('itemsvc', 'items').find().toArray()).toEqual([{ _id: 'kept' }]);
  });

  it('with an object that is damaged during the restore does not store it; the restore can be repeated after a repair', async () => {
    await folder.backup(platform);
    const file = path.join(folder.root, 'objects', key);
    folder.onLine = (line) => {
      if (line.includes('file_versions')) writeFileSync(file, 'Content');
    };
    await expect(folder.restore(target)).rejects.toThrow(`the backup is damaged: object ${key} was changed`);
    expect(await target.bucket.head(key)).toBeUndefined();
    folder.onLine = () => undefined;
    await writeFile(file, 'content');
    expect(await folder.restore(target)).toMatchObject({ objects: 1, keptObjects: 0 });
    expect(await target.documents('itemsvc', 'items').countDocuments()).toBe(2);
  });

  it('is restored only if Redis responds, and empties it at the end', async () => {
    await folder.backup(platform);
    await target.documents('itemsvc', 'items').insertOne({ _id: 'kept' });
    const unreachable = { ...target, settings: { ...target.settings, REDIS_URL: 'redis://127.0.0.1:1' } };
    const restoring = folder.restore(unreachable, { replace: true, waitMs: 0 });
    await expect(restoring).rejects.toThrow('Redis (REDIS_URL) does not answer');
    expect(await target.documents('itemsvc', 'items').find().toArray()).toEqual([{ _id: 'kept' }]);
  });

  it('that was interrupted does not count as complete, and is removed by the next one', async () => {
    const { backup } = await folder.backup(platform);
    const unfinished = `${backup.replace(/^..../, '2000')}.unfinished`;
    await cp(fileOf(backup, '.'), path.join(folder.root, 'backups', unfinished), { recursive: true });
    await rm(fileOf(backup, '.'), { recursive: true });
    await expect(folder.restore(target)).rejects.toThrow('holds no backup');
    const next = await folder.backup(platform);
    expect(await folder.files('backups')).toEqual([next.backup]);
  });

  it('of a newer format, or with an invalid manifest, is rejected', async () => {
    const { backup } = await folder.backup(platform);
    const manifest = JSON.parse(await readFile(fileOf(backup, 'manifest.json'), 'utf8')) as object;
    await writeFile(fileOf(backup, 'manifest.json'), JSON.stringify({ ...manifest, format: 2 }));
    await expect(folder.restore(target)).rejects.toThrow('has format 2, and this version reads 1');
    await writeFile(fileOf(backup, 'manifest.json'), JSON.stringify({ ...manifest, objects: { file: '../../etc' } }));
    await expect(folder.restore(target)).rejects.toBeInstanceOf(Rejected);
    await expect(folder.restore(target, { backup: '20000101T000000Z' })).rejects.toThrow('holds no backup 2000');
    await expectNothingRestored();
  });

  it('is rejected while a restore runs or was interrupted', async () => {
    await platform.documents('passportsvc', MARK).insertOne({ _id: 'this' });
    await expect(folder.backup(platform)).rejects.toThrow('a restore into this platform is running or broke off');
    await platform.documents('passportsvc', MARK).drop();
  });

  it('can be restored again, whenever a restore was interrupted', async () => {
    await folder.backup(platform);
    await target.documents('passportsvc', MARK).insertOne({ _id: 'this' });
    await target.documents('itemsvc', 'items').insertOne({ _id: 'restored' });
    await target.bucket.ensureBucket();
    await target.bucket.put(key, Buffer.from('content'));
    expect(await folder.restore(target)).toMatchObject({ objects: 1, keptObjects: 1 });
    expect(await target.documents('itemsvc', 'items').countDocuments()).toBe(2);
    await expect(folder.restore(target)).rejects.toThrow('there are data of filesvc, itemsvc already');
  });

  it('is rejected while another one runs', async () => {
    await holdFor(60_000);
    await expect(folder.backup(platform, { waitMs: 0 })).rejects.toThrow('another backup of this platform is running');
    await platform.documents('filesvc', 'leases').deleteMany({});
  });

  it('waits for the lease of one that was killed', async () => {
    await holdFor(3_000);
    expect(await folder.backup(platform)).toMatchObject({ missingObjects: 0 });
    expect(folder.lines).toContain('another backup of this platform is running or was killed: waiting for it');
  });

  const holdFor = (ms: number) =>
    platform
      .documents('filesvc', 'leases')
      .updateOne(
        { _id: BACKUP_LEASE.name },
        { $set: { fence: 1, until: new Date(Date.now() + ms) } },
        { upsert: true },
      );

  it('into the folder of another installation is rejected', async () => {
    const name = async (of: Platform) =>
      of.documents('filesvc', 'installations').insertOne({ _id: 'this', bucketId: newId() });
    await name(platform);
    await folder.backup(platform);
    await name(target);
    await expect(folder.backup(target)).rejects.toThrow('the folder holds backups of another installation');
    await platform.documents('filesvc', 'installations').deleteMany({});
  });
});
