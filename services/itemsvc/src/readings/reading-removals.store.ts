import { before, BSON, createLease, exists, touchParents } from '@dtplatform/mongo';
import type { ClientSession, Mongo } from '@dtplatform/mongo';
import type { Outbox } from '@dtplatform/queue';
import type { Item } from '../nameduseritems/item.js';
import { itemModel } from '../nameduseritems/item.model.js';
import { negated, readingUsage } from '../usage/usage.js';
import { createUsageOutbox, inEach } from '../usage/usage.store.js';
import { versionModel } from '../versions/version.model.js';
import { removeOfGoneVersions } from './batches.store.js';
import type { NewBatch } from './batches.store.js';
import type { TelemetryItemOf } from './place-readings.js';
import { batchModel, readingDeltas, readingModels, removalModel } from './readings.model.js';
import type { Granularity, ReadingAmount, ReadingRemoval, StoredReading } from './readings.model.js';

/** A bucket is removed this long after its end, when no batch can still be written to it. */
const MARGIN_MS = 10 * 60_000;

/**
 * Removes expired readings and those of deleted telemetry items. It records their count and bytes first, so that totals
 * and usage change exactly once, however often a removal is interrupted.
 */
export function createReadingRemovals({ mongo, outbox }: { mongo: Mongo; outbox: Outbox }) {
  const removals = mongo.model(removalModel);
  const subtract = createSubtraction(mongo, outbox);
  const collectionOf = (granularity: Granularity) => mongo.model(readingModels[granularity]).collection;

  async function begin(removal: Omit<ReadingRemoval, keyof ReadingAmount>): Promise<ReadingRemoval> {
    const begun = await removals.findById(removal._id).lean();
    if (begun) return begun;
    const sums = { $group: { _id: null, count: { $sum: 1 }, bytes: { $sum: { $bsonSize: '$$ROOT' } } } };
    const [amount] = await collectionOf(removal.granularity)
      .aggregate<ReadingAmount>([{ $match: readingsOf(removal) }, sums])
      .toArray();
    const recorded = { ...removal, count: amount?.count ?? 0, bytes: amount?.bytes ?? 0 };
    await removals.insertMany([recorded]);
    return recorded;
  }

  async function finish(removal: ReadingRemoval): Promise<void> {
    const { _id, _itemId, _versionId, granularity } = removal;
    await collectionOf(granularity).deleteMany(readingsOf(removal));
    await mongo.transaction(async (session) => {
      const { deletedCount } = await removals.deleteOne({ _id }, { session });
      if (deletedCount > 0) await subtract({ _itemId, _versionId }, removal, session);
    });
  }

  async function findExpired(
    granularity: Granularity,
    now: number,
    exceptItems: string[],
  ): Promise<StoredReading | undefined> {
    const expired = {
      '_tsMetadata._until': { $lte: new Date(now - MARGIN_MS) },
      ...(exceptItems.length > 0 && { '_tsMetadata._itemId': { $nin: exceptItems } }),
    };
    const found = await collectionOf(granularity)
      .find(expired as never, { limit: 1 })
      .toArray();
    return found[0] as unknown as StoredReading | undefined;
  }

  return {
    lease: createLease(mongo, 'reading-expiry'),

    /** Removes expired readings. Items with waiting batches are left to the next run. */
    async removeExpired(signal: AbortSignal, now = Date.now()): Promise<void> {
      for (const begun of await removals.find({ _until: exists() }).lean()) await finish(begun);
      for (const granularity of Object.keys(readingModels) as Granularity[]) {
        const later: string[] = [];
        for (let found; (found = await findExpired(granularity, now, later));) {
          signal.throwIfAborted();
          const { _itemId, _versionId, _until } = found._tsMetadata;
          if (await hasOldBatch(mongo, _itemId, now)) {
            later.push(_itemId);
            continue;
          }
          const _id = `${_versionId}-${granularity}-${_until!.getTime()}`;
          await finish(await begin({ _id, _itemId, _versionId, granularity, _until: _until! }));
        }
      }
    },

    /** Removes a batch after its other readings were stored, and subtracts those that cannot be stored. */
    drop: (batch: NewBatch, readings: StoredReading[]): Promise<void> =>
      mongo
        .transaction(async (session) => {
          const { deletedCount } = await mongo.model(batchModel).deleteOne({ _id: batch._id }, { session });
          if (deletedCount === 0) return false;
          const bytes = readings.reduce((sum, reading) => sum + BSON.calculateObjectSize(reading), 0);
          await subtract(batch, { count: readings.length, bytes }, session);
          return true;
        })
        .then((isDropped) => (isDropped ? undefined : removeOfGoneVersions(mongo, [batch]))),

    async removeOfTelemetryItem(of: TelemetryItemOf): Promise<void> {
      const { itemId: _itemId, versionId: _versionId, telItemId: _telItemId } = of;
      for (const granularity of Object.keys(readingModels) as Granularity[]) {
        const _id = `${_telItemId}-${granularity}`;
        await finish(await begin({ _id, _itemId, _versionId, granularity, _telItemId }));
      }
    },
  };
}

export type ReadingRemovals = ReturnType<typeof createReadingRemovals>;

/** Subtracts readings from the totals and usage of their version. */
function createSubtraction(mongo: Mongo, outbox: Outbox) {
  const items = mongo.model(itemModel);
  const versions = mongo.model(versionModel);
  const usageOutbox = createUsageOutbox(outbox);

  const findNumbered = async (item: Item, _id: string, session: ClientSession) =>
    item._tipId === _id
      ? item._tip
      : await versions.findOne({ _id, _userItemDbId: item._id }, { _version: 1 }).session(session).lean();

  return async (
    { _itemId, _versionId }: Pick<ReadingRemoval, '_itemId' | '_versionId'>,
    { count, bytes }: ReadingAmount,
    session: ClientSession,
  ): Promise<void> => {
    await touchParents(mongo, [_itemId], session);
    const item = await items.findById(_itemId).session(session).lean();
    const version = item && (await findNumbered(item, _versionId, session));
    // Deleting the item or version has subtracted all of its usage.
    if (!item || !version) return;
    const usage = negated(readingUsage(item, version, bytes));
    const deltas = readingDeltas(_versionId, { count: -count, bytes: -bytes });
    await usageOutbox.record(session, inEach(item._namespaces, usage, deltas));
  };
}

/** MongoDB deletes from time series by metadata only. */
const readingsOf = ({
  _versionId,
  _telItemId,
  _until,
}: Pick<ReadingRemoval, '_versionId' | '_telItemId' | '_until'>) => ({
  '_tsMetadata._versionId': _versionId,
  ...(_telItemId !== undefined && { '_tsMetadata._telItemId': _telItemId }),
  ...(_until !== undefined && { '_tsMetadata._until': _until }),
});

/** Whether an item has an old waiting batch, which may contain expired readings that are not stored yet. */
const hasOldBatch = (mongo: Mongo, _itemId: string, now: number) =>
  mongo.model(batchModel).exists({ _itemId, createdAt: before(new Date(now - MARGIN_MS / 2)) });
