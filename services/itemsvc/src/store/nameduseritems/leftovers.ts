import { oneOf } from '@dtplatform/mongo';
import type { Filter, Model, Mongo } from '@dtplatform/mongo';
import type { Outbox } from '@dtplatform/queue';
import type { VersionOf } from '../../domain/versions/ports.js';
import { createBatches } from '../readings/batches.js';
import { relatedIndexModel } from '../indexes/related-index.model.js';
import { IN_ITEM, IN_VERSION, relatedItemModel } from '../relateditems/related-item.model.js';
import { createUnlinking } from '../relatedcollections/unlink.js';
import { relatedCollectionModel } from '../relatedcollections/related-collection.model.js';
import { updateLogModel } from '../updatelogs/update-log.model.js';
import { versionModel } from '../versions/version.model.js';

const BATCH = 1000;

export type Leftovers = ReturnType<typeof createLeftovers>;

/** What deleted items and versions leave behind. */
export function createLeftovers({ mongo, outbox }: { mongo: Mongo; outbox: Outbox }) {
  const versions = mongo.model(versionModel);
  const relatedItems = mongo.model(relatedItemModel);
  const relatedCollections = mongo.model(relatedCollectionModel);
  const unlinkSome = createUnlinking({ mongo, outbox });
  const readingBatches = createBatches(mongo);
  const updateLogs = mongo.model(updateLogModel);
  const indexes = mongo.model(relatedIndexModel);
  return {
    /** Removes up to 1000 documents of each kind. False when there were none. */
    async removeBatch(itemId: string): Promise<boolean> {
      await readingBatches.removeAll({ itemId });
      const removedVersions = await removeSome(versions, { _userItemDbId: itemId });
      const removedItems = await removeSome(relatedItems, { [IN_ITEM]: itemId });
      const removedRelations = await removeSome(relatedCollections, { _ownerId: itemId });
      const unlinked = await unlinkSome({ _itemId: itemId });
      await indexes.deleteMany({ _itemId: itemId });
      const removedLogs = await removeSome(updateLogs, { _itemId: itemId });
      return removedVersions + removedItems + removedRelations + unlinked + removedLogs > 0;
    },

    /** The same for one version. */
    async removeBatchOfVersion({ itemId, versionId }: VersionOf): Promise<boolean> {
      await readingBatches.removeAll({ itemId, versionId });
      const removedItems = await removeSome(relatedItems, { [IN_ITEM]: itemId, [IN_VERSION]: versionId });
      return removedItems + (await unlinkSome({ _userItemVersionId: versionId })) > 0;
    },
  };
}

async function removeSome<D>(model: Model<D>, filter: Filter): Promise<number> {
  const found = await model.find(filter, { _id: 1 }).limit(BATCH).lean<{ _id: string }[]>();
  if (found.length === 0) return 0;
  return (await model.deleteMany({ _id: oneOf(found.map(({ _id }) => _id)) })).deletedCount;
}
