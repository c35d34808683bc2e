import type { LeaseState } from '@dtplatform/lease';
import { defineModel, flag, id, number, part, text } from '@dtplatform/mongo';
import type { ComponentCall } from '../../domain/componentcalls/component-call.js';

export const componentCallModel = defineModel<ComponentCall>('component_calls', {
  _id: id,
  _runId: text,
  _stepId: text,
  component: text,
  mayRunAgain: flag,
  status: text,
  queuedAt: number,
  lease: part<LeaseState>({ fence: number, until: Date }),
  percent: Number,
  message: String,
  lines: [String],
  resultText: String,
  error: String,
  expiresAt: Date,
});
componentCallModel.schema
  .index({ expiresAt: 1 }, { name: 'expiry', expireAfterSeconds: 0 })
  .index({ _runId: 1 }, { name: 'run' });
