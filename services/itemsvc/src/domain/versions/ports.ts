import type { Listing, Precondition } from '@dtplatform/contracts';
import type { Writing } from '../item-metadata.js';
import type { ListQuery } from '../list-query.js';
import type { Item } from '../nameduseritems/item.js';
import type { Projection } from '../query/projection.js';
import type { NewVersion, Version, VersionChoice } from './version.js';

/** Names a version of an item. */
export interface VersionOf {
  itemId: string;
  versionId: string;
}

/** Where the versions of items are stored: the tip in its item, the older ones in a collection of their own. */
export interface VersionStore {
  /** Adds a version, which becomes the tip; undefined when the item is gone. @throws 412 unless the precondition is met */
  add(itemId: string, version: NewVersion, writing: Writing, precondition: Precondition): Promise<Version | undefined>;
  /** Changes what is given of a version; undefined when it is gone. @throws 412 as `add` */
  update(of: VersionOf, change: NewVersion, writing: Writing, precondition: Precondition): Promise<Version | undefined>;
  /**
   * Removes a version at once; its related items follow. If it is the tip, the latest of the others becomes the tip. False
   * when it is gone.
   * @throws 400 when it is the only one, 412 as `add`
   */
  remove(of: VersionOf, writing: Writing, precondition: Precondition): Promise<boolean>;
  list(item: Item, query: ListQuery): Promise<Listing<Partial<Version>>>;
  /** The chosen versions of an item, newest first; undefined when a projection of the item leaves no versions. */
  choose(itemId: string, choice: VersionChoice, projection?: Projection): Promise<Partial<Version>[] | undefined>;
  /** A version that is not the tip. */
  findOlder(itemId: string, versionId: string): Promise<Version | undefined>;
}
