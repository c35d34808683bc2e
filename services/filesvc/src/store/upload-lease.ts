import type { Collection, Document, Filter } from 'mongodb';
import type { HeldUpload, Upload } from '../domain/uploads/upload.js';
import { MAX_UNNOTED } from '../domain/uploads/upload.js';

/** How long a writer that says nothing keeps others away. */
const LEASE_MS = 6_000;
/** Times are the server's: clocks of processes differ. */
const NEXT_END = { $add: ['$$NOW', LEASE_MS] };
const IS_FREE = { $lt: [{ $ifNull: ['$leaseUntil', new Date(0)] }, '$$NOW'] };
const IS_LEFT = { $ne: [{ $type: '$leaseUntil' }, 'missing'] };

/** Uploads that no writer holds. */
export const unheld = (filter: Filter<Upload>): Filter<Upload> => ({ ...filter, $expr: IS_FREE });

/** What a writer may write to: as long as nobody took the lease after it, and it did not end it itself. */
export const heldBy = ({ _id, fence }: HeldUpload): Filter<Upload> => ({ _id, fence, leaseUntil: { $exists: true } });

/**
 * Takes the lease. One that was left by a writer that died may still see that writer's last parts arrive: their numbers
 * are skipped, and its tail is noted, which may or may not exist.
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
          nextPartNumber: afterLeft({ $add: ['$nextPartNumber', MAX_UNNOTED] }, '$nextPartNumber'),
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

/** False when another writer has it. */
export async function extendLease(uploads: Collection<Upload>, held: HeldUpload, hasMoved: boolean): Promise<boolean> {
  const { matchedCount } = await uploads.updateOne(heldBy(held), [
    { $set: { ...(hasMoved ? { leaseUntil: NEXT_END } : {}), touchedAt: '$$NOW' } },
  ]);
  return matchedCount === 1;
}
