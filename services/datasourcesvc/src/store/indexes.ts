import type { IndexPlan } from '@dtplatform/mongo';
import { queueIndexes } from '@dtplatform/queue';

export const ORCHESTRATORS = 'orchestrators';
export const RUNS = 'orchestrator_runs';

/** `unique_name` has an entry for each namespace of an orchestrator, so a name is unique in each of them. */
export const indexes: IndexPlan = {
  ...queueIndexes,
  [ORCHESTRATORS]: [{ name: 'unique_name', key: { _namespaces: 1, _name: 1 }, unique: true }],
  [RUNS]: [
    { name: 'newest', key: { _namespaces: 1, _createdat: -1, _id: -1 } },
    { name: 'newest_of_orchestrator', key: { _orchid: 1, _createdat: -1, _id: -1 } },
    {
      name: 'queue_slots',
      key: { '_work.slots': 1 },
      unique: true,
      partialFilterExpression: { '_work.slots': { $exists: true } },
    },
    { name: 'unended', key: { '_work.checkAt': 1 }, partialFilterExpression: { '_work.checkAt': { $exists: true } } },
  ],
};
