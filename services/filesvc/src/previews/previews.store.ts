import type { Mongo } from '@dtplatform/mongo';
import type { DomainEvents } from '../events/domain-events.store.js';
import type { FileVersion, Preview } from '../files/file.js';
import { fileModel, versionModel } from '../files/file.model.js';
import { usageOfPreviews } from '../files/usage.js';
import { withPreviewsOf } from './preview.js';

export function createPreviewStore(mongo: Mongo, events: DomainEvents) {
  const files = mongo.model(fileModel);
  const versions = mongo.model(versionModel);
  return {
    findVersion: async (id: string): Promise<FileVersion | undefined> =>
      (await versions.findById(id).lean()) ?? undefined,

    /**
     * Records the previews with the version and, if it is the tip, shows them with the file, without changing the
     * file's revision or time. Does nothing if the version has previews.
     * @returns false when the version no longer exists
     */
    record: ({ _id, _fileId }: FileVersion, previews: Preview[]): Promise<boolean> =>
      mongo.transaction(async (session) => {
        const version = await versions.findById(_id).session(session).lean();
        if (!version) return false;
        if (version.internal.previews?.length) return true;
        const file = await files.findById(_fileId).session(session).lean();
        if (!file) return false;
        const changed = { ...version, internal: { ...version.internal, previews } };
        await versions.updateOne({ _id }, { 'internal.previews': previews }, { session });
        // An update of the model would raise the revision.
        await files.replaceOne({ _id: _fileId }, withPreviewsOf(changed, file), { session });
        await events.usage(session, [{ file, usage: usageOfPreviews(changed), records: 0 }]);
        return true;
      }),
  };
}

export type PreviewStore = ReturnType<typeof createPreviewStore>;
