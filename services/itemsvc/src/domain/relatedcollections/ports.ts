import type { Listing } from '@dtplatform/contracts';
import type { Scope } from '@dtplatform/permissions';
import type { ListQuery } from '../list-query.js';
import type { Item } from '../nameduseritems/item.js';
import type { Owner } from '../relateditems/ports.js';
import type { NewRelatedCollection, RelatedCollection } from './related-collection.js';

/** An item to relate, as it is now, and one of its versions. */
export interface Target {
  item: Pick<Item, '_id' | '_userItemId' | '_userType' | '_itemClass'>;
  version: { _id: string; _version: number };
}

/** Where related collections are stored. Writes also report usage. */
export interface RelatedCollectionStore {
  newId(): string;
  /** What the entries name, in their order; undefined for an item or version that is not there or not in the scope. */
  resolve(entries: NewRelatedCollection[], scope: Scope): Promise<(Target | undefined)[]>;
  /**
   * All or none.
   * @throws 400 for a cycle, beyond the limits, or when an item or version has been deleted meanwhile; 404 when the owner has
   */
  insert(owner: Owner, related: RelatedCollection[]): Promise<void>;
  /** One of them, if its item is in the scope. */
  find(owner: Owner, id: string, scope: Scope): Promise<RelatedCollection | undefined>;
  /** Those whose items are in the scope. */
  list(owner: Owner, query: ListQuery, scope: Scope): Promise<Listing<Partial<RelatedCollection>>>;
  /** False when there is none. */
  remove(owner: Owner, id: string): Promise<boolean>;
}
