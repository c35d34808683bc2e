import type { ClientSession, UpdateFilter } from 'mongodb';
import type { Mongo } from '@dtplatform/mongo';
import type { File } from '../../domain/files/file.js';
import type { UploadStore } from '../../domain/uploads/ports.js';
import { MAX_UNRECORDED } from '../../domain/uploads/upload.js';
import type { HeldUpload, Upload } from '../../domain/uploads/upload.js';
import { errors } from '../../errors.js';
import { contentOfUpload } from '../announcements.js';
import type { Announcements } from '../announcements.js';
import { collectionsOf } from '../collections.js';
import { acquireLease, extendLease, heldBy } from './upload-lease.js';

type UploadWriter = Pick<
  UploadStore,
  'acquire' | 'extend' | 'setMultipart' | 'addPart' | 'setCompleting' | 'interrupt' | 'restart'
>;

const EMPTY = { parts: [], offset: 0, nextPartNumber: 1, looseTails: [], isCompleting: false };

/** The writes of the process that holds an upload's lease. */
export function uploadWriter(mongo: Mongo, announcements: Announcements): UploadWriter {
  const { files, uploads } = collectionsOf(mongo.db);

  /** @throws 409 when another writer holds the lease or the upload was removed */
  async function write(held: HeldUpload, update: UpdateFilter<Upload>): Promise<void> {
    const { matchedCount } = await uploads.updateOne(heldBy(held), update);
    if (matchedCount === 0) throw errors.uploadTakenOver();
  }

  /** A complete file stays complete while a new version uploads. */
  const setStatus = ({ _id, fileId }: Upload, status: File['_status'], session: ClientSession) =>
    files.updateOne(
      { _id: fileId, 'internal.uploadId': _id, _tipId: { $exists: false } },
      { $set: { _status: status } },
      { session },
    );

  return {
    acquire: (id, offset) => acquireLease(uploads, id, offset),
    extend: (held, hasMoved) => extendLease(uploads, held, hasMoved),

    setMultipart: (held, multipartId) => write(held, { $set: { multipartId } }),

    addPart: (held, part, offset) =>
      write(held, {
        $push: { parts: part },
        $set: { offset, nextPartNumber: part.partNumber + 1 },
        ...(held.tail ? { $unset: { tail: 1 }, $addToSet: { looseTails: held.tail.fence } } : {}),
      }),

    setCompleting: (held, parts) => write(held, { $set: { parts, isCompleting: true } }),

    interrupt: (held, kept, unsettled = false) =>
      mongo.transaction(async (session) => {
        const { tail, ...fields } = { status: 'UPLOAD_INTERRUPTED' as const, ...kept };
        const isTailGone = 'tail' in kept && tail === undefined;
        const upload = await uploads.findOneAndUpdate(
          heldBy(held),
          {
            $set: { ...fields, ...(tail ? { tail } : {}) },
            $unset: { leaseUntil: 1, ...(isTailGone ? { tail: 1 } : {}) },
            $inc: { nextPartNumber: unsettled ? MAX_UNRECORDED : 0 },
            $currentDate: { touchedAt: true },
          },
          { session, returnDocument: 'after', ignoreUndefined: true },
        );
        if (upload) await setStatus(upload, upload.status, session);
        return upload !== null;
      }),

    restart: (held, key) =>
      mongo.transaction(async (session) => {
        const before = await uploads.findOneAndUpdate(
          heldBy(held),
          {
            $set: { ...EMPTY, key, status: 'UPLOAD_INTERRUPTED' },
            $inc: { restarts: 1 },
            $unset: { leaseUntil: 1, tail: 1, multipartId: 1 },
            $currentDate: { touchedAt: true },
          },
          { session },
        );
        if (!before) throw errors.uploadTakenOver();
        await announcements.discard(session, contentOfUpload(before));
        await setStatus(before, 'UPLOAD_INTERRUPTED', session);
      }),
  };
}
