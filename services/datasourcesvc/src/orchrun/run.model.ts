import { ifPresent, modelOf } from '@dtplatform/mongo';
import { Run } from './run.js';

export const runModel = modelOf('orchestrator_runs', Run, {
  indexes: [
    { key: { _namespaces: 1, _createdat: -1, _id: -1 }, name: 'newest' },
    { key: { _orchid: 1, _createdat: -1, _id: -1 }, name: 'newest_of_orchestrator' },
    { key: { '_work.slots': 1 }, name: 'queue_slots', unique: true, ...ifPresent('_work.slots') },
    { key: { _status: 1, _updatedat: 1 }, name: 'by_status' },
    { key: { '_work.lease.until': 1 }, name: 'lease', ...ifPresent('_work.lease.until') },
  ],
});
