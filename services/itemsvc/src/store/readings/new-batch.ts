import { BSON, newId } from '@dtplatform/mongo';
import type { ReadingOwner } from '../../domain/readings/ports.js';
import { MAX_READING_BYTES } from '../../domain/readings/reading.js';
import type { PlacedReading } from '../../domain/readings/reading.js';
import { errors } from '../../errors.js';
import type { NewBatch } from './store-missing.js';
import { retentionOf } from './reading.model.js';
import type { StoredReading } from './reading.model.js';

const MAX_CONTENT_BYTES = 12 * 1024 * 1024;
/** Of `{ readings: [] }` in BSON, without the entries. */
const EMPTY_BYTES = BSON.calculateObjectSize({ readings: [] });
/** Of the id that a reading gets when it is stored. */
const ID_BYTES = BSON.calculateObjectSize({ _id: new BSON.ObjectId() }) - BSON.calculateObjectSize({});

type PreparedBatch = Omit<NewBatch, 'firstId'>;

/**
 * Makes a batch of readings, without those that have expired already: where they would be stored may be removed at any time.
 * @returns `total`: how many there were; `bytes`: of the readings that are left
 * @throws 413
 */
export function newBatch({ item, version }: ReadingOwner, readings: PlacedReading[]) {
  const retention = retentionOf(item);
  const expiredAt = retention.expiredAt(Date.now());
  const stored: StoredReading[] = [];
  for (const { ts, source, values } of readings) {
    if (expiredAt && ts <= expiredAt) continue;
    const _until = retention.untilOf(ts);
    const _tsMetadata = { _itemId: item._id, _versionId: version._id, ...source, _until };
    stored.push({ _id: undefined, _ts: ts, _tsMetadata, ...values });
  }
  const content = serialize(stored);
  const batch: PreparedBatch = {
    _id: newId(),
    _itemId: item._id,
    _versionId: version._id,
    granularity: retention.granularity,
    readings: stored,
  };
  const bytes = content.length - EMPTY_BYTES - keyBytes(stored.length) + stored.length * ID_BYTES;
  return { batch, content, total: readings.length, bytes };
}

function serialize(readings: StoredReading[]): Buffer {
  const content = Buffer.from(BSON.serialize({ readings }));
  const isLarge =
    content.length > MAX_READING_BYTES && readings.some((one) => BSON.calculateObjectSize(one) > MAX_READING_BYTES);
  if (isLarge || content.length > MAX_CONTENT_BYTES) throw errors.readingTooLarge();
  return content;
}

/** Of the entries of an array of documents: a type, its index as text, and an end. */
function keyBytes(count: number): number {
  let bytes = 0;
  for (let from = 0, digits = 1; from < count; digits++) {
    const to = Math.min(count, 10 ** digits);
    bytes += (to - from) * (digits + 2);
    from = to;
  }
  return bytes;
}
