import type mongoose from 'mongoose';

/**
 * Gives a lease to documents of the version before leases. It recorded the end of a heartbeat in milliseconds since
 * 1970, and how often a process had started on the document. Idempotent; documents that have a lease already keep the
 * higher fence.
 */
export async function leasesFromHeartbeats(
  collection: mongoose.mongo.Collection,
  paths: { lease: string; checkAt: string; starts: string },
): Promise<void> {
  const lease = {
    fence: { $max: [`$${paths.lease}.fence`, `$${paths.starts}`, 0] },
    until: { $add: [new Date(0), `$${paths.checkAt}`] },
  };
  const update = [{ $set: { [paths.lease]: lease } }, { $unset: [paths.checkAt, paths.starts] }];
  await collection.updateMany({ [paths.checkAt]: { $exists: true } }, update);
}
