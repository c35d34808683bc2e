import { LEASES } from '@dtplatform/mongo';
import type { IndexPlan } from '@dtplatform/mongo';
import { OUTBOX } from './outbox.js';
import { TASKS } from './tasks.js';
import { TOTALS } from './totals.js';

/** For `ensureIndexes` in the migration of each service that uses this library. */
export const queueIndexes: IndexPlan = {
  [OUTBOX]: [
    { key: { createdAt: 1 }, name: 'createdAt' },
    { key: { 'deltas.namespace': 1, 'deltas.key': 1 }, name: 'waiting_deltas', sparse: true },
  ],
  [LEASES]: [],
  [TOTALS]: [],
  [TASKS]: [{ key: { _checkAt: 1 }, name: 'unfinished', partialFilterExpression: { _checkAt: { $exists: true } } }],
};
