import type { Mongo } from '@dtplatform/mongo';
import { loadModel } from './load.model.js';

/**
 * Gives a lease to loads of the previous version, which recorded the end of a heartbeat in `checkAt`, in milliseconds since
 * 1970, and the number of starts in `claims`. `claim` remains: a process of that version that works on the load may end it.
 */
export async function leaseLoads(db: Mongo['db']): Promise<void> {
  const lease = {
    fence: { $max: ['$_work.lease.fence', '$_work.claims', 0] },
    until: { $add: [new Date(0), '$_work.checkAt'] },
  };
  const update = [{ $set: { '_work.lease': lease } }, { $unset: ['_work.checkAt', '_work.claims'] }];
  await db.collection(loadModel.collection).updateMany({ '_work.checkAt': { $exists: true } }, update);
}
