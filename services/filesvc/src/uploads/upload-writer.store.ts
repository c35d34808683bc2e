import { keepLease } from '@dtplatform/lease';
import type { KeptLease } from '@dtplatform/lease';
import { absent, not } from '@dtplatform/mongo';
import type { ClientSession, Mongo } from '@dtplatform/mongo';
import { errors } from '../errors.js';
import { contentOfUpload } from '../events/domain-events.store.js';
import type { DomainEvents } from '../events/domain-events.store.js';
import { fileModel } from '../files/file.model.js';
import { sameChecksums } from './checksum.js';
import { MAX_UNRECORDED } from './upload.js';
import type { AppendedBytes, PartRecord, Upload } from './upload.js';
import { uploadLeases, uploadModel } from './upload.model.js';

const EMPTY = { parts: [], offset: 0, nextPartNumber: 1, looseTails: [], isCompleting: false };
const TOUCHED = { $currentDate: { touchedAt: true } };

/**
 * Parts of a dead writer may still arrive, so their numbers are skipped. Its tail may exist, so it is recorded as
 * loose.
 */
const WAS_HELD = { $ne: [{ $type: '$lease.until' }, 'missing'] };
const CLAIMED = {
  looseTails: { $concatArrays: ['$looseTails', { $cond: [WAS_HELD, ['$lease.fence'], []] }] },
  nextPartNumber: { $add: ['$nextPartNumber', { $cond: [WAS_HELD, MAX_UNRECORDED, 0] }] },
};
/** Not while completing: an upload that can never complete must become abandoned. */
const TOUCHED_AT = { touchedAt: '$$NOW' };

type Found = Pick<Upload, '_id' | 'offset' | 'isCompleting'>;
type Kept = Partial<Pick<Upload, 'status' | 'parts' | 'offset' | 'tail' | 'looseTails'>>;

/** Writes of the lease holder. They name the fence of the lease, so a writer that lost it cannot write. */
export function createUploadWriter(mongo: Mongo, events: DomainEvents) {
  const uploads = mongo.model(uploadModel);
  const leases = uploadLeases(mongo);

  /** @throws 409 when another writer holds the lease or the upload was removed */
  async function write(held: Upload, update: Parameters<typeof leases.write>[1]): Promise<void> {
    if (!(await leases.write(held, update))) throw errors.uploadTakenOver();
  }

  return {
    /**
     * Claims an upload in the given state. Undefined when another writer holds it, it is gone, at another offset, or
     * all its parts have been stored since.
     */
    claim: ({ _id, offset, isCompleting }: Found): Promise<Upload | undefined> =>
      leases.claim({ _id, offset, isCompleting }, { set: { ...CLAIMED, ...(isCompleting ? {} : TOUCHED_AT) } }),

    /**
     * Claims an unfinished upload that can accept these bytes: at its offset, with room for them, and with its
     * checksum. Otherwise undefined.
     */
    claimFor: (_id: string, { offset, length = 0, checksum }: AppendedBytes): Promise<Upload | undefined> =>
      leases.claim(
        {
          _id,
          // All bytes are stored: the next process must not find some of them twice.
          isCompleting: false,
          ...(offset !== undefined && { offset }),
          ...(checksum !== undefined && { checksum: { $in: sameChecksums(checksum) } }),
          $and: [{ $expr: { $lte: [{ $add: ['$offset', length] }, '$size'] } }],
        },
        { set: { ...CLAIMED, ...TOUCHED_AT } },
      ),

    /**
     * Sends heartbeats until stopped. A writer whose connection hangs loses the lease to a reconnecting client after
     * some seconds; until then it may continue.
     * @param hasMoved whether bytes moved since the last heartbeat; without that the lease is not extended. By default
     * always true
     */
    keep: (held: Upload, hasMoved: () => boolean = () => true): Pick<KeptLease, 'stop'> =>
      keepLease(
        {
          ttlMs: leases.ttlMs,
          extend: () =>
            hasMoved() ? leases.extend(held, held.isCompleting ? {} : TOUCHED_AT) : leases.write(held, TOUCHED),
        },
        held,
      ),

    setMultipart: (held: Upload, multipartId: string): Promise<void> => write(held, { $set: { multipartId } }),

    /** Records a durable part. Parts come in order; the first includes the tail. */
    addPart: (held: Upload, part: PartRecord, offset: number): Promise<void> =>
      write(held, {
        $push: { parts: part },
        $set: { offset, nextPartNumber: part.partNumber + 1 },
        ...(held.tail ? { $unset: { tail: 1 }, $addToSet: { looseTails: held.tail.fence } } : {}),
      }),

    /** Records that all parts are stored. From then on any process may complete the upload, repeatedly. */
    setCompleting: (held: Upload, parts: PartRecord[]): Promise<void> =>
      write(held, { $set: { parts, isCompleting: true } }),

    /**
     * Releases the lease before the end of the content. The upload becomes interrupted unless `kept` has another
     * status.
     * @param unsettled parts may still arrive, so their numbers must not be reused
     * @returns false when the upload was removed or another writer holds the lease
     */
    interrupt: (held: Upload, { status = 'UPLOAD_INTERRUPTED', ...kept }: Kept, unsettled = false): Promise<boolean> =>
      mongo.transaction(async (session) => {
        const isTailGone = 'tail' in kept && kept.tail === undefined;
        const update = {
          $set: { ...kept, status },
          $unset: isTailGone ? { tail: 1 } : {},
          $inc: { nextPartNumber: unsettled ? MAX_UNRECORDED : 0 },
          ...(held.isCompleting ? {} : TOUCHED),
        };
        const isHeld = await leases.write(held, update, { release: true, session });
        if (isHeld) await setStatus(mongo, held, status, session);
        return isHeld;
      }),

    /** Releases the lease and drops all content; the upload starts over under another key. */
    restart: (held: Upload, key: string): Promise<void> =>
      mongo.transaction(async (session) => {
        const update = {
          $set: { ...EMPTY, key, status: 'UPLOAD_INTERRUPTED' as const },
          $inc: { restarts: 1 },
          $unset: { 'lease.until': 1, tail: 1, multipartId: 1 },
          ...TOUCHED,
        };
        const before = await uploads.findOneAndUpdate(leases.heldBy(held), update, { session }).lean();
        if (!before) throw errors.uploadTakenOver();
        await events.discard(session, contentOfUpload(before));
        await setStatus(mongo, before, 'UPLOAD_INTERRUPTED', session);
      }),
  };
}

export type UploadWriter = ReturnType<typeof createUploadWriter>;

/** A complete file stays complete while a new version uploads. */
const setStatus = (mongo: Mongo, { _id, fileId }: Upload, status: Upload['status'], session: ClientSession) =>
  mongo
    .model(fileModel)
    .updateOne(
      { _id: fileId, 'internal.uploadId': _id, _tipId: absent(), _status: not(status) },
      { _status: status },
      { session },
    );
