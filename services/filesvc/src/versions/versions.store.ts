import type { Listing, Paging } from '@dtplatform/contracts';
import { listPage, not } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import { contentOfVersions } from '../events/domain-events.store.js';
import type { DomainEvents } from '../events/domain-events.store.js';
import { fileWriter } from '../files/file-writer.store.js';
import type { File, FileVersion } from '../files/file.js';
import { fileModel, versionModel } from '../files/file.model.js';
import type { RemovedVersion } from './versions.js';

export function createVersionStore(mongo: Mongo, events: DomainEvents) {
  const files = mongo.model(fileModel);
  const versions = mongo.model(versionModel);
  const writer = fileWriter(mongo, events);

  return {
    find: async (_fileId: string, _id: string): Promise<FileVersion | undefined> =>
      (await versions.findOne({ _id, _fileId }).lean()) ?? undefined,

    /** Newest first. */
    list: (_fileId: string, paging: Paging): Promise<Listing<FileVersion>> =>
      listPage(versions, { _fileId }, { paging, sort: { _version: -1 } }),

    /**
     * Removes a version and replaces its file by what `decide` returns; the worker discards the content. `decide` runs
     * again after a write conflict.
     * @param decide gets the latest other version, if any
     * @returns false when the version or its file no longer exists
     */
    remove: (
      _fileId: string,
      _id: string,
      decide: (file: File, version: FileVersion, latest: FileVersion | undefined) => RemovedVersion,
    ): Promise<boolean> =>
      mongo.transaction(async (session) => {
        const file = await files.findById(_fileId).session(session).lean();
        const version = file && (await versions.findOneAndDelete({ _id, _fileId }, { session }).lean());
        if (!version) return false;
        const others = { _fileId, _id: not(_id) };
        const latest = await versions.findOne(others).sort({ _version: -1 }).session(session).lean();
        const change = decide(file, version, latest ?? undefined);
        // Conflicts with other writes of the file, such as the end of an upload.
        await writer.replace(change.file, session);
        await events.usage(session, [{ file, usage: change.usage, records: 0 }]);
        await events.discard(session, contentOfVersions([version]));
        return true;
      }),
  };
}

export type VersionStore = ReturnType<typeof createVersionStore>;
