import { defineModel, id, number, part, text } from '@dtplatform/mongo';
import type { LeaseState } from '@dtplatform/lease';
import type { Granularity } from './reading.model.js';

/**
 * Readings that are acknowledged, on their way into their time-series collection, which takes part in no transaction. Whoever
 * holds the lease stores them and removes the batch.
 */
export interface ReadingBatch {
  _id: string;
  /** The id of its first reading; those of the others follow (`reading-ids.ts`). */
  firstId: string;
  _itemId: string;
  _versionId: string;
  granularity: Granularity;
  count: number;
  /** The readings without their ids as BSON: `{ readings: StoredReading[] }`. */
  content: Buffer;
  createdAt: Date;
  lease: LeaseState;
}

export const batchModel = defineModel<ReadingBatch>(
  'reading_batches',
  {
    _id: id,
    firstId: id,
    _itemId: id,
    _versionId: id,
    granularity: text,
    count: number,
    content: Buffer,
    createdAt: Date,
    lease: part<LeaseState>({ fence: number, until: Date }),
  },
  {
    indexes: [
      { key: { 'lease.until': 1 }, name: 'lease' },
      { key: { _itemId: 1 }, name: 'item' },
    ],
  },
);
