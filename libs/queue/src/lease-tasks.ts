import { leasesFromHeartbeats } from '@dtplatform/lease';
import type { Migration } from '@dtplatform/mongo';
import { taskModel } from './task.model.js';

/** Gives a lease to tasks of the previous version. */
export const leaseTasksMigration = (id: string): Migration => ({
  id,
  up: (db) =>
    leasesFromHeartbeats(db.collection(taskModel.collection), {
      lease: '_lease',
      checkAt: '_checkAt',
      starts: '_runs',
    }),
});
