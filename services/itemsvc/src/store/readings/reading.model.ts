import { defineModel } from '@dtplatform/mongo';
import type { ModelDefinition } from '@dtplatform/mongo';
import type { Item } from '../../domain/nameduseritems/item.js';
import type { StoredSource } from '../../domain/readings/reading.js';

/** A reading with its values. Its `_id` is an ObjectId: see `reading-ids.ts`. */
export interface StoredReading {
  _id: unknown;
  _ts: Date;
  _tsMetadata: StoredSource;
}

const GRANULARITIES = ['seconds', 'minutes', 'hours'] as const;
export type Granularity = (typeof GRANULARITIES)[number];

/**
 * Readings of all telemetry collections of one granularity. Deletions can only match `_tsMetadata`, so it holds all by which
 * readings are removed (docs/adr/0068).
 */
const readingModel = (granularity: Granularity) =>
  defineModel<StoredReading>(
    `readings_${granularity}`,
    { _id: {}, _ts: Date, _tsMetadata: {} },
    {
      open: true,
      timeSeries: { timeField: '_ts', metaField: '_tsMetadata', granularity },
      indexes: [
        { key: { '_tsMetadata._versionId': 1, _ts: 1 }, name: 'version' },
        { key: { '_tsMetadata._versionId': 1, '_tsMetadata._telItemId': 1, _ts: 1 }, name: 'telemetry_item' },
        { key: { '_tsMetadata._versionId': 1, '_tsMetadata._sourceId': 1, _ts: 1 }, name: 'source' },
        { key: { '_tsMetadata._itemId': 1 }, name: 'item' },
        { key: { '_tsMetadata._until': 1 }, name: 'expiry' },
      ],
    },
  );

export const readingModels = Object.fromEntries(
  GRANULARITIES.map((granularity) => [granularity, readingModel(granularity)]),
) as Record<Granularity, ModelDefinition<StoredReading>>;

/** The latest time that a `Date` can hold. */
const MAX_TIME_MS = 8.64e15;

/** As many seconds as a bucket may hold: readings that expire within the same of these steps are removed together. */
const EXPIRY_STEP_SEC: Record<Granularity, number> = { seconds: 3600, minutes: 86_400, hours: 30 * 86_400 };

/** How the readings of a collection are kept. */
export function retentionOf({ _tsProperties }: Pick<Item, '_tsProperties'>) {
  const granularity: Granularity = _tsProperties?._granularity ?? 'seconds';
  const expiryMs = (_tsProperties?._expiry ?? Infinity) * 1000;
  const stepMs = EXPIRY_STEP_SEC[granularity] * 1000;
  return {
    granularity,
    /** Readings of this time and before have expired. Undefined when no reading can have expired. */
    expiredAt: (now: number): Date | undefined => (now < expiryMs ? undefined : new Date(now - expiryMs)),
    /** When the bucket of a reading is removed: at the end of the step in which the reading expires. Null for never. */
    untilOf(ts: Date): Date | null {
      const until = Math.ceil((ts.getTime() + expiryMs) / stepMs) * stepMs;
      return until > MAX_TIME_MS ? null : new Date(until);
    },
  };
}
