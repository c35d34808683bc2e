import type { Listing, Precondition } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import type { Access } from '@dtplatform/permissions';
import type { Item } from '../nameduseritems/item.js';
import { narrowed } from '../query/parse-query.js';
import type { ListQuery } from '../query/parse-query.js';
import type { NewVersion, Version } from './version.js';
import type { VersionStore } from './versions.store.js';

export interface VersionOf {
  itemId: string;
  versionId: string;
}

const noVersion = () => commonErrors.notFound({ message: 'The item has no such version.' });

export const createVersions = ({ versionStore }: { versionStore: VersionStore }) => ({
  /** Adds a version, which becomes the tip. @throws 412 unless the item meets the precondition */
  async add(item: Item, version: NewVersion, { principal }: Access, precondition: Precondition): Promise<Version> {
    const writing = { byId: principal.id, at: Date.now() };
    const added = await versionStore.add(item._id, version, writing, precondition);
    if (!added) throw commonErrors.notFound();
    return added;
  },

  /** Absent fields stay as they are. @throws 404, 412 unless the item meets the precondition */
  async update(
    { _id }: Item,
    versionId: string,
    change: NewVersion,
    { principal }: Access,
    precondition: Precondition,
  ): Promise<Version> {
    const writing = { byId: principal.id, at: Date.now() };
    const changed = await versionStore.update({ itemId: _id, versionId }, change, writing, precondition);
    if (!changed) throw noVersion();
    return changed;
  },

  /**
   * Removes a version. If it was the tip, the latest remaining version becomes the tip, and its number is reused.
   * @throws 404, 400 if it is the only version, 412 unless the item meets the precondition
   */
  async remove({ _id }: Item, versionId: string, { principal }: Access, precondition: Precondition): Promise<void> {
    const writing = { byId: principal.id, at: Date.now() };
    if (!(await versionStore.remove({ itemId: _id, versionId }, writing, precondition))) throw noVersion();
  },

  /** @param versionId only this version */
  list: (item: Item, query: ListQuery, versionId?: string): Promise<Listing<Partial<Version>>> =>
    versionStore.list(item, versionId === undefined ? query : narrowed(query, '_id', versionId)),

  /** The version defaults to the tip. @throws 404 */
  async get(item: Item, versionId: string = item._tipId): Promise<Version> {
    if (versionId === item._tipId) return item._tip;
    const version = await versionStore.findOlder(item._id, versionId);
    if (!version) throw noVersion();
    return version;
  },
});

export type Versions = ReturnType<typeof createVersions>;
