import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@dtplatform/testing';
import { FILESTORE, sha256 } from './start-app.js';
import { app, MiB, olga } from './stream-app.js';

const stan = { authorization: await app.as('stan') };
beforeEach(() => {
  app.files.downloads.length = 0;
  app.files.faults.length = 0;
});

const pathOf = (id: string, version?: string) =>
  `${FILESTORE}/${id}?nsfilter=tower_1${version ? `&_fileVersionId=${version}` : ''}`;
const shown = async ({ id }: { id: string }, version?: string) =>
  (await app.api.get(pathOf(id, version)).set(olga).expect(200)).body;

const request = ({ id: _fileId }: { id: string }, _fileVersionId?: string) =>
  app.put(olga, [{ _fileId, ...(_fileVersionId && { _fileVersionId }) }]).expect(200);

describe('the graphics file store', () => {
  describe('loads', () => {
    it('a tagged file in parts', async () => {
      const file = app.files.add({ content: randomBytes(20 * MiB + 12_345) });
      expect((await request(file)).text).toBe('');
      expect(await app.untilStatus(olga, file.id, 'LOADED')).toEqual({
        _fileId: file.id,
        _fileVersionId: file.versionId,
        _status: 'LOADED',
        _size: file.content.length,
        _message: '',
      });
      expect(await app.stored(file)).toMatchObject({ sha256: sha256(file.content), contentType: 'model/ifc' });
    });

    it('an encoded file unchanged, with its encoding, and an empty file', async () => {
      for (const content of [gzipSync('a model, over and over. '.repeat(1000)), Buffer.alloc(0)]) {
        const file = await app.loaded(olga, { content, contentEncoding: 'gzip' });
        expect(await app.stored(file)).toMatchObject({ sha256: sha256(content), contentEncoding: 'gzip' });
      }
    });

    it('the requested version, and a new one beside it', async () => {
      const file = app.files.add({ content: randomBytes(100) });
      const older = { ...file };
      app.files.replace(file, randomBytes(200));
      await request(file, older.versionId);
      const load = { _fileVersionId: older.versionId, _size: 100 };
      expect(await app.untilStatus(olga, file.id, 'LOADED')).toMatchObject(load);
      await app.loaded(olga, file);
      expect(await shown(file)).toMatchObject({ _fileVersionId: file.versionId });
      for (const each of [older, file])
        expect(await app.stored(each)).toMatchObject({ sha256: sha256(each.content), contentType: 'model/ifc' });
      expect(await shown(file, older.versionId)).toMatchObject({ ...load, _status: 'LOADED' });
    });

    it('each file once under concurrent requests', async () => {
      const files = Array.from({ length: 5 }, () => app.files.add({ content: randomBytes(1000) }));
      const entries = files.map(({ id }) => ({ _fileId: id }));
      await Promise.all(Array.from({ length: 4 }, () => app.put(olga, [...entries, ...entries]).expect(200)));
      for (const file of files) {
        await app.untilStatus(olga, file.id, 'LOADED');
        expect(await app.stored(file)).toMatchObject({ sha256: sha256(file.content) });
      }
      await app.put(olga, entries).expect(200);
      await app.untilStatus(olga, files[0]!.id, 'LOADED');
      expect(app.files.downloads.toSorted()).toEqual(files.map(({ id }) => id).toSorted());
    });

    it('more files than filesvc accepts in a query', async () => {
      const files = Array.from({ length: 205 }, () => app.files.add({ tags: [] }));
      const entries = files.map(({ id }) => ({ _fileId: id }));
      await app.put(olga, entries).expect(200);
      await app.untilStatus(olga, files[0]!.id, 'SKIPPED');
      await app.untilStatus(olga, files.at(-1)!.id, 'SKIPPED');
    });

    it('on both paths, also with the token in the Authentication header', async () => {
      const file = app.files.add();
      const entries = [{ _fileId: file.id }];
      const viPath = '/graphicssvc/api/vi/filestore?nsfilter=tower_1';
      const authentication = { authentication: olga.authorization };
      for (const headers of [authentication, olga]) {
        await app.api.put(viPath).set(headers).send(entries).expect(200);
        await app.put(headers, entries).expect(200);
      }
      await app.untilStatus(authentication, file.id, 'LOADED');
      const { body } = await app.api.get(pathOf(file.id).replace('/v1/', '/vi/')).set(olga).expect(200);
      expect(body).toMatchObject({ _fileId: file.id, _status: 'LOADED' });
      expect(app.files.downloads).toEqual([file.id]);
    });
  });

  describe('does not load', () => {
    it('a file without the tag, until it is tagged', async () => {
      const file = app.files.add({ tags: ['model'] });
      await request(file);
      const skipped = await app.untilStatus(olga, file.id, 'SKIPPED');
      expect(skipped._message).toBe('The file is not tagged as a graphics file.');
      expect(app.files.downloads).toEqual([]);
      expect(await app.stored(file)).toBeUndefined();

      file.tags.push('#invgraphicsfile#');
      await request(file);
      await app.untilStatus(olga, file.id, 'LOADED');
    });

    it('a file whose content is gone, until it is requested again', async () => {
      const file = app.files.add();
      app.files.faults.push('gone');
      await request(file);
      expect((await app.untilStatus(olga, file.id, 'ERROR'))._message).toBe('The file no longer exists.');
      await request(file);
      await app.untilStatus(olga, file.id, 'LOADED');
    });
  });

  it.each(['unavailable', 'cut'] as const)('retries a download that is %s', async (fault) => {
    app.files.faults.push(fault);
    const file = await app.loaded(olga, { content: randomBytes(18 * MiB) });
    expect(app.files.downloads).toEqual([file.id, file.id]);
    expect(await app.stored(file)).toMatchObject({ sha256: sha256(file.content) });
  });

  describe('keeps the loaded version', () => {
    async function loaded() {
      const file = await app.loaded(olga, { content: randomBytes(50) });
      return { file, first: file.versionId };
    }
    const untilVersion = (file: { id: string }, versionId: string, status: string) =>
      eventually(async () => expect(await shown(file, versionId)).toMatchObject({ _status: status }));

    it('when the call names a version that is unknown, deleted or of another file', async () => {
      const { file, first } = await loaded();
      const [other, untouched] = [app.files.add(), app.files.add()];
      app.files.replace(file, randomBytes(60));
      const deleted = file.versionId;
      app.files.replace(file, randomBytes(70));
      app.files.removeVersion(file, deleted);
      const before = await app.loads.find().sort({ _id: 1 }).toArray();
      for (const _fileVersionId of ['f'.repeat(24), other.versionId, deleted, 'F'.repeat(24), 'no-id']) {
        const entries = [{ _fileId: untouched.id }, { _fileId: file.id }, { _fileId: file.id, _fileVersionId }];
        expect((await app.put(olga, entries).expect(404)).body.code).toBe('FILE_NOT_FOUND');
      }
      expect(await app.loads.find().sort({ _id: 1 }).toArray()).toEqual(before);
      expect(await shown(file)).toMatchObject({ _fileVersionId: first, _status: 'LOADED' });
    });

    it('when the load of a newer version fails or is skipped', async () => {
      const { file, first } = await loaded();
      app.files.replace(file, randomBytes(60));
      app.files.faults.push('gone');
      await request(file);
      await untilVersion(file, file.versionId, 'ERROR');
      expect(await shown(file)).toMatchObject({ _fileVersionId: first, _status: 'LOADED' });
      file.tags.pop();
      await request(file);
      await untilVersion(file, file.versionId, 'SKIPPED');
      expect(await shown(file)).toMatchObject({ _fileVersionId: first, _status: 'LOADED' });
    });

    it('when somebody loads an older version', async () => {
      const { file, first } = await loaded();
      app.files.replace(file, randomBytes(60));
      await request(file);
      await untilVersion(file, file.versionId, 'LOADED');
      app.files.replace(file, randomBytes(70));
      const [second] = file.olderIds;
      await request(file, first);
      expect(await shown(file)).toMatchObject({ _fileVersionId: second, _status: 'LOADED' });
    });
  });

  it('reads one document of a file with many loads', async () => {
    const file = await app.loaded(olga);
    const latest = (await app.loads.findOne({ _id: `${file.id}-${file.versionId}` }))!;
    const others = Array.from({ length: 50 }, (_, n) => ({ ...latest, _id: `${file.id}-${n}`, _work: {} }));
    await app.loads.insertMany(others);
    const { db } = app.mongo;
    await db.command({ profile: 2 });
    await shown(file);
    await db.command({ profile: 0 });
    const reads = await db
      .collection('system.profile')
      .find({ ns: /filestore_loads$/, op: { $ne: 'insert' } })
      .toArray();
    const ofFile = reads.filter((read) => JSON.stringify(read).includes(file.id));
    expect(ofFile.map(({ docsExamined }) => docsExamined)).toEqual([1]);
    await app.loads.deleteMany({ _id: { $in: others.map(({ _id }) => _id) } });
  });

  describe('rejects', () => {
    it('all files of a call if one does not exist', async () => {
      const file = app.files.add();
      for (const _fileId of ['0123456789abcdefffffffff', 'no-id', 'a,b']) {
        const response = await app.put(olga, [{ _fileId: file.id }, { _fileId }]).expect(404);
        expect(response.body.code).toBe('FILE_NOT_FOUND');
      }
      await app.put(olga, [{ _fileId: file.id, _fileVersionId: 'no-id' }]).expect(404);
      await app.api.get(pathOf(file.id)).set(olga).expect(404);
      await app.api.get(pathOf('no-id')).set(olga).expect(404);
      expect(app.files.downloads).toEqual([]);
    });

    it('folders, incomplete files, and files of another namespace', async () => {
      const elsewhere = app.files.add({ namespaces: ['bridge_2'] });
      const incomplete = [app.files.add({ type: 'dir', isComplete: false }), app.files.add({ isComplete: false })];
      for (const { id } of [...incomplete, elsewhere]) await app.put(olga, [{ _fileId: id }]).expect(404);
      await app.put(olga, [{ _fileId: elsewhere.id }], 'bridge_2').expect(200);
    });

    it('a caller who may not read the file, or no longer may', async () => {
      const file = app.files.add();
      await app.put(stan, [{ _fileId: file.id }]).expect(404);
      await app.loaded(olga, file);
      await app.api.get(pathOf(file.id)).set(stan).expect(404);
      file.readers = [];
      await app.api.get(pathOf(file.id)).set(olga).expect(404);
      await app.put(olga, [{ _fileId: file.id }]).expect(404);
    });
  });
});
