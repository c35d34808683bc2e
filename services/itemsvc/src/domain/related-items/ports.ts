import type { Item, Version } from '../items/item.js';
import type { Found, ListQuery } from '../list-query.js';
import type { RelatedItem } from './related-item.js';

/** Which version of which item related items belong to. */
export interface Owner {
  item: Item;
  version: Pick<Version, '_id' | '_version'>;
}

/** Where related items are kept. Writes also tell the metrics. */
export interface RelatedItemStore {
  newId(): string;
  /** @throws 400 when an item is larger than the database takes */
  checkSize(relatedItem: RelatedItem): void;
  /** All or none. */
  insert(owner: Owner, relatedItems: RelatedItem[]): Promise<void>;
  list(owner: Owner, query: ListQuery): Promise<Found<RelatedItem>>;
}

/** Files of the file service, as a caller sees them. */
export interface Files {
  /** Those of the ids that are no file, or none that the caller may read. @throws 503 while that cannot be told */
  missing(ids: string[], caller: { token: string; namespace: string; signal: AbortSignal }): Promise<Set<string>>;
}
