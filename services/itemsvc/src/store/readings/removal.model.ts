import { defineModel, id, number, text } from '@dtplatform/mongo';
import type { Granularity } from './reading.model.js';

/** Readings that are being removed, and what they hold. */
export interface ReadingRemoval {
  _id: string;
  _itemId: string;
  _versionId: string;
  granularity: Granularity;
  /** Those of one telemetry item. */
  _telItemId?: string;
  /** Those in the buckets that end then. */
  _until?: Date;
  count: number;
  bytes: number;
}

export const removalModel = defineModel<ReadingRemoval>('reading_removals', {
  _id: id,
  _itemId: id,
  _versionId: id,
  granularity: text,
  _telItemId: String,
  _until: Date,
  count: number,
  bytes: number,
});
