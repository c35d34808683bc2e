import { createLeases } from '@dtplatform/lease';
import { BSON, documentErrors } from '@dtplatform/mongo';
import type { ClientSession, Model, Mongo } from '@dtplatform/mongo';
import { itemModel } from '../nameduseritems/item.model.js';
import { versionModel } from '../versions/version.model.js';
import { timeFilter } from './reading-lists.store.js';
import { batchModel, readingId, readingModels } from './readings.model.js';
import type { Granularity, ReadingBatch, StoredReading } from './readings.model.js';

/** A batch older than this belongs to a process that is presumed dead. */
const LEASE_MS = 60_000;
/** The latest start of the accepting process, long before another one may claim the batch. */
const MAX_DELAY_MS = LEASE_MS / 4;

/** Readings that are accepted but not yet in their time-series collection. */
export function createBatches(mongo: Mongo) {
  const batches = mongo.model(batchModel);
  const leases = createLeases(batches, { ttlMs: LEASE_MS });
  const collectionOf = (granularity: ReadingBatch['granularity']) => mongo.model(readingModels[granularity]).collection;

  /** Stores readings and removes their batches. If a version was deleted concurrently, removes its readings again. */
  async function finish(done: NewBatch[]): Promise<void> {
    for (const granularity of new Set(done.map((batch) => batch.granularity))) {
      const readings = done.flatMap((batch) => (batch.granularity === granularity ? batch.readings : []));
      if (readings.length > 0) await insert(collectionOf(granularity), readings);
    }
    const ids = done.map(({ _id }) => _id);
    const { deletedCount } = await mongo.collection(batchModel).deleteMany({ _id: { $in: ids } });
    if (deletedCount < ids.length) await removeOfGoneVersions(mongo, done);
  }

  return {
    /** Stores batches in the caller's transaction, leased to the caller by the database's clock. */
    async put(all: { batch: NewBatch; content: Buffer }[], session: ClientSession): Promise<void> {
      const writes = all.map(({ batch: { readings, _id, ...fields }, content }) => {
        const set = {
          ...literals({ ...fields, count: readings.length, content: new BSON.Binary(content) }),
          createdAt: '$$NOW',
          lease: { fence: { $literal: 1 }, until: { $add: ['$$NOW', LEASE_MS] } },
        };
        return { updateOne: { filter: { _id }, update: [{ $set: set }], upsert: true } };
      });
      await mongo.collection(batchModel).bulkWrite(writes, { session });
    },

    /**
     * Stores this process's batches. A failure leaves them to `recover`: they are already acknowledged.
     * @param putAt a `performance.now()` before their transaction
     */
    async store(all: NewBatch[], putAt: number): Promise<void> {
      if (performance.now() - putAt > MAX_DELAY_MS) return;
      all.forEach(assignIds);
      await finish(all);
    },

    /**
     * Stores batches whose process died.
     * @param drop receives readings that cannot be stored, and removes their batch
     * @returns how many batches were stored
     */
    async recover(drop: (batch: NewBatch, readings: StoredReading[]) => Promise<void>, limit = 10): Promise<number> {
      const lost = await leases.findLost({}, limit, ['_id']);
      const failures: unknown[] = [];
      let recovered = 0;
      for (const { _id } of lost) {
        const held = await leases.claim({ _id });
        if (!held) continue;
        const { readings } = BSON.deserialize(bytesOf(held.content)) as { readings: StoredReading[] };
        const batch = { ...held, readings };
        assignIds(batch);
        await storeMissing(collectionOf(batch.granularity), batch)
          .then((rejected) => (rejected.length > 0 ? drop(batch, rejected) : finish([{ ...batch, readings: [] }])))
          // The others do not wait for it.
          .then(
            () => (recovered += 1),
            (error: unknown) => failures.push(error),
          );
      }
      if (failures.length > 0) throw new AggregateError(failures, 'Batches of readings could not be stored.');
      return recovered;
    },

    areWaiting: async (itemId: string): Promise<boolean> => (await batches.exists({ _itemId: itemId })) !== null,

    /** Removes all readings of an item or of one of its versions, including waiting batches. */
    async removeAll({ itemId, versionId }: { itemId: string; versionId?: string }): Promise<void> {
      await batches.deleteMany({ _itemId: itemId, ...(versionId !== undefined && { _versionId: versionId }) });
      const own = versionId === undefined ? { '_tsMetadata._itemId': itemId } : { '_tsMetadata._versionId': versionId };
      for (const granularity of Object.keys(readingModels) as Granularity[]) {
        await collectionOf(granularity).deleteMany(own);
      }
    },
  };
}

export type Batches = ReturnType<typeof createBatches>;

function assignIds({ firstId, readings }: Pick<NewBatch, 'firstId' | 'readings'>): void {
  readings.forEach((reading, index) => (reading._id = readingId(firstId, index)));
}

/** Removes readings that were stored while their version was deleted. */
export async function removeOfGoneVersions(mongo: Mongo, done: NewBatch[]): Promise<void> {
  for (const { _itemId, _versionId, granularity } of done) {
    const item = await mongo.model(itemModel).findById(_itemId, { _tipId: 1 }).lean();
    const isOlder = () => mongo.model(versionModel).exists({ _id: _versionId });
    if (item && (item._tipId === _versionId || (await isOlder()))) continue;
    await mongo.collection(readingModels[granularity]).deleteMany({ '_tsMetadata._versionId': _versionId });
  }
}

/** Prevents values from being evaluated as expressions in an update pipeline. */
const literals = (fields: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, { $literal: value }]));

const bytesOf = (content: unknown): Uint8Array =>
  content instanceof Uint8Array ? content : (content as { buffer: Uint8Array }).buffer;

type Readings = Model<StoredReading>['collection'];

export type NewBatch = Pick<ReadingBatch, '_id' | 'firstId' | '_itemId' | '_versionId' | 'granularity'> & {
  readings: StoredReading[];
};

/**
 * Ordered, because MongoDB then writes all buckets at once, for less than half the CPU time; nothing after a rejected
 * reading is stored. Sorted by time, because a reading older than its bucket's start would open another bucket.
 */
const insert = (collection: Readings, readings: StoredReading[]) =>
  collection.insertMany([...readings].sort(byTime) as never[]);

const byTime = (a: StoredReading, b: StoredReading) => a._ts.getTime() - b._ts.getTime();

/** Stores the readings of a batch that are missing. @returns those that can never be stored */
async function storeMissing(collection: Readings, batch: NewBatch): Promise<StoredReading[]> {
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
