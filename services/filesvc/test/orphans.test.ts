import { randomBytes } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import { newId } from '@dtplatform/mongo';
import { eventually } from '@dtplatform/testing';
import { versionModel } from '../src/files/file.model.js';
import type { Bucket, BucketScan } from '../src/orphans/bucket-scan.js';
import { createInstallations, createReferences, createScanStore } from '../src/orphans/orphans.store.js';
import { createOrphanSweep } from '../src/orphans/sweep-orphans.js';
import { app, client, file as upload } from './app.js';

const MIB = 1024 * 1024;
const HOUR_MS = 3_600_000;

/** Considers objects of any age and does not pause between scans. */
const AT_ONCE = { olderThanMs: 0, restMs: 0, limitPercent: 50 };

const { objects, mongo } = app.deps;

describe('orphaned objects', () => {
  const failures: unknown[] = [];

  const open = (bucket: Bucket = objects, references = createReferences(mongo)) => {
    const onError = (error: unknown) => void failures.push(error);
    const [scanStore, installations] = [createScanStore(mongo), createInstallations(mongo)];
    return createOrphanSweep({ bucket, references, scanStore, installations, onError });
  };
  /** Runs until a scan has ended. */
  const scanAll = async (options = {}, bucket: Bucket = objects): Promise<BucketScan> => {
    const sweep = open(bucket);
    for (;;) {
      const scan = await sweep.run({ ...AT_ONCE, ...options });
      if (scan?.finishedAt) return scan;
    }
  };
  const put = async (key: string) => {
    await objects.put(key, Buffer.from('lost'));
    return key;
  };
  const lose = (count: number) => Promise.all(Array.from({ length: count }, () => put(`versions/${newId()}`)));
  /** Those that still exist. */
  const left = async (...keys: string[]) => {
    const found = await Promise.all(keys.map((key) => objects.head(key)));
    return keys.filter((_key, n) => found[n] !== undefined);
  };

  it('are removed with multipart uploads; recorded objects stay', async () => {
    const file = await upload('kept.txt');
    const content = randomBytes(20 * MIB);
    const unfinished = await client.begin('unfinished.bin', content.length);
    await client.patch(unfinished, content.subarray(0, 9 * MIB)).expect(200);
    await client.patch(unfinished, content.subarray(9 * MIB, 10 * MIB), { offset: 9 * MIB }).expect(200);

    const keys = [`versions/${newId()}`, `versions/${newId()}.1`, `tails/${newId()}/3`, `previews/${newId()}`];
    const lost = await Promise.all(keys.map(put));
    const previewed = await upload('previewed.png');
    const previewId = newId();
    const previewKey = await put(`previews/${previewId}`);
    const withPreview = { $set: { 'internal.previews': [{ _id: previewId }] } };
    await mongo.db.collection('file_versions').updateOne({ _fileId: previewed }, withPreview);
    const foreign = await Promise.all(['versions/readme.txt', 'backups/one', 'previews/readme.txt'].map(put));
    const key = `versions/${newId()}`;
    const multipartId = await objects.multipart.begin(key);
    const { etag } = await objects.multipart.uploadPart(key, multipartId, 1, Buffer.from('lost'));

    const young = await scanAll({ olderThanMs: HOUR_MS });
    expect(young).toMatchObject({ removed: 0, failed: 0 });
    expect(young.examined).toBeGreaterThanOrEqual(lost.length);

    const scan = await scanAll();
    const listsMultiparts = (await objects.listMultiparts({ prefix: 'versions/' })).found.length > 0;
    expect(scan).toMatchObject({ removed: lost.length + (listsMultiparts ? 1 : 0), failed: 0 });
    expect(await left(...lost, previewKey, ...foreign)).toEqual([previewKey, ...foreign]);
    const completed = objects.multipart.complete(key, multipartId, [{ partNumber: 1, etag }]);
    if (listsMultiparts) await expect(completed).rejects.toThrow();

    expect((await client.download(file)).toString()).toBe('kept.txt');
    await client.resume(unfinished, content);
    expect((await client.download(unfinished)).equals(content)).toBe(true);
  });

  it('are found by runs of several processes that continue each other', async () => {
    const lost = await lose(7);
    const sweep = open();
    const seen: number[] = [];
    for (let scan: BucketScan | undefined; !scan?.finishedAt; seen.push(scan!.examined)) {
      // Another process has only the stored state.
      scan = await (seen.length % 2 === 0 ? sweep : open()).run({ ...AT_ONCE, limit: 2 });
    }
    expect(Math.max(...seen.map((count, n) => count - (seen[n - 1] ?? 0)))).toBe(2);
    expect(await left(...lost)).toEqual([]);
    expect(await open().run({ ...AT_ONCE, restMs: HOUR_MS })).toBeUndefined();
  });

  it('are kept if a record appears before they are removed', async () => {
    const id = newId();
    const key = await put(`versions/${id}`);
    const by = { _createdById: 'o', _updatedById: 'o', _createdByName: '', _updatedByName: '' };
    const version = {
      ...{ _id: id, _fileId: newId(), _version: 1, _fileSize: 4 },
      _metadata: { _createdAt: 0, _updatedAt: 0, ...by },
      internal: { key, contentType: 'a/b' },
    };
    const late = createReferences(mongo);
    let asked = 0;
    const references = {
      ...late,
      withoutRecord: async (stored: Parameters<typeof late.withoutRecord>[0]) => {
        const without = await late.withoutRecord(stored);
        // The record comes after the page was compared.
        if (asked++ === 0) await mongo.model(versionModel).create([version]);
        return without;
      },
    };
    await open(objects, references).run(AT_ONCE);
    expect(asked).toBeGreaterThan(1);
    expect(await left(key)).toEqual([key]);
    await scanAll();
    expect(await left(key)).toEqual([key]);
  });

  it('do not stop the scan when one cannot be removed', async () => {
    const [first, second] = await Promise.all([`versions/${'0'.repeat(24)}`, `versions/${newId()}`].map(put));
    const remove = (key: string) => (key === first ? Promise.reject(new Error('refused')) : objects.delete(key));
    const scan = await scanAll({}, { ...objects, delete: remove });
    expect(scan).toMatchObject({ failed: 1 });
    expect(failures).toEqual([expect.objectContaining({ message: 'refused' })]);
    expect(await left(second!)).toEqual([]);
    expect((await scanAll()).failed).toBe(0);
    expect(await left(first!)).toEqual([]);
  });

  it('are kept when a page has too many, until an operator allows it', async () => {
    await scanAll({ limitPercent: 100 });
    const lost = await lose(40);
    const before = (await createScanStore(mongo).find())!.removedEver;

    const sweep = open();
    const first = await sweep.run(AT_ONCE);
    expect(first).toMatchObject({ removed: 0, stopped: { orphaned: lost.length } });
    expect(first!.stopped!.old).toBeGreaterThanOrEqual(lost.length);
    expect(first!.finishedAt).toBeUndefined();
    // The same page is examined again and counted once.
    expect(await sweep.run(AT_ONCE)).toEqual(first);
    expect(await left(...lost)).toEqual(lost);
    expect((await createScanStore(mongo).find())!.removedEver).toBe(before);

    const allowed = await scanAll({ limitPercent: 100 });
    expect(allowed).toMatchObject({ removed: lost.length });
    expect(allowed.stopped).toBeUndefined();
    expect(await left(...lost)).toEqual([]);
  });

  it('are kept in the bucket of another installation', async () => {
    await scanAll({ limitPercent: 100 });
    const own = await text((await objects.get('installation')).stream);
    expect(own).toBe(await createInstallations(mongo).id());

    const lost = await put(`versions/${newId()}`);
    await objects.put('installation', Buffer.from('another'));
    expect(await open().run(AT_ONCE)).toMatchObject({ removed: 0, isForeign: true });
    expect(await left(lost)).toEqual([lost]);

    // The database knows objects of the bucket, which gets its id again.
    await objects.delete('installation');
    expect((await scanAll()).isForeign).toBeUndefined();
    expect(await text((await objects.get('installation')).stream)).toBe(own);
    expect(await left(lost)).toEqual([]);
  });

  it('are kept when the database has no record of any object in the bucket', async () => {
    for (const name of ['file_versions', 'uploads']) await mongo.db.collection(name).deleteMany({});
    await objects.delete('installation');
    const lost = await put(`versions/${newId()}`);
    expect(await open().run(AT_ONCE)).toMatchObject({ removed: 0, isForeign: true });
    expect(await left(lost, 'installation')).toEqual([lost]);
    await objects.put('installation', Buffer.from(await createInstallations(mongo).id()));
  });

  it('are counted by gauges of the worker, which keeps young ones', async () => {
    await mongo.db.collection('bucket_scans').deleteMany({});
    const kept = await put(`versions/${newId()}`);
    const [one] = await Promise.all([0, 1].map(() => app.startWorker({ UPLOAD_SWEEP_EVERY_MS: '100' })));
    await eventually(async () => {
      const scan = await mongo.db.collection<BucketScan>('bucket_scans').findOne();
      expect(scan?.finishedAt).toBeInstanceOf(Date);
    });
    const read = async (name: string) => one!.jobs.gauges!.find((gauge) => gauge.name === name)!.read();
    for (const name of ['orphaned_objects_removed', 'orphaned_objects_failed', 'bucket_scan_stopped'])
      expect(await read(name)).toBe(0);
    expect(await read('bucket_scan_age_seconds')).toBeGreaterThan(0);
    const stopped = { old: 40, orphaned: 40 };
    await mongo.db.collection('bucket_scans').updateOne({}, { $set: { stopped } });
    expect(await read('bucket_scan_stopped')).toBe(1);
    // It is young.
    expect(await left(kept)).toEqual([kept]);
  });
});
