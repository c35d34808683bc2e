import type { LeaseState } from '@dtplatform/lease';
import { defineModel, flag, id, ifPresent, json, number, optionalArray, part, text } from '@dtplatform/mongo';
import type { Run } from '../../domain/orchrun/run.js';
import type { RunStep } from '../../domain/orchrun/run-step.js';

export const runModel = defineModel<Run>('orchestrator_runs', {
  _id: id,
  _orchid: text,
  _name: text,
  _description: String,
  _namespaces: [String],
  _usertype: String,
  _createdby: text,
  _retriedby: String,
  _createdat: text,
  _updatedat: text,
  _status: text,
  _statusmsg: String,
  _result: json,
  orchrunsteps: [
    part<RunStep>({
      id: text,
      _name: text,
      orchstepid: text,
      _compid: text,
      _orchrunid: text,
      _actualparams: text,
      _sequenceno: number,
      _startedat: String,
      _endedat: String,
      _progress: Number,
      _statusmsg: String,
      _log: optionalArray(String),
      _resulttext: String,
    }),
  ],
  _work: part<Run['_work']>({
    namespace: text,
    starterType: String,
    profileId: String,
    instant: flag,
    timeoutMs: number,
    done: number,
    lease: part<LeaseState>({ fence: number, until: Date }),
    mustNotRepeat: Boolean,
    retries: Number,
    retrierType: String,
    fenceAtRetry: Number,
    startedAt: Number,
    slots: optionalArray(String),
  }),
  _revision: number,
});

runModel.schema
  .index({ _namespaces: 1, _createdat: -1, _id: -1 }, { name: 'newest' })
  .index({ _orchid: 1, _createdat: -1, _id: -1 }, { name: 'newest_of_orchestrator' })
  .index({ '_work.slots': 1 }, { name: 'queue_slots', unique: true, ...ifPresent('_work.slots') })
  // Not only of ended runs: runs of the previous version have no field that says so.
  .index({ _status: 1, _updatedat: 1 }, { name: 'history' })
  .index({ '_work.lease.until': 1 }, { name: 'lease', ...ifPresent('_work.lease.until') })
  // Runs of the previous version (lease-runs.ts).
  .index({ '_work.checkAt': 1 }, { name: 'unended', ...ifPresent('_work.checkAt') });
