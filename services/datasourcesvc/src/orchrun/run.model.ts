import { defineModel, flag, id, ifPresent, json, number, optionalArray, part, text } from '@dtplatform/mongo';
import type { CallOrigin } from '@dtplatform/telemetry';
import type { Run, RunStep } from './run.js';

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
    starterType: text,
    profileId: String,
    instant: flag,
    timeoutMs: number,
    done: number,
    lease: part<Run['_work']['lease']>({ fence: number, until: Date, claim: String }),
    mustNotRepeat: Boolean,
    retries: Number,
    retrierType: String,
    fenceAtRetry: Number,
    startedAt: Number,
    postponed: Number,
    trace: part<CallOrigin>({ requestId: String, traceparent: String }),
    slots: optionalArray(String),
  }),
  _revision: number,
});

runModel.schema
  .index({ _namespaces: 1, _createdat: -1, _id: -1 }, { name: 'newest' })
  .index({ _orchid: 1, _createdat: -1, _id: -1 }, { name: 'newest_of_orchestrator' })
  .index({ '_work.slots': 1 }, { name: 'queue_slots', unique: true, ...ifPresent('_work.slots') })
  .index({ _status: 1, _updatedat: 1 }, { name: 'by_status' })
  .index({ '_work.lease.until': 1 }, { name: 'lease', ...ifPresent('_work.lease.until') });
