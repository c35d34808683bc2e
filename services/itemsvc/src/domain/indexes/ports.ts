import type { NewIndex, RelatedIndex } from './related-index.js';

/** Where the indexes of collections are stored. */
export interface IndexStore {
  list(itemId: string): Promise<RelatedIndex[]>;
  /** All or none. Those that exist already stay as they are. @throws 400 when they are too many; 404 when the item is gone */
  create(itemId: string, wanted: NewIndex[]): Promise<RelatedIndex[]>;
  /** False when there is none of this name. */
  remove(itemId: string, name: string): Promise<boolean>;
}
