import { leasesFromHeartbeats } from '@dtplatform/lease';
import type { Mongo } from '@dtplatform/mongo';
import { runModel } from './run.model.js';

/** Gives a lease to runs of the previous version. `_work.claim` remains: a process of that version may end its run. */
export const leaseRuns = (db: Mongo['db']): Promise<void> =>
  leasesFromHeartbeats(db.collection(runModel.collection), {
    lease: '_work.lease',
    checkAt: '_work.checkAt',
    starts: '_work.claims',
  });
