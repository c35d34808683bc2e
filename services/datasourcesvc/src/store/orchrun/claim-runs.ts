import type { Leases } from '@dtplatform/lease';
import type { RunStore } from '../../domain/orchrun/ports.js';
import type { Run } from '../../domain/orchrun/run.js';

const QUEUED = { _status: 'QUEUED' };
/**
 * A process that cannot reach the database for a moment cannot send heartbeats either. A step that may not run again has more
 * time, since its run would end as ERROR.
 */
const MORE_TIME_MS = { $cond: ['$_work.mustNotRepeat', 40_000, 0] };
const LOST = {
  '_work.lease.until': { $exists: true },
  // The first comparison uses the index.
  $expr: {
    $and: [
      { $lte: ['$_work.lease.until', '$$NOW'] },
      { $lte: [{ $add: ['$_work.lease.until', MORE_TIME_MS] }, '$$NOW'] },
    ],
  },
};
const RAISED = { $add: ['$_revision', 1] };

/** Claims several runs at once. */
export const createClaims = (leases: Leases<Run>): Pick<RunStore, 'claimQueued' | 'claimLost'> => {
  const set = () => ({
    _revision: RAISED,
    _status: 'RUNNING',
    _updatedat: String(Date.now()),
    // The time limit covers all processes that work on the run.
    '_work.startedAt': { $ifNull: ['$_work.startedAt', Date.now()] },
    '_work.slots': '$$REMOVE',
  });
  return {
    claimQueued: (limit) => leases.claimMany(QUEUED, { set: set(), sort: { _updatedat: 1 }, limit }),
    claimLost: (limit) => leases.claimMany(LOST, { set: set(), sort: { '_work.lease.until': 1 }, limit }),
  };
};
