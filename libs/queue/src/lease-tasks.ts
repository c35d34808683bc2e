import { leasesFromHeartbeats } from '@dtplatform/lease';
import type { Migration, Mongo } from '@dtplatform/mongo';
import { taskModel } from './task.model.js';

/** Gives a lease to tasks of the previous version. */
export const leaseTasks = (db: Mongo['db']): Promise<void> =>
  leasesFromHeartbeats(db.collection(taskModel.collection), { lease: '_lease', checkAt: '_checkAt', starts: '_runs' });

/** Converts the tasks of the previous version. */
export const leaseTasksMigration = (id: string): Migration => ({ id, up: (db) => leaseTasks(db) });
