import { commonErrors } from '@dtplatform/errors';
import { errors } from '../errors.js';
import type { Item } from '../nameduseritems/item.js';
import { NEW_RELATED_ITEMS } from '../relateditems/related-item.js';
import type { IndexStore } from './indexes.store.js';
import type { NewIndex, RelatedIndex } from './related-index.js';

export function createIndexes({ indexStore }: { indexStore: IndexStore }) {
  const requireCollection = ({ _itemClass }: Item) => {
    if (!NEW_RELATED_ITEMS[_itemClass]) throw errors.noRelatedItems();
  };
  return {
    /** @throws 400 for too many indexes, or a name that is taken */
    async create(item: Item, wanted: NewIndex[]): Promise<RelatedIndex[]> {
      requireCollection(item);
      return indexStore.create(item._id, wanted);
    },
    async list(item: Item): Promise<RelatedIndex[]> {
      requireCollection(item);
      return indexStore.list(item._id);
    },
    async remove(item: Item, name: string): Promise<void> {
      requireCollection(item);
      if (!(await indexStore.remove(item._id, name))) throw commonErrors.notFound();
    },
  };
}

export type Indexes = ReturnType<typeof createIndexes>;
