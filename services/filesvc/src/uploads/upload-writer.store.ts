import { keepLease } from '@dtplatform/lease';
import type { Leases } from '@dtplatform/lease';
import { absent, not } from '@dtplatform/mongo';
import type { ClientSession, Mongo } from '@dtplatform/mongo';
import { errors } from '../errors.js';
import { contentOfUpload } from '../events/domain-events.store.js';
import type { Announcements } from '../events/domain-events.store.js';
import { fileModel } from '../files/file.model.js';
import { sameChecksums } from './checksum.js';
import { MAX_UNRECORDED } from './upload.js';
import type { Upload, UploadStore } from './upload.js';
import { uploadModel } from './upload.model.js';

type UploadWriter = Pick<
  UploadStore,
  'claim' | 'claimFor' | 'keep' | 'setMultipart' | 'addPart' | 'setCompleting' | 'interrupt' | 'restart'
>;

const EMPTY = { parts: [], offset: 0, nextPartNumber: 1, looseTails: [], isCompleting: false };
const TOUCHED = { $currentDate: { touchedAt: true } };

/**
 * When the former writer died, its last parts may still arrive, so their numbers are skipped. Its tail may or may not exist,
 * so it is recorded as loose.
 */
const WAS_HELD = { $ne: [{ $type: '$lease.until' }, 'missing'] };
const CLAIMED = {
  looseTails: { $concatArrays: ['$looseTails', { $cond: [WAS_HELD, ['$lease.fence'], []] }] },
  nextPartNumber: { $add: ['$nextPartNumber', { $cond: [WAS_HELD, MAX_UNRECORDED, 0] }] },
};
/** Not while an upload is being completed: one whose completion always fails is abandoned in the end. */
const TOUCHED_AT = { touchedAt: '$$NOW' };

/** The writes of the process that holds an upload's lease. */
export function uploadWriter(mongo: Mongo, leases: Leases<Upload>, announcements: Announcements): UploadWriter {
  const files = mongo.model(fileModel);
  const uploads = mongo.model(uploadModel);

  /** @throws 409 when another writer holds the lease or the upload was removed */
  async function write(held: Upload, update: Parameters<typeof leases.write>[1]): Promise<void> {
    if (!(await leases.write(held, update))) throw errors.uploadTakenOver();
  }

  /** A complete file stays complete while a new version uploads. */
  const setStatus = ({ _id, fileId }: Upload, status: Upload['status'], session: ClientSession) =>
    files.updateOne(
      {
        _id: fileId,
        'internal.uploadId': _id,
        _tipId: absent(),
        _status: not(status),
      },
      { _status: status },
      { session },
    );

  return {
    claim: ({ _id, offset, isCompleting }) =>
      leases.claim({ _id, offset, isCompleting }, { set: { ...CLAIMED, ...(isCompleting ? {} : TOUCHED_AT) } }),

    claimFor: (_id, { offset, length = 0, checksum }) =>
      leases.claim(
        {
          _id,
          // All its bytes are stored: whoever completes it next must not find some of them twice.
          isCompleting: false,
          ...(offset !== undefined && { offset }),
          ...(checksum !== undefined && { checksum: { $in: sameChecksums(checksum) } }),
          $and: [{ $expr: { $lte: [{ $add: ['$offset', length] }, '$size'] } }],
        },
        { set: { ...CLAIMED, ...TOUCHED_AT } },
      ),

    keep: (held, hasMoved = () => true) =>
      keepLease(
        {
          ttlMs: leases.ttlMs,
          extend: () =>
            hasMoved() ? leases.extend(held, held.isCompleting ? {} : TOUCHED_AT) : leases.write(held, TOUCHED),
        },
        held,
      ),

    setMultipart: (held, multipartId) => write(held, { $set: { multipartId } }),

    addPart: (held, part, offset) =>
      write(held, {
        $push: { parts: part },
        $set: { offset, nextPartNumber: part.partNumber + 1 },
        ...(held.tail ? { $unset: { tail: 1 }, $addToSet: { looseTails: held.tail.fence } } : {}),
      }),

    setCompleting: (held, parts) => write(held, { $set: { parts, isCompleting: true } }),

    interrupt: (held, { status = 'UPLOAD_INTERRUPTED', ...kept }, unsettled = false) =>
      mongo.transaction(async (session) => {
        const isTailGone = 'tail' in kept && kept.tail === undefined;
        const update = {
          $set: { ...kept, status },
          $unset: isTailGone ? { tail: 1 } : {},
          $inc: { nextPartNumber: unsettled ? MAX_UNRECORDED : 0 },
          ...(held.isCompleting ? {} : TOUCHED),
        };
        const isHeld = await leases.write(held, update, { release: true, session });
        if (isHeld) await setStatus(held, status, session);
        return isHeld;
      }),

    restart: (held, key) =>
      mongo.transaction(async (session) => {
        const update = {
          $set: { ...EMPTY, key, status: 'UPLOAD_INTERRUPTED' as const },
          $inc: { restarts: 1 },
          $unset: { 'lease.until': 1, tail: 1, multipartId: 1 },
          ...TOUCHED,
        };
        const before = await uploads.findOneAndUpdate(leases.heldBy(held), update, { session }).lean();
        if (!before) throw errors.uploadTakenOver();
        await announcements.discard(session, contentOfUpload(before));
        await setStatus(before, 'UPLOAD_INTERRUPTED', session);
      }),
  };
}
