import { modelOf } from '@dtplatform/mongo';
import { Reconciliation } from '../../domain/reconciliations/reconciliation.js';

const KEPT_SEC = 90 * 24 * 3600;

export const reconciliationModel = modelOf('reconciliations', Reconciliation, {
  indexes: [
    { key: { _status: 1, 'internal.dueAt': 1 }, name: 'due' },
    { key: { _finishedAt: -1 }, name: 'finished', expireAfterSeconds: KEPT_SEC },
  ],
});
