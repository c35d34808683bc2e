import { randomInt } from 'node:crypto';
import type { LeaseState } from '@dtplatform/lease';
import { BSON, defineModel, id, number, part, text } from '@dtplatform/mongo';
import type { ClientSession, ModelDefinition } from '@dtplatform/mongo';
import type { Delta, Totals } from '@dtplatform/queue';
import type { Item } from '../nameduseritems/item.js';
import type { StoredSource } from './reading.js';

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

type ObjectId = InstanceType<typeof BSON.ObjectId>;

const MAX_ORDINAL = 0xf_ffff;
const MAX_COUNT = 0x100_0000;
/** Of an id: the time, 13 digits, and a number, 6; the last five count. */
const PREFIX_CHARS = 19;
let count = randomInt(MAX_COUNT);

/**
 * The id of what arrives in a transaction, after its first operation: it is higher than the ids of all that was acknowledged
 * before, by any process, as it begins with the logical time of the database. The number keeps apart what arrives together.
 */
export function newArrivalId({ clusterTime }: ClientSession): string {
  const { t, i } = clusterTime!.clusterTime;
  count = (count + 1) % MAX_COUNT;
  return `${hex(t, 8)}${hex(Math.min(i, MAX_ORDINAL), 5)}${hex(count, 6)}00000`;
}

/** The id so many places behind another one: up to a million follow an arrival. */
export const idBehind = (id: string, places: number): string =>
  `${id.slice(0, PREFIX_CHARS)}${hex(parseInt(id.slice(PREFIX_CHARS), 16) + places, 5)}`;

/**
 * The ids of the readings of a batch follow each other, so that it can be seen which of them are stored. MongoDB compresses
 * such ids well.
 */
export const readingId = (first: string, index: number): ObjectId => new BSON.ObjectId(idBehind(first, index));

const hex = (value: number, length: number) => value.toString(16).padStart(length, '0');

/** Totals of a version's readings; stored under the version's id. */
const COUNT_KEY = 'reading';
const BYTES_KEY = 'reading-bytes';

export interface ReadingAmount {
  count: number;
  bytes: number;
}

/** What a write adds to the totals, or takes from them. */
export const readingDeltas = (versionId: string, { count, bytes }: ReadingAmount): Delta[] => [
  { key: COUNT_KEY, namespace: versionId, amount: count },
  { key: BYTES_KEY, namespace: versionId, amount: bytes },
];

export const countReadings = (totals: Totals, versionId: string): Promise<number> =>
  totals.read(COUNT_KEY, [versionId]);

/** Bytes of the readings of versions that have some. */
export const bytesOfReadings = (
  totals: Totals,
  versionIds: string[],
  session: ClientSession,
): Promise<Map<string, number>> => totals.readEach(BYTES_KEY, versionIds, session);
