import { expect } from '@jest/globals';
import { newId } from '@dtplatform/mongo';
import { createDomainEvents } from '../src/events/domain-events.store.js';
import { createPreviewStore } from '../src/previews/previews.store.js';
import type { TestApp } from './start-app.js';

interface Stored {
  _id: string;
  _parents: string[];
  _fileId: string;
  fileId: string;
  internal: { key: string; ancestors: string[] };
}

/** Reads the database, and stores many files at once. */
export function storedFiles(app: Pick<TestApp, 'mongo'>) {
  const collection = (name: 'files' | 'file_versions' | 'uploads') => app.mongo.db.collection<Stored>(name);
  return {
    collection,
    /** The number of these that exist. */
    exists: (...ids: string[]): Promise<number> => collection('files').countDocuments({ _id: { $in: ids } }),

    /** The folders above a file, sorted. */
    ancestorsOf: async (_id: string): Promise<string[]> =>
      (await collection('files').findOne({ _id }))!.internal.ancestors.toSorted(),

    /** The stored ancestors of every file match its parents. */
    expectConsistent: async (): Promise<void> => {
      const files = await collection('files').find().toArray();
      const byId = new Map(files.map((each) => [each._id, each]));
      const above = ({ _parents }: { _parents: string[] }): string[] =>
        _parents.flatMap((parent) => [parent, ...above(byId.get(parent)!)]);
      for (const each of files)
        expect(each.internal.ancestors.toSorted()).toEqual([...new Set(above(each))].toSorted());
    },

    /** Files without their folder; versions and uploads without their file. */
    orphans: async (): Promise<Stored[]> => {
      const files = await collection('files').find().toArray();
      const versions = await collection('file_versions').find().toArray();
      const uploads = await collection('uploads').find().toArray();
      const ids = new Set(files.map(({ _id }) => _id));
      return [
        ...files.filter(({ _parents }) => !_parents.every((parent) => ids.has(parent))),
        ...versions.filter(({ _fileId }) => !ids.has(_fileId)),
        ...uploads.filter(({ fileId }) => !ids.has(fileId)),
      ];
    },

    /** Records a preview of a file's version, without content. @returns its id */
    addPreview: async (fileId: string, size: number): Promise<string> => {
      const store = createPreviewStore(app.mongo, createDomainEvents(app.mongo));
      const { _id } = (await collection('file_versions').findOne({ _fileId: fileId }))!;
      await store.record((await store.findVersion(_id))!, [{ _id, _width: 1, _height: 1, size }]);
      return _id;
    },

    /** Stores older versions of a file, without content and never counted. */
    addOlderVersions: async (fileId: string, count: number): Promise<void> => {
      const versions = collection('file_versions');
      const tip = (await versions.findOne({ _fileId: fileId }))!;
      const older = Array.from({ length: count }, (_, n) => {
        const _id = `${fileId.slice(8)}${n.toString(16).padStart(8, '0')}`;
        return { ...tip, _id, _version: -n, internal: { ...tip.internal, key: `versions/${_id}` } };
      });
      await versions.insertMany(older);
    },

    /** Stores copies of a file or folder beside it, without versions and never counted. @returns their ids */
    copies: async (modelId: string, count: number): Promise<string[]> => {
      const model = (await collection('files').findOne({ _id: modelId }))!;
      const ids = Array.from({ length: count }, newId);
      const made = ids.map((_id, n) => {
        const own = { _id, _irn: `filesvc:file:${_id}`, _name: `${n}` };
        return { ...model, ...own, internal: { ...model.internal, nameKeys: [_id] } };
      });
      await collection('files').insertMany(made);
      return ids;
    },
  };
}
