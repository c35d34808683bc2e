import { trusted } from '@dtplatform/mongo';
import type { Filter, Model, Mongo } from '@dtplatform/mongo';
import { relatedItemModel } from '../relateditems/related-item.model.js';
import { versionModel } from '../versions/version.model.js';

const BATCH = 1000;

export type Leftovers = ReturnType<typeof createLeftovers>;

/** What deleted items leave behind. */
export function createLeftovers(mongo: Mongo) {
  const versions = mongo.model(versionModel);
  const relatedItems = mongo.model(relatedItemModel);
  return {
    /** Removes up to 1000 documents of each kind. False when there were none. */
    async removeBatch(itemId: string): Promise<boolean> {
      const removedVersions = await removeSome(versions, { _userItemDbId: itemId });
      const removedItems = await removeSome(relatedItems, { _itemId: itemId });
      return removedVersions + removedItems > 0;
    },
  };
}

async function removeSome<D>(model: Model<D>, filter: Filter): Promise<number> {
  const found = await model.find(filter, { _id: 1 }).limit(BATCH).lean<{ _id: string }[]>();
  if (found.length === 0) return 0;
  return (await model.deleteMany({ _id: trusted({ $in: found.map(({ _id }) => _id) }) })).deletedCount;
}
