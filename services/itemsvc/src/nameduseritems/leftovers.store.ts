import { oneOf, touchParents } from '@dtplatform/mongo';
import type { Filter, Model, Mongo } from '@dtplatform/mongo';
import type { Outbox } from '@dtplatform/queue';
import { relatedIndexModel } from '../indexes/indexes.store.js';
import { createBatches } from '../readings/batches.store.js';
import type { StoredRelatedCollection } from '../relatedcollections/related-collection.js';
import { relatedCollectionModel } from '../relatedcollections/related-collection.model.js';
import { IN_ITEM, IN_VERSION, relatedItemModel } from '../relateditems/related-item.model.js';
import { updateLogModel } from '../updatelogs/update-logs.store.js';
import { relatedCollectionUsage } from '../usage/usage.js';
import { createUsageOutbox, inEach } from '../usage/usage.store.js';
import { versionModel } from '../versions/version.model.js';
import type { VersionOf } from '../versions/versions.js';
import type { Item } from './item.js';
import { itemModel } from './item.model.js';

const BATCH = 1000;

export type Leftovers = ReturnType<typeof createLeftovers>;

export function createLeftovers({ mongo, outbox }: { mongo: Mongo; outbox: Outbox }) {
  const versions = mongo.model(versionModel);
  const relatedItems = mongo.model(relatedItemModel);
  const relatedCollections = mongo.model(relatedCollectionModel);
  const removeSomeRelations = createRelationRemoval({ mongo, outbox });
  const readingBatches = createBatches(mongo);
  const updateLogs = mongo.model(updateLogModel);
  const indexes = mongo.model(relatedIndexModel);
  return {
    /** Removes up to 1000 documents of each kind. @returns false if there were none */
    async removeBatch(itemId: string): Promise<boolean> {
      await readingBatches.removeAll({ itemId });
      const removedVersions = await removeSome(versions, { _userItemDbId: itemId });
      const removedItems = await removeSome(relatedItems, { [IN_ITEM]: itemId });
      const removedRelations = await removeSome(relatedCollections, { _ownerId: itemId });
      const unlinked = await removeSomeRelations({ _itemId: itemId });
      await indexes.deleteMany({ _itemId: itemId });
      const removedLogs = await removeSome(updateLogs, { _itemId: itemId });
      return removedVersions + removedItems + removedRelations + unlinked + removedLogs > 0;
    },

    /** The same for one version. */
    async removeBatchOfVersion({ itemId, versionId }: VersionOf): Promise<boolean> {
      await readingBatches.removeAll({ itemId, versionId });
      const removedItems = await removeSome(relatedItems, { [IN_ITEM]: itemId, [IN_VERSION]: versionId });
      return removedItems + (await removeSomeRelations({ _userItemVersionId: versionId })) > 0;
    },
  };
}

async function removeSome<D>(model: Model<D>, filter: Filter): Promise<number> {
  const found = await model.find(filter, { _id: 1 }).limit(BATCH).lean<{ _id: string }[]>();
  if (found.length === 0) return 0;
  return (await model.deleteMany({ _id: oneOf(found.map(({ _id }) => _id)) })).deletedCount;
}

const RELATIONS_AT_ONCE = 100;

/** Removes relations of composite items to deleted ones, up to 100 at a time, and records their usage. */
function createRelationRemoval({ mongo, outbox }: { mongo: Mongo; outbox: Outbox }) {
  const items = mongo.model(itemModel);
  const relatedCollections = mongo.model(relatedCollectionModel);
  const usageOutbox = createUsageOutbox(outbox);

  const removeRows = (rows: Pick<StoredRelatedCollection, '_id' | '_ownerId'>[]) =>
    mongo.transaction(async (session) => {
      const ownerIds = [...new Set(rows.map(({ _ownerId }) => _ownerId))];
      await touchParents(mongo, ownerIds, session);
      const ids = { _id: oneOf(rows.map(({ _id }) => _id)) };
      const remaining = await relatedCollections.find(ids, { _ownerId: 1 }).session(session).lean();
      await relatedCollections.deleteMany(ids, { session });
      // The usage of a deleted owner has already been subtracted.
      const fields = { _userItemId: 1, _itemClass: 1, _namespaces: 1 };
      const ofOwners = { _id: oneOf(ownerIds) };
      const owners = await items.find(ofOwners, fields).session(session).lean<Item[]>();
      const writes = owners.flatMap((owner) => {
        const removed = remaining.filter(({ _ownerId }) => _ownerId === owner._id).length;
        const usage = relatedCollectionUsage(owner, -removed);
        return inEach(owner._namespaces, usage);
      });
      await usageOutbox.record(
        session,
        writes.filter(({ usage }) => usage.length > 0),
      );
    });

  return async (filter: Filter): Promise<number> => {
    const rows = await relatedCollections.find(filter, { _ownerId: 1 }).limit(RELATIONS_AT_ONCE).lean();
    if (rows.length > 0) await removeRows(rows);
    return rows.length;
  };
}
