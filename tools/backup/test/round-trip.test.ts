import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BSON } from 'mongodb';
import { newFolder, newId, newPlatform, withRedis } from './platform.js';
import type { BackupFolder, Platform } from './platform.js';

const MIB = 1024 * 1024;

describe('a backup restored into an empty installation', () => {
  const [former, restored] = [newPlatform(), newPlatform()];
  let folder: BackupFolder;
  const uploadId = newId();
  const installation = 'the-former-installation';
  const contents = new Map<string, Buffer>();
  const previewId = newId();

  beforeAll(async () => {
    folder = await newFolder();
    await former.bucket.ensureBucket();
    for (const content of [randomBytes(20 * MIB), Buffer.from('small'), Buffer.alloc(0)])
      contents.set(await former.addVersion(content), content);
    const [versionKey] = contents.keys();
    const preview = Buffer.from('a preview');
    await former.bucket.put(`previews/${previewId}`, preview);
    contents.set(`previews/${previewId}`, preview);
    await former
      .documents('filesvc', 'file_versions')
      .updateOne(
        { _id: versionKey!.slice('versions/'.length) },
        { $set: { 'internal.previews': [{ _id: previewId, size: preview.length }] } },
      );
    await former.bucket.put(`versions/${newId()}`, Buffer.from('named by nobody'));
    await former.documents('filesvc', 'installations').insertOne({ _id: 'this', bucketId: installation });
    await former.documents('filesvc', 'uploads').insertOne({
      ...{ _id: uploadId, restarts: 0, key: `versions/${uploadId}`, offset: 9 },
      ...{ multipartId: 'gone', isCompleting: true },
      ...{ parts: [{ partNumber: 1 }], nextPartNumber: 2, looseTails: [3], tail: { fence: 4, size: 5 } },
    });
    const exact = {
      ...{ long: BSON.Long.fromString('9007199254740993'), double: new BSON.Double(1), int: new BSON.Int32(1) },
      ...{ decimal: BSON.Decimal128.fromString('0.10'), bytes: new BSON.Binary(Buffer.from([1, 2])), nothing: null },
      ...{ date: new Date(5), nested: { list: [1, 'two', { three: 3.5 }] }, pattern: /^a/i, id: new BSON.ObjectId() },
      ...{ time: BSON.Timestamp.fromBits(1, 2), uuid: new BSON.UUID(), least: new BSON.MinKey() },
      zero: new BSON.Double(-0),
    };
    await former.documents('itemsvc', 'items').insertMany([
      { _id: 'one', ...exact },
      { _id: 'two', z: 1, a: 2, m: 3 },
    ]);
    // A JavaScript object would sort these names.
    for (const hour of ['hours.7', 'hours.5'])
      await former.documents('metricsvc', 'usage').updateOne({ _id: 'one' }, { $set: { [hour]: 1 } }, { upsert: true });
    const unsorted = new Map(['2', '1', '0'].map((name) => [name, [exact, {}, []]]));
    await former.documents('metricsvc', 'usage').insertOne({ _id: 'two', list: ['one', unsorted], ...exact });
    await former
      .db('itemsvc')
      .collection('items')
      .createIndexes([{ key: { long: 1 }, name: 'long', unique: true, sparse: true }]);
    await former.documents('passportsvc', 'sessions').insertOne({ _id: 'old', at: new Date() });
    await former
      .db('passportsvc')
      .collection('sessions')
      .createIndexes([{ key: { at: 1 }, name: 'at', expireAfterSeconds: 1_000_000 }]);
    const timeseries = { timeField: '_ts', metaField: '_tsMetadata', granularity: 'seconds' };
    await former.db('itemsvc').createCollection('readings_seconds', { timeseries });
    const readings = Array.from({ length: 5_000 }, (_, n) => ({
      ...{ _ts: new Date(1e12 + n), _tsMetadata: { _versionId: `v${n % 3}` }, value: n },
      ...(n % 2 === 0 ? { even: true } : { a: 1, odd: true }),
    }));
    await former.db('itemsvc').collection('readings_seconds').insertMany(readings);
    await withRedis((redis) => redis.set('stale', '1'));

    await folder.backup(former);
    await folder.restore(restored);
  });
  afterAll(async () => {
    await Promise.all([former.stop(), restored.stop(), folder.remove()]);
  });

  const raw = (platform: Platform, service: string, collection: string) =>
    platform.db(service).collection(collection).find({}, { raw: true }).sort({ _id: 1 }).toArray();

  it('has the same documents, to the byte', async () => {
    for (const [service, name] of [
      ['itemsvc', 'items'],
      ['filesvc', 'file_versions'],
      ['passportsvc', 'sessions'],
      ['metricsvc', 'usage'],
    ] as const) {
      const before = await raw(former, service, name);
      expect(before).not.toHaveLength(0);
      expect(await raw(restored, service, name)).toEqual(before);
    }
  });

  it('has the same collections with their options and indexes', async () => {
    const shapeOf = async (platform: Platform) => {
      const infos = await platform.db('itemsvc').listCollections({}, { nameOnly: false }).toArray();
      const indexes = await platform.db('itemsvc').collection('items').indexes();
      const sessions = await platform.db('passportsvc').collection('sessions').indexes();
      const shown = infos
        .filter(({ name }) => !name.startsWith('system.'))
        .map(({ name, type, options }) => ({ name, type, options }))
        .sort((a, b) => (a.name < b.name ? -1 : 1));
      return { shown, indexes, sessions };
    };
    expect(await shapeOf(restored)).toEqual(await shapeOf(former));
  });

  it('has the same readings', async () => {
    const readings = (platform: Platform) =>
      platform.db('itemsvc').collection('readings_seconds').find().sort({ _ts: 1 }).toArray();
    const before = await readings(former);
    expect(before).toHaveLength(5_000);
    expect(await readings(restored)).toEqual(before);
  });

  it('has the objects that records reference, with their types, and no others', async () => {
    for (const [key, content] of contents) {
      const { stream, contentType } = await restored.bucket.get(key);
      expect(content.equals(await buffer(stream))).toBe(true);
      if (key.startsWith('versions/')) expect(contentType).toBe('text/plain');
    }
    const { found } = await restored.bucket.listObjects({ prefix: '' });
    expect(found.map(({ key }) => key).sort()).toEqual([...contents.keys(), 'installation'].sort());
    // It owns its bucket, so that orphaned objects are found there.
    expect(await restored.bucket.readText('installation')).toBe(installation);
  });

  it('restarts unfinished uploads, because their parts cannot be copied', async () => {
    const upload = await restored.documents('filesvc', 'uploads').findOne({ _id: uploadId });
    expect(upload).toEqual({
      ...{ _id: uploadId, restarts: 1, key: `versions/${uploadId}.1`, offset: 0, isCompleting: false },
      ...{ parts: [], nextPartNumber: 1, looseTails: [] },
    });
  });

  it('leaves nothing in Redis and no mark in the databases', async () => {
    expect(await withRedis((redis) => redis.exists('stale'))).toBe(0);
    const left = await restored.db('metricsvc').listCollections().toArray();
    expect(left.map(({ name }) => name)).toEqual(['usage']);
  });

  it('does not overwrite data without --replace', async () => {
    await restored.documents('itemsvc', 'items').insertOne({ _id: 'later' });
    await expect(folder.restore(restored)).rejects.toThrow(
      'there are data of passportsvc, filesvc, itemsvc, metricsvc already: restore into an empty installation',
    );
    expect(await restored.documents('itemsvc', 'items').countDocuments()).toBe(3);
    const result = await folder.restore(restored, { replace: true });
    expect(result).toMatchObject({ objects: contents.size, keptObjects: contents.size, secrets: ['mongodb'] });
    expect(await restored.documents('itemsvc', 'items').countDocuments()).toBe(2);
  });
});
