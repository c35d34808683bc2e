import type { Action, Criteria, Listing, Precondition } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import { matches } from '@dtplatform/permissions';
import type { Access, Resources } from '@dtplatform/permissions';
import { errors } from '../errors.js';
import { itemIn } from '../nameduseritems/item.js';
import type { Item } from '../nameduseritems/item.js';
import type { Items } from '../nameduseritems/items.js';
import type { Failure } from '../nameduseritems/partial-writes.js';
import type { ListQuery } from '../query/parse-query.js';
import type { Version } from '../versions/version.js';
import type { Versions } from '../versions/versions.js';
import { NEW_RELATED_ITEMS } from './related-item.js';
import type { RelatedItem, StoredRelatedItem } from './related-item.js';

/** The related items of a collection that a caller may do something to: all, or those that match one of the criteria. */
type Allowed = 'all' | Criteria[];

export const allowedRelated = (access: Access, action: Action, item: Item, namespace: string): Promise<Allowed> =>
  access.related(action, itemIn(item, namespace));

/** Whether a related item is one of those. Of its fields, those that criteria name are enough. */
export const isAmong = (allowed: Allowed, row: Readonly<Record<string, unknown>>): boolean =>
  allowed === 'all' || allowed.some((criteria) => matches(criteria, row));

/** The fields by which it is decided. */
export const criteriaFields = (...all: Allowed[]): string[] => [
  ...new Set(all.flatMap((allowed) => (allowed === 'all' ? [] : allowed.flatMap((criteria) => Object.keys(criteria))))),
];

/**
 * Collections, for what callers do to their related items. Who may read some of these, but not the collection, finds it as
 * well.
 */
export const createCollections = (items: Items): Required<Resources<Item>> => ({
  find: (id, namespace) => items.find(id, namespace),
  async require(access, action, item, namespace) {
    if (!item || isNone(await allowedRelated(access, 'READ', item, namespace))) throw commonErrors.notFound();
    if (isNone(await allowedRelated(access, action, item, namespace)))
      throw await access.refusal(action, item._irn, [namespace]);
    return item;
  },
});

const isNone = (allowed: Allowed) => allowed !== 'all' && allowed.length === 0;

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

/** The version of a collection that a call is about; the tip by default. @throws 400 for other items, 404 */
export async function ownerOf(versions: Versions, item: Item, versionId: string | undefined): Promise<Owner> {
  if (!NEW_RELATED_ITEMS[item._itemClass]) throw errors.noRelatedItems();
  return { item, version: await versions.get(item, versionId) };
}
