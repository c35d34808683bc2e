import { randomBytes } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import { createOutbox } from '@dtplatform/queue';
import { eventually } from '@dtplatform/testing';
import { namespaceJobs } from '../src/filestore/filestore.module.js';
import type { StandInFile } from './file-stand-in.js';
import { FILESETS, FILESTORE, startApp } from './start-app.js';

const MiB = 1024 * 1024;
const [NS, OTHER] = ['tower_1', 'bridge_2'];

const app = await startApp();
const olga = { authorization: await app.as('olga') };
afterAll(() => app.stop());

describe('a deleted workspace', () => {
  const announce = (...namespaces: string[]) =>
    app.mongo.transaction((session) =>
      createOutbox(app.mongo).put(session, namespaceJobs.messages['workspace.deleted.v1'], {
        _id: 'a'.repeat(24),
        _namespaces: namespaces,
      }),
    );
  const isEmpty = async (namespace = NS) => {
    expect(await app.loads.countDocuments({ '_work.namespace': namespace })).toBe(0);
    expect(await app.mongo.db.collection('outbox').countDocuments()).toBe(0);
  };
  const expectLoaded = async ({ id }: StandInFile, namespace: string) => {
    const { body } = await app.api.get(`${FILESTORE}/${id}?nsfilter=${namespace}`).set(olga).expect(200);
    expect(body._status).toBe('LOADED');
  };
  const load = async (file: StandInFile, namespace = NS) => {
    await app.put(olga, [{ _fileId: file.id }], namespace).expect(200);
    await eventually(() => expectLoaded(file, namespace));
    expect(await app.stored(file)).toBeDefined();
  };

  it('leaves nothing of a load that stores its content during the deletion', async () => {
    const file = app.files.add();
    const { loadStore, loading, loadContents, objects } = app.deps;
    await app.put(olga, [{ _fileId: file.id }]).expect(200);
    const end = loadStore.end.bind(loadStore);
    loadStore.end = async (load, how) => {
      await loadContents.removeBatch([NS]);
      // A late write of the object store.
      await objects.put(`files/${file.id}/${file.versionId}`, file.content);
      return end(load, how);
    };
    const shutdown = new AbortController().signal;
    await loading.process(`${file.id}-${file.versionId}`, { shutdown, mayRetry: true });
    loadStore.end = end;
    expect(app.files.downloads).toEqual([file.id]);
    expect(await app.stored(file)).toBeUndefined();
    expect(await app.loads.countDocuments()).toBe(0);
    await app.startWorker();
  });

  it('keeps loads of files that are also in another one, until that is deleted', async () => {
    const shared = app.files.add({ namespaces: [NS, OTHER] });
    const elsewhere = app.files.add({ namespaces: [OTHER] });
    await load(shared);
    await load(elsewhere, OTHER);
    await announce(NS);
    await eventually(isEmpty);
    for (const file of [shared, elsewhere]) {
      await expectLoaded(file, OTHER);
      expect(await app.stored(file)).toBeDefined();
    }
    // filesvc may still name both.
    await Promise.all([announce(NS, OTHER), announce(NS, OTHER)]);
    await eventually(() => isEmpty(OTHER));
    expect([await app.stored(shared), await app.stored(elsewhere)]).toEqual([undefined, undefined]);
  });

  it('loses its file sets, except in another one', async () => {
    const file = app.files.add();
    const create = async (_namespaces: string[]) => {
      const body = { _name: 'Tower', _namespaces, _fileIds: [file.id] };
      return (await app.api.post(`${FILESETS}?nsfilter=${NS}`).set(olga).send(body).expect(201)).body._id as string;
    };
    const [own, shared] = [await create([NS]), await create([NS, OTHER])];
    await announce(NS);
    await eventually(isEmpty);
    await app.api.get(`${FILESETS}/${own}?nsfilter=${NS}`).set(olga).expect(404);
    const { body, headers } = await app.api.get(`${FILESETS}/${shared}?nsfilter=${OTHER}`).set(olga).expect(200);
    expect(body._namespaces).toEqual([OTHER]);
    expect(headers.etag).toBe('"1"');
  });

  it('ends loads in progress and leaves none of their parts', async () => {
    const file = app.files.add({ content: randomBytes(20 * MiB) });
    app.files.faults.push('hang');
    await app.put(olga, [{ _fileId: file.id }]).expect(200);
    const withParts = { '_work.multipartId': { $exists: true } };
    await eventually(async () => expect(await app.loads.findOne(withParts)).toBeTruthy());
    const { _work } = (await app.loads.findOne(withParts)) as unknown as { _work: { multipartId: string } };
    await announce(NS);
    await eventually(isEmpty);
    const key = `files/${file.id}/${file.versionId}`;
    // A part may arrive after the upload is aborted; the worker then aborts it again.
    const isAborted = () =>
      expect(app.deps.objects.multipart.uploadPart(key, _work.multipartId, 1, Buffer.from('x'))).rejects.toThrow();
    await eventually(isAborted);
    expect(await app.stored(file)).toBeUndefined();
  });

  it('loses its loads and their content, even of removed files, after a crash, and more than a batch has', async () => {
    const many = Array.from({ length: 105 }, () => app.files.add());
    const part = many.slice(0, 3);
    for (const file of part) await load(file);
    app.files.remove(part[1]!.id);
    const [{ _id, ...stored }] = (await app.loads.find({ _fileId: part[0]!.id }).toArray()) as [{ _id: string }];
    const copies = many.slice(3).map(({ id, versionId }) => {
      return { ...stored, _id: `${id}-${versionId}`, _fileId: id, _fileVersionId: versionId };
    });
    await app.loads.insertMany(copies);
    // A worker died after it ended the load and before it removed the object.
    await app.loads.updateOne({ _id }, { $set: { _status: 'EVICTED' } });
    await announce(NS);
    await eventually(isEmpty);
    for (const file of part) expect(await app.stored(file)).toBeUndefined();
    expect(await app.loads.countDocuments()).toBe(0);
  });
});
