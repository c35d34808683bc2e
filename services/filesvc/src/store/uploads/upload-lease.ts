import type { Collection, Document, Filter } from 'mongodb';
import type { HeldUpload, Upload } from '../../domain/uploads/upload.js';
import { MAX_UNRECORDED } from '../../domain/uploads/upload.js';

/** How long a lease lasts without being extended. */
const LEASE_MS = 6_000;
/** Uses the server's time, because clocks of processes differ. */
const NEXT_END = { $add: ['$$NOW', LEASE_MS] };
const IS_FREE = { $lt: [{ $ifNull: ['$leaseUntil', new Date(0)] }, '$$NOW'] };
const IS_LEFT = { $ne: [{ $type: '$leaseUntil' }, 'missing'] };

/** Uploads without a writer. */
export const unheld = (filter: Filter<Upload>): Filter<Upload> => ({ ...filter, $expr: IS_FREE });

/** Matches until another writer takes the lease or its holder ends it. */
export const heldBy = ({ _id, fence }: HeldUpload): Filter<Upload> => ({ _id, fence, leaseUntil: { $exists: true } });

/**
 * Takes the lease. When the previous writer died, its last parts may still arrive, so their numbers are skipped. Its tail
 * may or may not exist, so it is recorded as loose.
 */
export async function acquireLease(
  uploads: Collection<Upload>,
  id: string,
  offset: number,
): Promise<HeldUpload | undefined> {
  const afterLeft = (then: unknown, otherwise: unknown): Document => ({ $cond: [IS_LEFT, then, otherwise] });
  const taken = await uploads.findOneAndUpdate(
    unheld({ _id: id, offset }),
    [
      {
        $set: {
          looseTails: afterLeft({ $concatArrays: ['$looseTails', ['$fence']] }, '$looseTails'),
          nextPartNumber: afterLeft({ $add: ['$nextPartNumber', MAX_UNRECORDED] }, '$nextPartNumber'),
          fence: { $add: ['$fence', 1] },
          leaseUntil: NEXT_END,
          touchedAt: '$$NOW',
        },
      },
    ],
    { returnDocument: 'after' },
  );
  return (taken as HeldUpload | null) ?? undefined;
}

/** @returns false when another writer holds the lease */
export async function extendLease(uploads: Collection<Upload>, held: HeldUpload, hasMoved: boolean): Promise<boolean> {
  const { matchedCount } = await uploads.updateOne(heldBy(held), [
    { $set: { ...(hasMoved ? { leaseUntil: NEXT_END } : {}), touchedAt: '$$NOW' } },
  ]);
  return matchedCount === 1;
}
