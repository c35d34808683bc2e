import { ifPresent, modelOf } from '@dtplatform/mongo';
import { Orchestrator } from './orchestrator.js';

export const orchestratorModel = modelOf('orchestrators', Orchestrator, {
  indexes: [
    // A multikey index has an entry per namespace, so a name is unique in each.
    { key: { _namespaces: 1, _name: 1 }, name: 'unique_name', unique: true },
    { key: { '_schedule.tryAt': 1 }, name: 'due', ...ifPresent('_schedule.tryAt') },
    { key: { '_schedule.dueAt': 1 }, name: 'failing', ...ifPresent('_schedule.isFailing') },
    { key: { '_schedule.namespace': 1 }, name: 'schedules', ...ifPresent('_schedule.namespace') },
  ],
});
