import { leasesFromHeartbeats } from '@dtplatform/lease';
import type { Mongo } from '@dtplatform/mongo';
import { loadModel } from './load.model.js';

/** Gives a lease to loads of the previous version. `_work.claim` remains: a process of that version may end its load. */
export const leaseLoads = (db: Mongo['db']): Promise<void> =>
  leasesFromHeartbeats(db.collection(loadModel.collection), {
    lease: '_work.lease',
    checkAt: '_work.checkAt',
    starts: '_work.claims',
  });
