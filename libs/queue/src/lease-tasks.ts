import type { Migration, Mongo } from '@dtplatform/mongo';
import { taskModel } from './task.model.js';

/**
 * Gives a lease to tasks that have none. The previous version recorded the end of a heartbeat in `_checkAt`, in epoch
 * milliseconds, and the number of runs in `_runs`.
 */
export async function leaseTasks(db: Mongo['db']): Promise<void> {
  const _lease = {
    fence: { $max: ['$_lease.fence', '$_runs', 0] },
    until: { $add: [new Date(0), '$_checkAt'] },
  };
  const update = [{ $set: { _lease } }, { $unset: ['_checkAt', '_runs'] }];
  await db.collection(taskModel.collection).updateMany({ _checkAt: { $exists: true } }, update);
}

/** Converts the tasks of the previous version. Those that its processes still write are converted by the sweep. */
export const leaseTasksMigration = (id: string): Migration => ({ id, up: (db) => leaseTasks(db) });
