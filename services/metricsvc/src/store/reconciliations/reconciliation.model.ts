import { defineModel, flag, id, json, number, part, text } from '@dtplatform/mongo';
import type { Difference, Reconciliation } from '../../domain/reconciliations/reconciliation.js';

const KEPT_SEC = 90 * 24 * 3600;

export const reconciliationModel = defineModel<Reconciliation>('reconciliations', {
  _id: id,
  _namespace: String,
  _status: text,
  _createdAt: { type: Date, required: true },
  _finishedAt: Date,
  _namespaces: number,
  _compared: number,
  _unsettled: number,
  _differing: json,
  _differences: [
    part<Difference>({ _namespace: text, _metric: text, _dimensions: json, _counted: number, _recounted: number }),
  ],
  _isCorrecting: flag,
  internal: part<Reconciliation['internal']>({
    dueAt: { type: Date, required: true },
    isPeriodic: flag,
    after: String,
    failures: number,
  }),
});
reconciliationModel.schema
  .index({ _status: 1, 'internal.dueAt': 1 }, { name: 'due' })
  .index({ _finishedAt: -1 }, { name: 'finished', expireAfterSeconds: KEPT_SEC });
