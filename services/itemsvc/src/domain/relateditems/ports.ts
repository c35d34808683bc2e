import type { Criteria, Listing, Precondition } from '@dtplatform/contracts';
import type { ListQuery } from '../list-query.js';
import type { Item } from '../nameduseritems/item.js';
import type { Failure } from '../partial-writes.js';
import type { Version } from '../versions/version.js';
import type { RelatedItem, StoredRelatedItem } from './related-item.js';

/** Which version of which item related items belong to. */
export interface Owner {
  item: Pick<Item, '_id' | '_userItemId' | '_itemClass'>;
  version: Pick<Version, '_id' | '_version'>;
}

/** A version of a collection, and which of its related items the caller may read. */
export interface Readable {
  owner: Owner;
  allowed: 'all' | Criteria[];
}

/** Where related items are stored. Writes also report usage. */
export interface RelatedItemStore {
  newId(): string;
  /** @throws 413 when an item is larger than the database allows */
  checkSize(relatedItem: RelatedItem): void;
  /** All or none. */
  insert(owner: Owner, relatedItems: RelatedItem[]): Promise<void>;
  /** @param allowed all related items, or those that match one of the criteria */
  list(owner: Owner, query: ListQuery, allowed: 'all' | Criteria[]): Promise<Listing<Partial<RelatedItem>>>;
  find(owner: Owner, id: string): Promise<StoredRelatedItem | undefined>;
  /**
   * Replaces one that meets the precondition (else 412). Undefined when it is gone.
   * @param change makes the new one of the stored one, or throws
   */
  replace(
    owner: Owner,
    id: string,
    change: (before: RelatedItem) => RelatedItem,
    precondition: Precondition,
  ): Promise<StoredRelatedItem | undefined>;
  /**
   * Removes one that meets the precondition (else 412). False when it is gone.
   * @param check throws for one that must stay
   */
  remove(
    owner: Owner,
    id: string,
    check: (relatedItem: RelatedItem) => void,
    precondition: Precondition,
  ): Promise<boolean>;
}

/** Where accepted bulks wait for the worker. */
export interface BulkStore {
  /** Stores related items that are to be added, and the task of that. @returns the id of the task */
  accept(
    owner: Owner,
    relatedItems: RelatedItem[],
    failures: Failure[],
    request: { namespace: string; byId: string; bodyBytes: number },
  ): Promise<string>;
}

/** Files of the file service, as a caller sees them. */
export interface Files {
  /** The ids that name no file, or one that the caller may not read. @throws 503 while filesvc is unavailable */
  missing(ids: string[], caller: { token: string; namespace: string; signal: AbortSignal }): Promise<Set<string>>;
}
