import { randomBytes } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, it } from '@jest/globals';
import { newId } from '@dtplatform/mongo';
import { eventually } from '@dtplatform/testing';
import { versionModel } from '../src/files/file.model.js';
import type { Bucket, BucketScan } from '../src/orphans/bucket-scan.js';
import { createInstallations, createReferences, createScanStore } from '../src/orphans/orphans.store.js';
import { createOrphanSweep } from '../src/orphans/sweep-orphans.js';
import { requests } from './requests.js';
import { startApp } from './start-app.js';
import { uploadClient } from './upload-client.js';

const MIB = 1024 * 1024;
const HOUR_MS = 3_600_000;

/** Considers objects of any age and does not pause between scans. */
const AT_ONCE = { olderThanMs: 0, restMs: 0, limitPercent: 50 };

const app = await startApp();
const olga = requests(app, app.olga);
const client = uploadClient(app, app.olga);
afterAll(() => app.stop());

describe('orphaned objects', () => {
  const failures: unknown[] = [];

  const open = (bucket: Bucket, { mongo } = app, references = createReferences(mongo)) => {
    const onError = (error: unknown) => void failures.push(error);
    const [scanStore, installations] = [createScanStore(mongo), createInstallations(mongo)];
    return createOrphanSweep({ bucket, references, scanStore, installations, onError });
  };
  /** Runs until a scan has ended. */
  const scanAll = async (bucket: Bucket, options = {}): Promise<BucketScan> => {
    const sweep = open(bucket);
    for (;;) {
      const scan = await sweep.run({ ...AT_ONCE, ...options });
      if (scan?.finishedAt) return scan;
    }
  };
  const upload = async (name: string, content: string | Buffer) =>
    (await olga.upload(name, content).expect(201)).body[0]._id as string;
  const put = async (key: string) => {
    await app.deps.objects.put(key, Buffer.from('lost'));
    return key;
  };
  const isThere = async (key: string) => (await app.deps.objects.head(key)) !== undefined;

  it('are removed with multipart uploads; recorded objects stay', async () => {
    const { objects } = app.deps;
    const file = await upload('kept.txt', 'kept');
    const content = randomBytes(20 * MIB);
    const unfinished = await client.begin('unfinished.bin', content.length);
    await client.patch(unfinished, content.subarray(0, 9 * MIB)).expect(200);
    await client.patch(unfinished, content.subarray(9 * MIB, 10 * MIB), { offset: 9 * MIB }).expect(200);

    const lost = await Promise.all([
      put(`versions/${newId()}`),
      put(`versions/${newId()}.1`),
      put(`tails/${newId()}/3`),
      put(`previews/${newId()}`),
    ]);
    const previewed = await upload('previewed.png', 'previewed');
    const previewId = newId();
    const previewKey = await put(`previews/${previewId}`);
    await app.mongo.db
      .collection('file_versions')
      .updateOne({ _fileId: previewed }, { $set: { 'internal.previews': [{ _id: previewId }] } });
    const foreign = await Promise.all([put('versions/readme.txt'), put('backups/one'), put('previews/readme.txt')]);
    const key = `versions/${newId()}`;
    const multipartId = await objects.multipart.begin(key);
    const { etag } = await objects.multipart.uploadPart(key, multipartId, 1, Buffer.from('lost'));

    const young = await scanAll(objects, { olderThanMs: HOUR_MS });
    expect(young).toMatchObject({ removed: 0, failed: 0 });
    expect(young.examined).toBeGreaterThanOrEqual(lost.length);

    const scan = await scanAll(objects);
    const listsMultiparts = (await objects.listMultiparts({ prefix: 'versions/' })).found.length > 0;
    expect(scan).toMatchObject({ removed: lost.length + (listsMultiparts ? 1 : 0), failed: 0 });
    expect(await Promise.all(lost.map(isThere))).toEqual([false, false, false, false]);
    expect(await isThere(previewKey)).toBe(true);
    expect(await Promise.all(foreign.map(isThere))).toEqual([true, true, true]);
    const completed = objects.multipart.complete(key, multipartId, [{ partNumber: 1, etag }]);
    if (listsMultiparts) await expect(completed).rejects.toThrow();

    expect((await client.download(file)).toString()).toBe('kept');
    await client.resume(unfinished, content);
    expect((await client.download(unfinished)).equals(content)).toBe(true);
  });

  it('are found by runs of several processes that continue each other', async () => {
    const { objects } = app.deps;
    const lost = await Promise.all(Array.from({ length: 7 }, () => put(`versions/${newId()}`)));
    const sweep = open(objects);
    const seen: number[] = [];
    for (let scan: BucketScan | undefined; !scan?.finishedAt; seen.push(scan!.examined)) {
      // Another process has only the stored state.
      scan = await (seen.length % 2 === 0 ? sweep : open(objects)).run({ ...AT_ONCE, limit: 2 });
    }
    expect(Math.max(...seen.map((count, n) => count - (seen[n - 1] ?? 0)))).toBe(2);
    expect(await Promise.all(lost.map(isThere))).toEqual(lost.map(() => false));
    expect(await open(objects).run({ ...AT_ONCE, restMs: HOUR_MS })).toBeUndefined();
  });

  it('are kept if a record appears before they are removed', async () => {
    const { objects, mongo } = app.deps;
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
    await open(objects, app, references).run(AT_ONCE);
    expect(asked).toBeGreaterThan(1);
    expect(await isThere(key)).toBe(true);
    await scanAll(objects);
    expect(await isThere(key)).toBe(true);
  });

  it('do not stop the scan when one cannot be removed', async () => {
    const { objects } = app.deps;
    const [first, second] = [await put(`versions/${'0'.repeat(24)}`), await put(`versions/${newId()}`)];
    const remove = (key: string) => (key === first ? Promise.reject(new Error('refused')) : objects.delete(key));
    const scan = await scanAll({ ...objects, delete: remove });
    expect(scan).toMatchObject({ failed: 1 });
    expect(failures).toEqual([expect.objectContaining({ message: 'refused' })]);
    expect(await isThere(second)).toBe(false);
    expect((await scanAll(objects)).failed).toBe(0);
    expect(await isThere(first)).toBe(false);
  });

  it('are kept when a page has too many, until an operator allows it', async () => {
    const { objects, mongo } = app.deps;
    await scanAll(objects, { limitPercent: 100 });
    const lost = await Promise.all(Array.from({ length: 40 }, () => put(`versions/${newId()}`)));
    const before = (await createScanStore(mongo).find())!.removedEver;

    const sweep = open(objects);
    const first = await sweep.run(AT_ONCE);
    expect(first).toMatchObject({ removed: 0, stopped: { orphaned: lost.length } });
    expect(first!.stopped!.old).toBeGreaterThanOrEqual(lost.length);
    expect(first!.finishedAt).toBeUndefined();
    // The same page is examined again and counted once.
    expect(await sweep.run(AT_ONCE)).toEqual(first);
    expect(await Promise.all(lost.map(isThere))).toEqual(lost.map(() => true));
    expect((await createScanStore(mongo).find())!.removedEver).toBe(before);

    const allowed = await scanAll(objects, { limitPercent: 100 });
    expect(allowed).toMatchObject({ removed: lost.length });
    expect(allowed.stopped).toBeUndefined();
    expect(await Promise.all(lost.map(isThere))).toEqual(lost.map(() => false));
  });

  it('are kept in the bucket of another installation', async () => {
    const { objects, mongo } = app.deps;
    await scanAll(objects, { limitPercent: 100 });
    const own = await text((await objects.get('installation')).stream);
    expect(own).toBe(await createInstallations(mongo).id());

    const lost = await put(`versions/${newId()}`);
    await objects.put('installation', Buffer.from('another'));
    expect(await open(objects).run(AT_ONCE)).toMatchObject({ removed: 0, isForeign: true });
    expect(await isThere(lost)).toBe(true);

    // The database knows objects of the bucket, which gets its id again.
    await objects.delete('installation');
    expect((await scanAll(objects)).isForeign).toBeUndefined();
    expect(await text((await objects.get('installation')).stream)).toBe(own);
    expect(await isThere(lost)).toBe(false);
  });

  it('are kept when the database has no record of any object in the bucket', async () => {
    const { objects } = app.deps;
    const other = await startApp();
    await objects.delete('installation');
    const lost = await put(`versions/${newId()}`);
    expect(await open(objects, other).run(AT_ONCE)).toMatchObject({ removed: 0, isForeign: true });
    expect(await isThere('installation')).toBe(false);
    expect(await isThere(lost)).toBe(true);
    await other.stop();
    await scanAll(objects);
  });

  it('are counted by gauges of the worker, which spares young ones', async () => {
    await app.deps.mongo.db.collection('bucket_scans').deleteMany({});
    const kept = await put(`versions/${newId()}`);
    const [one] = await Promise.all([0, 1].map(() => app.startWorker({ UPLOAD_SWEEP_EVERY_MS: '100' })));
    await eventually(async () => {
      const scan = await app.deps.mongo.db.collection<BucketScan>('bucket_scans').findOne();
      expect(scan?.finishedAt).toBeInstanceOf(Date);
    });
    const read = async (name: string) => one!.jobs.gauges!.find((gauge) => gauge.name === name)!.read();
    expect(await read('orphaned_objects_removed')).toBe(0);
    expect(await read('orphaned_objects_failed')).toBe(0);
    expect(await read('bucket_scan_age_seconds')).toBeGreaterThan(0);
    expect(await read('bucket_scan_stopped')).toBe(0);
    const stopped = { old: 40, orphaned: 40 };
    await app.deps.mongo.db.collection('bucket_scans').updateOne({}, { $set: { stopped } });
    expect(await read('bucket_scan_stopped')).toBe(1);
    // It is young.
    expect(await isThere(kept)).toBe(true);
  });
});
