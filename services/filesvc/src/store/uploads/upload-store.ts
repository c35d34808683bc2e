import { createLeases } from '@dtplatform/lease';
import { absent, before } from '@dtplatform/mongo';
import type { ClientSession, Mongo } from '@dtplatform/mongo';
import type { File } from '../../domain/files/file.js';
import type { UploadStore } from '../../domain/uploads/ports.js';
import { uploadMetaOf } from '../../domain/uploads/upload.js';
import type { Upload } from '../../domain/uploads/upload.js';
import { errors } from '../../errors.js';
import { contentOfUpload } from '../announcements.js';
import type { Announcements } from '../announcements.js';
import { fileModel } from '../files/file.model.js';
import { fileWriter } from '../files/file-writer.js';
import { sharedUploadWrites } from './shared-upload-writes.js';
import { uploadModel } from './upload.model.js';
import { uploadWriter } from './upload-writer.js';

/** A writer sends a heartbeat every two seconds. */
const LEASE_MS = 6_000;
const DEAD_AFTER_MS = 10_000;

/** Resumable uploads in MongoDB. */
export function createUploadStore(mongo: Mongo, announcements: Announcements): UploadStore {
  const files = mongo.model(fileModel);
  const uploads = mongo.model(uploadModel);
  const writer = fileWriter(mongo, announcements);
  const leases = createLeases(uploads, { ttlMs: LEASE_MS });
  const unheldSince = (time: Date) => leases.free({ touchedAt: before(time) });

  const shared = sharedUploadWrites({ mongo, leases, writer, announcements });

  /** The request that begins an upload of zero bytes also finishes it: its reply is committed with that. */
  const begin = <T>({ size }: Upload, write: () => Promise<T>): Promise<T> =>
    size === 0 ? mongo.apart(write) : write();

  return {
    ...uploadWriter(mongo, leases, announcements),

    find: async (id) => (await uploads.findById(id).lean()) ?? undefined,

    beginNew: (upload, file) => begin(upload, () => shared.beginNew({ upload, file })),

    beginAgain: (upload) =>
      begin(upload, () =>
        mongo.transaction(async (session) => {
          const file = await files.findById(upload.fileId).session(session).lean();
          if (!file) return undefined;
          await dropBefore(file, session);
          await uploads.create([upload], { session });
          return writer.replace(withUpload(file, upload), session);
        }),
      ),

    commit: (held, decide) => shared.commit({ held, decide }),

    cancel: (upload, abandonedSince) =>
      mongo.transaction(async (session) => {
        const unmoved = abandonedSince ? unheldSince(abandonedSince) : {};
        const removed = await uploads.findOneAndDelete({ ...unmoved, _id: upload._id }, { session }).lean();
        if (!removed) return false;
        await announcements.discard(session, contentOfUpload(removed));
        const ofUpload = { _id: upload.fileId, 'internal.uploadId': upload._id };
        const isNew = { _tipId: absent() };
        const file = await files.findOneAndDelete({ ...ofUpload, ...isNew }, { session }).lean();
        if (file) await announcements.usage(session, [{ file, usage: [], records: -1 }]);
        else await files.updateOne(ofUpload, { $unset: { 'internal.uploadId': 1 } }, { session });
        return true;
      }),

    async findStale(limit) {
      const time = new Date(Date.now() - DEAD_AFTER_MS);
      const lost = await leases.findLost({ touchedAt: { $lt: time } }, limit);
      const uncompleted = {
        isCompleting: true,
        touchedAt: before(time),
        'lease.until': absent(),
      };
      return [...lost, ...(await uploads.find(uncompleted).limit(limit).lean())];
    },
    findAbandoned: (since, limit) => uploads.find(unheldSince(since)).limit(limit).lean(),
  };

  /** @throws 409 while a writer holds the unfinished upload */
  async function dropBefore({ internal: { uploadId } }: File, session: ClientSession): Promise<void> {
    if (uploadId === undefined) return;
    const dropped = await uploads.findOneAndDelete(leases.free({ _id: uploadId }), { session }).lean();
    if (!dropped) throw errors.uploadRunning();
    await announcements.discard(session, contentOfUpload(dropped));
  }
}

/** A file without content takes on the state of the upload. A complete file only refers to it. */
function withUpload(file: File, upload: Upload): File {
  const internal = { ...file.internal, uploadId: upload._id };
  if (file._tipId !== undefined) return { ...file, internal };
  const tags = upload.tags ?? file._tags;
  return { ...file, _status: upload.status, _tags: tags, _uploadMeta: uploadMetaOf(upload), internal };
}
