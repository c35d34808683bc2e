import { createLeases } from '@dtplatform/lease';
import { trusted } from '@dtplatform/mongo';
import type { ClientSession, Mongo } from '@dtplatform/mongo';
import type { File } from '../../domain/files/file.js';
import type { UploadStore } from '../../domain/uploads/ports.js';
import { fileInUpload, uploadMetaOf } from '../../domain/uploads/upload.js';
import type { Upload } from '../../domain/uploads/upload.js';
import { errors } from '../../errors.js';
import { contentOfUpload, remainsOf } from '../announcements.js';
import type { Announcements } from '../announcements.js';
import { fileModel } from '../files/file.model.js';
import { fileWriter } from '../files/file-writer.js';
import { leaseUploads } from './lease-uploads.js';
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
  const unheldSince = (time: Date) => leases.free({ touchedAt: trusted({ $lt: time }) });

  async function find(id: string): Promise<Upload | undefined> {
    const upload = await uploads.findById(id).lean();
    if (!upload || 'lease' in upload) return upload ?? undefined;
    // A process of the previous version has begun it since the migration.
    await leaseUploads(mongo.db, { _id: id });
    return find(id);
  }

  return {
    ...uploadWriter(mongo, leases, announcements),

    find,

    beginNew: (upload, file) =>
      writer.transaction(async (session) => {
        await writer.create({ file, usage: [] }, session);
        await uploads.create([upload], { session });
        return file;
      }, earlyIfEmpty(upload)),

    beginAgain: (upload) =>
      mongo.transaction(async (session) => {
        const file = await files.findById(upload.fileId).session(session).lean();
        if (!file) return undefined;
        await dropBefore(file, session);
        await uploads.create([upload], { session });
        return writer.replace(withUpload(file, upload), session);
      }, earlyIfEmpty(upload)),

    commit: (held, decide) =>
      mongo.transaction(async (session) => {
        const upload = await uploads.findOneAndDelete(leases.heldBy(held), { session }).lean();
        if (!upload) return undefined;
        const ofUpload = { _id: upload.fileId, 'internal.uploadId': held._id };
        const change = await writer.change(ofUpload, decide, session);
        await announcements.discard(session, change ? remainsOf(upload) : contentOfUpload(upload));
        return change?.file;
      }),

    cancel: (upload, abandonedSince) =>
      mongo.transaction(async (session) => {
        const unmoved = abandonedSince ? unheldSince(abandonedSince) : {};
        const removed = await uploads.findOneAndDelete({ ...unmoved, _id: upload._id }, { session }).lean();
        if (!removed) return false;
        await announcements.discard(session, contentOfUpload(removed));
        const ofUpload = { _id: upload.fileId, 'internal.uploadId': upload._id };
        const isNew = { _tipId: trusted({ $exists: false }) };
        const file = await files.findOneAndDelete({ ...ofUpload, ...isNew }, { session }).lean();
        if (file) await announcements.usage(session, file, [], -1);
        else await files.updateOne(ofUpload, { $unset: { 'internal.uploadId': 1 } }, { session });
        return true;
      }),

    async findStale(limit) {
      const before = new Date(Date.now() - DEAD_AFTER_MS);
      const lost = await leases.findLost({ touchedAt: { $lt: before } }, limit);
      const uncompleted = {
        isCompleting: true,
        touchedAt: trusted({ $lt: before }),
        'lease.until': trusted({ $exists: false }),
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

/** An upload of zero bytes is finished in the request that begins it, which has to find it. */
const earlyIfEmpty = (upload: Upload) =>
  upload.size === 0 ? { early: (file: File | undefined) => file && fileInUpload(file, upload) } : {};

/** A file without content takes on the state of the upload. A complete file only refers to it. */
function withUpload(file: File, upload: Upload): File {
  const internal = { ...file.internal, uploadId: upload._id };
  if (file._tipId !== undefined) return { ...file, internal };
  const tags = upload.tags ?? file._tags;
  return { ...file, _status: upload.status, _tags: tags, _uploadMeta: uploadMetaOf(upload), internal };
}
