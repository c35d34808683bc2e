import type { Listing, Precondition } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import type { Access } from '@dtplatform/permissions';
import type { Writing } from '../nameduseritems/item-metadata.js';
import type { Item } from '../nameduseritems/item.js';
import { narrowed } from '../query/parse-query.js';
import type { ListQuery, Projection } from '../query/parse-query.js';
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

/** Versions of named items. */
export interface Versions {
  /** Adds a version, which becomes the tip. @throws 412 unless the item meets the precondition */
  add(item: Item, version: NewVersion, access: Access, precondition: Precondition): Promise<Version>;
  /** Changes what is given of a version. @throws 404, 412 unless the item meets the precondition */
  update(
    item: Item,
    versionId: string,
    change: NewVersion,
    access: Access,
    precondition: Precondition,
  ): Promise<Version>;
  /**
   * Removes a version. If it is the tip, the latest of the others becomes the tip, and its number is used again.
   * @throws 404, 400 when it is the only version, 412 unless the item meets the precondition
   */
  remove(item: Item, versionId: string, access: Access, precondition: Precondition): Promise<void>;
  /** @param versionId this version alone */
  list(item: Item, query: ListQuery, versionId?: string): Promise<Listing<Partial<Version>>>;
  /** A version of an item; the tip by default. @throws 404 when the item has no such version */
  get(item: Item, versionId?: string): Promise<Version>;
}

const noVersion = () => commonErrors.notFound({ message: 'The item has no such version.' });

export const createVersions = ({ versionStore }: { versionStore: VersionStore }): Versions => ({
  async add(item, version, { principal }, precondition) {
    const writing = { byId: principal.id, at: Date.now() };
    const added = await versionStore.add(item._id, version, writing, precondition);
    if (!added) throw commonErrors.notFound();
    return added;
  },

  async update({ _id }, versionId, change, { principal }, precondition) {
    const writing = { byId: principal.id, at: Date.now() };
    const changed = await versionStore.update({ itemId: _id, versionId }, change, writing, precondition);
    if (!changed) throw noVersion();
    return changed;
  },

  async remove({ _id }, versionId, { principal }, precondition) {
    const writing = { byId: principal.id, at: Date.now() };
    if (!(await versionStore.remove({ itemId: _id, versionId }, writing, precondition))) throw noVersion();
  },

  list: (item, query, versionId) =>
    versionStore.list(item, versionId === undefined ? query : narrowed(query, '_id', versionId)),

  async get(item, versionId = item._tipId) {
    if (versionId === item._tipId) return item._tip;
    const version = await versionStore.findOlder(item._id, versionId);
    if (!version) throw noVersion();
    return version;
  },
});
