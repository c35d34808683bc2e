import { defineModel, id, json, number, text } from '@dtplatform/mongo';
import type { RelatedItem } from '../../domain/relateditems/related-item.js';

/** A part of an accepted bulk that is not added yet. */
export interface BulkBatch {
  /** `<task>/<number>` */
  _id: string;
  taskId: string;
  number: number;
  /** Of the call, for the limit. */
  namespace: string;
  /** As they will be stored, with their ids: no repetition can make two of one. */
  rows: RelatedItem[];
  /** How many entries of the bulk are done with this batch. */
  done: number;
  at: Date;
}

/** Longer than any task waits. Batches whose task was never stored remain until then. */
const KEPT_FOR_SEC = 30 * 86_400;

export const bulkBatchModel = defineModel<BulkBatch>(
  'bulk_batches',
  {
    _id: id,
    taskId: id,
    number,
    namespace: text,
    rows: [json],
    done: number,
    at: Date,
  },
  {
    indexes: [
      { key: { taskId: 1, number: 1 }, name: 'task' },
      { key: { namespace: 1, taskId: 1 }, name: 'namespace' },
      { key: { at: 1 }, name: 'expiry', expireAfterSeconds: KEPT_FOR_SEC },
    ],
  },
);
