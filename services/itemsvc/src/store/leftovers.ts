import type { Mongo } from '@dtplatform/mongo';
import type { Collection, Filter } from 'mongodb';
import { collectionsOf } from './collections.js';

const BATCH = 1000;

export type Leftovers = ReturnType<typeof createLeftovers>;

/** What deleted items leave behind. */
export function createLeftovers(mongo: Mongo) {
  const { versions, relatedItems } = collectionsOf(mongo.db);
  return {
    /** Removes up to 1000 of each kind. False when there were none. */
    async removeBatch(itemId: string): Promise<boolean> {
      const removedVersions = await removeSome(versions, { _userItemDbId: itemId });
      const removedItems = await removeSome(relatedItems, { _itemId: itemId });
      return removedVersions + removedItems > 0;
    },
  };
}

async function removeSome<D extends { _id: string }>(collection: Collection<D>, filter: Filter<D>): Promise<number> {
  const found = await collection
    .find(filter, { projection: { _id: 1 } })
    .limit(BATCH)
    .toArray();
  if (found.length === 0) return 0;
  const ofFound = { _id: { $in: found.map(({ _id }) => _id) } } as Filter<D>;
  return (await collection.deleteMany(ofFound)).deletedCount;
}
