import { documentErrors } from '@dtplatform/mongo';
import type { Model } from '@dtplatform/mongo';
import type { ReadingBatch } from './batch.model.js';
import type { StoredReading } from './reading.model.js';
import { timeFilter } from './time-filter.js';

type Readings = Model<StoredReading>['collection'];

export type NewBatch = Pick<ReadingBatch, '_id' | 'firstId' | '_itemId' | '_versionId' | 'granularity'> & {
  readings: StoredReading[];
};

/**
 * In order: MongoDB then writes all buckets at once, for less than half the CPU time. What follows a refused one is not stored.
 * By time: a reading older than the start of its bucket would begin another one.
 */
export const insert = (collection: Readings, readings: StoredReading[]) =>
  collection.insertMany([...readings].sort(byTime) as never[]);

const byTime = (a: StoredReading, b: StoredReading) => a._ts.getTime() - b._ts.getTime();

/** Stores what is missing of a batch. @returns the readings that cannot be stored, however often that is tried */
export async function storeMissing(collection: Readings, batch: NewBatch): Promise<StoredReading[]> {
  const missing = await missingOf(collection, batch);
  try {
    if (missing.length > 0) await insert(collection, missing);
    return [];
  } catch (error) {
    if (!documentErrors(error)) throw error;
    if (missing.length === 1) return missing;
    const middle = Math.ceil(missing.length / 2);
    return [
      ...(await storeMissing(collection, { ...batch, readings: missing.slice(0, middle) })),
      ...(await storeMissing(collection, { ...batch, readings: missing.slice(middle) })),
    ];
  }
}

/** Those of a batch that are not stored yet. */
async function missingOf(collection: Readings, { _versionId, readings }: NewBatch): Promise<StoredReading[]> {
  const times = readings.map(({ _ts }) => _ts.getTime());
  const [from, to] = times.reduce(([min, max], ms) => [Math.min(min, ms), Math.max(max, ms)], [Infinity, -Infinity]);
  const own = {
    '_tsMetadata._versionId': _versionId,
    $and: [timeFilter('$gte', new Date(from)), timeFilter('$lte', new Date(to))],
    _id: { $gte: readings[0]!._id, $lte: readings.at(-1)!._id },
  };
  const stored = await collection.find(own as never, { projection: { _id: 1 } }).toArray();
  const ids = new Set(stored.map((reading) => String(reading._id)));
  return readings.filter((reading) => !ids.has(String(reading._id)));
}
