import { randomInt } from 'node:crypto';
import type { LeaseState } from '@dtplatform/lease';
import { BSON, defineModel, id, number, part, text } from '@dtplatform/mongo';
import type { ClientSession, ModelDefinition } from '@dtplatform/mongo';
import type { Delta, Totals } from '@dtplatform/queue';
import type { Item } from '../nameduseritems/item.js';
import type { StoredSource } from './reading.js';

/** Its `_id` is an ObjectId: see `readingId`. */
export interface StoredReading {
  _id: unknown;
  _ts: Date;
  _tsMetadata: StoredSource;
}

const GRANULARITIES = ['seconds', 'minutes', 'hours'] as const;
export type Granularity = (typeof GRANULARITIES)[number];

/**
 * Readings of all telemetry collections of one granularity. MongoDB deletes only by `_tsMetadata`, so it has every
 * field that removals filter by.
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

/** The maximum of a `Date`. */
const MAX_TIME_MS = 8.64e15;

/** The span of a bucket: readings that expire within the same step are removed together. */
const EXPIRY_STEP_SEC: Record<Granularity, number> = { seconds: 3600, minutes: 86_400, hours: 30 * 86_400 };

export function retentionOf({ _tsProperties }: Pick<Item, '_tsProperties'>) {
  const granularity: Granularity = _tsProperties?._granularity ?? 'seconds';
  const expiryMs = (_tsProperties?._expiry ?? Infinity) * 1000;
  const stepMs = EXPIRY_STEP_SEC[granularity] * 1000;
  return {
    granularity,
    /** Readings up to this time have expired. Undefined if none can have. */
    expiredAt: (now: number): Date | undefined => (now < expiryMs ? undefined : new Date(now - expiryMs)),
    /** The end of the step in which a reading expires; null for never. */
    untilOf(ts: Date): Date | null {
      const until = Math.ceil((ts.getTime() + expiryMs) / stepMs) * stepMs;
      return until > MAX_TIME_MS ? null : new Date(until);
    },
  };
}

/**
 * Acknowledged readings on their way to a time-series collection, which cannot take part in a transaction. The lease
 * holder stores them and removes the batch.
 */
export interface ReadingBatch {
  _id: string;
  /** The id of its first reading; the others follow (see `readingId`). */
  firstId: string;
  _itemId: string;
  _versionId: string;
  granularity: Granularity;
  count: number;
  /** BSON of `{ readings: StoredReading[] }`, without ids. */
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

/** A removal in progress, with the amount that it subtracts. */
export interface ReadingRemoval {
  _id: string;
  _itemId: string;
  _versionId: string;
  granularity: Granularity;
  /** Only readings of this telemetry item. */
  _telItemId?: string;
  /** Only readings whose expiry step ends then. */
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

type ObjectId = InstanceType<typeof BSON.ObjectId>;

const MAX_ORDINAL = 0xf_ffff;
const MAX_COUNT = 0x100_0000;
/** An id has a time (13 digits), a counter (6) and an offset (5). */
const PREFIX_CHARS = 19;
let count = randomInt(MAX_COUNT);

/**
 * An id for data that arrives in a transaction. Call it after the transaction's first operation. It is higher than the
 * ids of everything acknowledged before, in any process, because it starts with the database's logical time. The
 * counter separates concurrent arrivals.
 */
export function newArrivalId({ clusterTime }: ClientSession): string {
  const { t, i } = clusterTime!.clusterTime;
  count = (count + 1) % MAX_COUNT;
  return `${hex(t, 8)}${hex(Math.min(i, MAX_ORDINAL), 5)}${hex(count, 6)}00000`;
}

/** The id at an offset from another one, up to a million after an arrival's. */
export const idAtOffset = (id: string, places: number): string =>
  `${id.slice(0, PREFIX_CHARS)}${hex(parseInt(id.slice(PREFIX_CHARS), 16) + places, 5)}`;

/**
 * Readings of a batch have consecutive ids, so those already stored can be recognized. MongoDB compresses such ids
 * well.
 */
export const readingId = (first: string, index: number): ObjectId => new BSON.ObjectId(idAtOffset(first, index));

const hex = (value: number, length: number) => value.toString(16).padStart(length, '0');

/** Totals of readings, stored under the version's id. */
const COUNT_KEY = 'reading';
const BYTES_KEY = 'reading-bytes';

export interface ReadingAmount {
  count: number;
  bytes: number;
}

export const readingDeltas = (versionId: string, { count, bytes }: ReadingAmount): Delta[] => [
  { key: COUNT_KEY, namespace: versionId, amount: count },
  { key: BYTES_KEY, namespace: versionId, amount: bytes },
];

export const countReadings = (totals: Totals, versionId: string): Promise<number> =>
  totals.read(COUNT_KEY, [versionId]);

/** Bytes of readings by version; versions without readings are missing. */
export const bytesOfReadings = (
  totals: Totals,
  versionIds: string[],
  session: ClientSession,
): Promise<Map<string, number>> => totals.readEach(BYTES_KEY, versionIds, session);
