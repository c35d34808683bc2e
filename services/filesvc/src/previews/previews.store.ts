import type { Mongo } from '@dtplatform/mongo';
import type { Announcements } from '../events/domain-events.store.js';
import { fileModel, versionModel } from '../files/file.model.js';
import { usageOfPreviews } from '../files/usage.js';
import { withPreviewsOf } from './preview.js';
import type { PreviewStore } from './preview.js';

/** Previews in MongoDB: part of their version. */
export function createPreviewStore(mongo: Mongo, announcements: Announcements): PreviewStore {
  const files = mongo.model(fileModel);
  const versions = mongo.model(versionModel);
  return {
    findVersion: async (id) => (await versions.findById(id).lean()) ?? undefined,

    record: ({ _id, _fileId }, previews) =>
      mongo.transaction(async (session) => {
        const version = await versions.findById(_id).session(session).lean();
        if (!version) return false;
        if (version.internal.previews?.length) return true;
        const file = await files.findById(_fileId).session(session).lean();
        if (!file) return false;
        const changed = { ...version, internal: { ...version.internal, previews } };
        await versions.updateOne({ _id }, { 'internal.previews': previews }, { session });
        // An update would raise the revision.
        await files.replaceOne({ _id: _fileId }, withPreviewsOf(changed, file), { session });
        await announcements.usage(session, [{ file, usage: usageOfPreviews(changed), records: 0 }]);
        return true;
      }),
  };
}
