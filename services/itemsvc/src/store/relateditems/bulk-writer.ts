import { commonErrors } from '@dtplatform/errors';
import type { Mongo } from '@dtplatform/mongo';
import type { Outbox } from '@dtplatform/queue';
import { itemModel } from '../nameduseritems/item.model.js';
import { bulkBatchModel } from './bulk-batch.model.js';
import type { BulkBatch } from './bulk-batch.model.js';
import type { BulkInput } from './bulk-store.js';
import { createOwnedWrites } from './owned-writes.js';

export type BulkWriter = ReturnType<typeof createBulkWriter>;

/** Adds the entries of accepted bulks, for the worker. */
export function createBulkWriter({ mongo, outbox }: { mongo: Mongo; outbox: Outbox }) {
  const batches = mongo.db.collection<BulkBatch>(bulkBatchModel.collection);
  const items = mongo.model(itemModel);
  const writes = createOwnedWrites({ mongo, outbox });

  return {
    /**
     * Adds the next batch and forgets it, in one transaction: each entry is added once, however often this is called.
     * @returns how many entries of the bulk are done; undefined when no batch is left
     * @throws 404 when the item or its version is gone
     */
    async addNext(taskId: string, { itemId, version }: BulkInput): Promise<number | undefined> {
      const batch = await batches.findOne({ taskId }, { sort: { number: 1 } });
      if (!batch) return undefined;
      const item = await items.findById(itemId, { _userItemId: 1, _itemClass: 1 }).lean();
      if (!item) throw commonErrors.notFound();
      await mongo.transaction(async (session) => {
        const { deletedCount } = await batches.deleteOne({ _id: batch._id }, { session });
        if (deletedCount === 1) await writes.insert([{ owner: { item, version }, rows: batch.rows }], session);
      });
      return batch.done;
    },

    /** Forgets what is left of a bulk that has failed. */
    async discard(taskId: string): Promise<void> {
      await batches.deleteMany({ taskId });
    },
  };
}
