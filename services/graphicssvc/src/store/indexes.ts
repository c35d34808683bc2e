import type { IndexPlan } from '@dtplatform/mongo';
import { queueIndexes } from '@dtplatform/queue';

export const LOADS = 'filestore_loads';

export const indexes: IndexPlan = {
  ...queueIndexes,
  [LOADS]: [
    { name: 'latest_of_file', key: { _fileId: 1, _requestedAt: -1 } },
    { name: 'unended', key: { '_work.checkAt': 1 }, partialFilterExpression: { '_work.checkAt': { $exists: true } } },
  ],
};
