import type { Listing } from '@dtplatform/resource';
import type { ListQuery } from '../list-query.js';
import type { Item } from '../nameduseritems/item.js';
import type { Version } from '../versions/version.js';
import type { RelatedItem } from './related-item.js';

/** Which version of which item related items belong to. */
export interface Owner {
  item: Item;
  version: Pick<Version, '_id' | '_version'>;
}

/** Where related items are stored. Writes also report usage. */
export interface RelatedItemStore {
  newId(): string;
  /** @throws 413 when an item is larger than the database allows */
  checkSize(relatedItem: RelatedItem): void;
  /** All or none. */
  insert(owner: Owner, relatedItems: RelatedItem[]): Promise<void>;
  list(owner: Owner, query: ListQuery): Promise<Listing<Partial<RelatedItem>>>;
}

/** Files of the file service, as a caller sees them. */
export interface Files {
  /** The ids that name no file, or one that the caller may not read. @throws 503 while filesvc is unavailable */
  missing(ids: string[], caller: { token: string; namespace: string; signal: AbortSignal }): Promise<Set<string>>;
}
