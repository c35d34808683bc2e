import { oneOf, touchParents } from '@dtplatform/mongo';
import type { Filter, Mongo } from '@dtplatform/mongo';
import type { Outbox } from '@dtplatform/queue';
import type { Item } from '../../domain/nameduseritems/item.js';
import { relatedCollectionUsage } from '../../domain/nameduseritems/usage.js';
import type { StoredRelatedCollection } from '../../domain/relatedcollections/related-collection.js';
import { itemModel } from '../nameduseritems/item.model.js';
import { createUsageOutbox, inEach } from '../usage/usage-outbox.js';
import { relatedCollectionModel } from './related-collection.model.js';

const BATCH = 100;

/** Removes what composite items relate to themselves, up to 100 at a time, and reports it as usage of theirs. */
export function createUnlinking({ mongo, outbox }: { mongo: Mongo; outbox: Outbox }) {
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
      // Of an owner that is gone, everything has been reported.
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
    const rows = await relatedCollections.find(filter, { _ownerId: 1 }).limit(BATCH).lean();
    if (rows.length > 0) await removeRows(rows);
    return rows.length;
  };
}
