import type { ClientSession } from 'mongodb';
import type { Mongo } from '@dtplatform/mongo';
import type { File } from '../../domain/files/file.js';
import type { UploadStore } from '../../domain/uploads/ports.js';
import { uploadMetaOf } from '../../domain/uploads/upload.js';
import type { Upload } from '../../domain/uploads/upload.js';
import { errors } from '../../errors.js';
import { contentOfUpload, remainsOf } from '../announcements.js';
import type { Announcements } from '../announcements.js';
import { collectionsOf } from '../collections.js';
import { mapNameConflict } from '../files/file-store.js';
import { heldBy, unheld } from './upload-lease.js';
import { uploadWriter } from './upload-writer.js';

/** Writers send a heartbeat every two seconds. */
const DEAD_AFTER_MS = 10_000;

/** Resumable uploads in MongoDB. */
export function createUploadStore(mongo: Mongo, announcements: Announcements): UploadStore {
  const { files, versions, uploads } = collectionsOf(mongo.db);

  return {
    ...uploadWriter(mongo, announcements),

    find: async (id) => (await uploads.findOne({ _id: id })) ?? undefined,

    beginNew: (upload, file) =>
      mapNameConflict(() =>
        mongo.transaction(async (session) => {
          await files.insertOne(file, { session, ignoreUndefined: true });
          await uploads.insertOne(upload, { session, ignoreUndefined: true });
          await announcements.usage(session, file, [], 1);
        }),
      ),

    beginAgain: (upload) =>
      mongo.transaction(async (session) => {
        const file = await files.findOne({ _id: upload.fileId }, { session });
        if (!file) return undefined;
        await dropBefore(file, session);
        await uploads.insertOne(upload, { session, ignoreUndefined: true });
        const begun = withUpload(file, upload);
        await files.replaceOne({ _id: file._id }, begun, { session, ignoreUndefined: true });
        return begun;
      }),

    commit: (held, decide) =>
      mongo.transaction(async (session) => {
        const upload = await uploads.findOneAndDelete(heldBy(held), { session });
        if (!upload) return undefined;
        const file = await files.findOne({ _id: upload.fileId, 'internal.uploadId': held._id }, { session });
        if (!file) {
          await announcements.discard(session, contentOfUpload(upload));
          return undefined;
        }
        const known = held.tags ? await versions.find({ _fileId: file._id }, { session }).toArray() : [];
        const change = decide(file, known);
        await files.replaceOne({ _id: file._id }, change.file, { session, ignoreUndefined: true });
        await versions.insertOne(change.version!, { session, ignoreUndefined: true });
        await announcements.usage(session, change.file, change.usage, 0);
        await announcements.discard(session, remainsOf(upload));
        return change.file;
      }),

    cancel: (upload, abandonedSince) =>
      mongo.transaction(async (session) => {
        const unmoved = abandonedSince ? unheld({ touchedAt: { $lt: abandonedSince } }) : {};
        const removed = await uploads.findOneAndDelete({ ...unmoved, _id: upload._id }, { session });
        if (!removed) return false;
        await announcements.discard(session, contentOfUpload(removed));
        const ofUpload = { _id: upload.fileId, 'internal.uploadId': upload._id };
        const file = await files.findOneAndDelete({ ...ofUpload, _tipId: { $exists: false } }, { session });
        if (file) await announcements.usage(session, file, [], -1);
        else await files.updateOne(ofUpload, { $unset: { 'internal.uploadId': 1 } }, { session });
        return true;
      }),

    findStale(limit) {
      const before = new Date(Date.now() - DEAD_AFTER_MS);
      return uploads
        .find(unheld({ leaseUntil: { $exists: true }, touchedAt: { $lt: before } }))
        .limit(limit)
        .toArray();
    },
    findAbandoned: (since, limit) =>
      uploads
        .find(unheld({ touchedAt: { $lt: since } }))
        .limit(limit)
        .toArray(),
  };

  /** @throws 409 while a writer holds the unfinished upload */
  async function dropBefore({ internal: { uploadId } }: File, session: ClientSession): Promise<void> {
    if (uploadId === undefined) return;
    const dropped = await uploads.findOneAndDelete(unheld({ _id: uploadId }), { session });
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
