import type { Mongo } from '@dtplatform/mongo';
import { uploadModel } from './upload.model.js';

/**
 * Converts uploads that the previous version stored, with the parts of a lease as `fence` and `leaseUntil`. Those that are
 * being written lose their writer: its next write gets a 409, and its client continues at the acknowledged offset.
 */
export async function leaseUploads(db: Mongo['db'], filter: { _id?: string } = {}): Promise<void> {
  const uploads = db.collection<{ _id: string }>(uploadModel.collection);
  await uploads.updateMany({ ...filter, lease: { $exists: false } }, [
    { $set: { lease: { fence: '$fence', until: '$leaseUntil' } } },
    { $unset: ['fence', 'leaseUntil'] },
  ]);
}
