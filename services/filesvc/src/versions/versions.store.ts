import { listPage, not } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import { contentOfVersions } from '../events/domain-events.store.js';
import type { Announcements } from '../events/domain-events.store.js';
import { fileWriter } from '../files/file-writer.store.js';
import { fileModel, versionModel } from '../files/file.model.js';
import type { VersionStore } from './versions.js';

/** Versions of files in MongoDB. */
export function createVersionStore(mongo: Mongo, announcements: Announcements): VersionStore {
  const files = mongo.model(fileModel);
  const versions = mongo.model(versionModel);
  const writer = fileWriter(mongo, announcements);

  return {
    find: async (_fileId, _id) => (await versions.findOne({ _id, _fileId }).lean()) ?? undefined,

    list: (_fileId, paging) => listPage(versions, { _fileId }, { paging, sort: { _version: -1 } }),

    remove: (_fileId, _id, decide) =>
      mongo.transaction(async (session) => {
        const file = await files.findById(_fileId).session(session).lean();
        const version = file && (await versions.findOneAndDelete({ _id, _fileId }, { session }).lean());
        if (!version) return false;
        const others = { _fileId, _id: not(_id) };
        const latest = await versions.findOne(others).sort({ _version: -1 }).session(session).lean();
        const change = decide(file, version, latest ?? undefined);
        // Conflicts with every other write of the file, such as the end of an upload.
        await writer.replace(change.file, session);
        await announcements.usage(session, [{ file, usage: change.usage, records: 0 }]);
        await announcements.discard(session, contentOfVersions([version]));
        return true;
      }),
  };
}
