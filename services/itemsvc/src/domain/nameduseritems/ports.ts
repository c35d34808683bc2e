import type { Listing, PermissionEntry, Precondition } from '@dtplatform/contracts';
import type { Placed, Scope } from '@dtplatform/permissions';
import type { Writing } from '../item-metadata.js';
import type { ListQuery } from '../list-query.js';
import type { Projection } from '../query/projection.js';
import type { Version } from '../versions/version.js';
import type { Item, ItemChange, ShownItem } from './item.js';

/** Fields that are not given stay as they are. */
type StoredItemChange = Partial<ItemChange> & Pick<Item, '_namespaces' | '_home'>;

/** An item as it was when the rights to change it were decided. */
type DecidedItem = Placed & Pick<Item, '_id'>;

/** Where items are stored. Writes also report usage. They reject with a 412 unless the precondition is met. */
export interface ItemStore {
  newId(): string;
  /** @throws 413 when a version is larger than the database allows */
  checkSize(version: Version): void;
  /** All or none. */
  insert(items: Item[]): Promise<void>;
  /** An item of a namespace, by `_id` or `_userItemId`. */
  find(id: string, namespace: string): Promise<Item | undefined>;
  /** What a projection leaves of an item. */
  findProjected(id: string, projection: Projection): Promise<Partial<Item> | undefined>;
  list(query: ListQuery, scope: Scope): Promise<Listing<Partial<ShownItem>>>;
  /**
   * False when the item is gone.
   * @param grants what the caller gets once the change is committed
   * @throws 409 when the item is in other namespaces than it was
   */
  update(
    item: DecidedItem,
    change: StoredItemChange,
    writing: Writing,
    precondition: Precondition,
    grants: PermissionEntry[],
  ): Promise<boolean>;
  /**
   * Deletes the item at once; its older versions and related items follow. False when it is gone.
   * @throws 409 as `update`
   */
  remove(item: DecidedItem, precondition: Precondition): Promise<boolean>;
}
