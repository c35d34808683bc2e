import { defineModel, id, number, part, text } from '@dtplatform/mongo';
import type { Orchestrator, OrchStep } from '../../domain/orchestrators/orchestrator.js';

export const orchestratorModel = defineModel<Orchestrator>('orchestrators', {
  _id: id,
  _name: text,
  _description: String,
  _namespaces: [String],
  _userType: String,
  _class: text,
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
// It has an entry for each namespace of an orchestrator, so a name is unique in each of them.
orchestratorModel.schema.index({ _namespaces: 1, _name: 1 }, { name: 'unique_name', unique: true });
