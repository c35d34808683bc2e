import { defineModel, id, ifPresent, number, part, text } from '@dtplatform/mongo';
import type { Orchestrator, OrchStep, ScheduleState } from './orchestrator.js';
import type { OrchSchedule } from './schedule.js';

export const orchestratorModel = defineModel<Orchestrator>('orchestrators', {
  _id: id,
  _name: text,
  _description: String,
  _namespaces: [String],
  _home: text,
  _userType: String,
  _class: text,
  _orchschedule: part<OrchSchedule>({ runinterval: String, cron: String, timezone: String }),
  _schedule: part<ScheduleState>({
    dueAt: number,
    tryAt: number,
    statusmsg: String,
    isFailing: Boolean,
    namespace: text,
    ownerId: text,
    ownerType: text,
  }),
  _timeout: String,
  _permissionprofileid: String,
  _createdby: text,
  _updatedby: text,
  _createdat: text,
  _updatedat: text,
  orchsteps: [
    part<OrchStep>({
      id: text,
      _compid: text,
      _orchid: text,
      _actualparams: text,
      _sequenceno: number,
      _name: text,
      _orchcomp: text,
    }),
  ],
  _revision: number,
});
orchestratorModel.schema
  // It has an entry for each namespace of an orchestrator, so a name is unique in each of them.
  .index({ _namespaces: 1, _name: 1 }, { name: 'unique_name', unique: true })
  .index({ '_schedule.tryAt': 1 }, { name: 'due', ...ifPresent('_schedule.tryAt') })
  .index({ '_schedule.dueAt': 1 }, { name: 'failing', ...ifPresent('_schedule.isFailing') })
  .index({ '_schedule.namespace': 1 }, { name: 'schedules', ...ifPresent('_schedule.namespace') });
