import { commonErrors } from '@dtplatform/errors';
import type { Access } from '@dtplatform/permissions';
import type { Listing, Precondition } from '@dtplatform/resource';
import type { ListQuery } from '../list-query.js';
import type { Item } from '../nameduseritems/item.js';
import type { VersionStore } from './ports.js';
import type { NewVersion, Version } from './version.js';

/** Versions of named items. */
export interface Versions {
  /** Adds a version, which becomes the tip. @throws 412 unless the item meets the precondition */
  add(item: Item, version: NewVersion, access: Access, precondition: Precondition): Promise<Version>;
  list(item: Item, query: ListQuery): Promise<Listing<Partial<Version>>>;
  /** A version of an item; the tip by default. @throws 404 when the item has no such version */
  get(item: Item, versionId?: string): Promise<Version>;
}

export const createVersions = ({ versionStore }: { versionStore: VersionStore }): Versions => ({
  async add(item, version, { principal }, precondition) {
    const writing = { byId: principal.id, at: Date.now() };
    const added = await versionStore.add(item._id, version, writing, precondition);
    if (!added) throw commonErrors.notFound();
    return added;
  },

  list: (item, query) => versionStore.list(item, query),

  async get(item, versionId = item._tipId) {
    if (versionId === item._tipId) return item._tip;
    const version = await versionStore.findOlder(item._id, versionId);
    if (!version) throw commonErrors.notFound();
    return version;
  },
});
