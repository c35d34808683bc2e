import { commonErrors } from '@dtplatform/errors';
import { errors } from '../errors.js';
import type { Item } from '../nameduseritems/item.js';
import { NEW_RELATED_ITEMS } from '../relateditems/related-item.js';
import type { NewIndex, RelatedIndex } from './related-index.js';

/** Where the indexes of collections are stored. */
export interface IndexStore {
  list(itemId: string): Promise<RelatedIndex[]>;
  /** All or none. Those that exist already stay as they are. @throws 400 when they are too many; 404 when the item is gone */
  create(itemId: string, wanted: NewIndex[]): Promise<RelatedIndex[]>;
  /** False when there is none of this name. */
  remove(itemId: string, name: string): Promise<boolean>;
}

/** Indexes on fields of related items, in all versions of a collection. */
export interface Indexes {
  /** @throws 400 when they are too many, or one has the name of another one */
  create(item: Item, wanted: NewIndex[]): Promise<RelatedIndex[]>;
  list(item: Item): Promise<RelatedIndex[]>;
  /** @throws 404 */
  remove(item: Item, name: string): Promise<void>;
}

export function createIndexes({ indexStore }: { indexStore: IndexStore }): Indexes {
  const requireCollection = ({ _itemClass }: Item) => {
    if (!NEW_RELATED_ITEMS[_itemClass]) throw errors.noRelatedItems();
  };
  return {
    async create(item, wanted) {
      requireCollection(item);
      return indexStore.create(item._id, wanted);
    },
    async list(item) {
      requireCollection(item);
      return indexStore.list(item._id);
    },
    async remove(item, name) {
      requireCollection(item);
      if (!(await indexStore.remove(item._id, name))) throw commonErrors.notFound();
    },
  };
}
