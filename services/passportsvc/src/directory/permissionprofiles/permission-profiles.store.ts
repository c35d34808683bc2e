import type { Listing, Paging, Precondition } from '@dtplatform/contracts';
import { deleteIfMatch, listPage, modelOf, oneOf, scopeFilter } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import { newDeletion } from '../deletions/deletions.js';
import type { Deletion } from '../deletions/deletions.js';
import { deletionModel } from '../deletions/deletions.store.js';
import { PermissionProfile } from './permission-profiles.js';
import type { PermissionProfileQuery } from './permission-profiles.js';

export const permissionProfileModel = modelOf('permissionprofiles', PermissionProfile, {
  indexes: [{ key: { _namespaces: 1, _id: 1 }, name: 'namespaces' }],
});

export function createPermissionProfileStore(mongo: Mongo) {
  const profiles = mongo.model(permissionProfileModel);
  const deletions = mongo.model(deletionModel);

  return {
    find: async (id: string): Promise<PermissionProfile | undefined> =>
      (await profiles.findById(id).lean()) ?? undefined,
    list: ({ visible, names }: PermissionProfileQuery, paging: Paging): Promise<Listing<PermissionProfile>> => {
      const seen = visible === 'everything' ? {} : scopeFilter(visible);
      return listPage(profiles, { ...seen, ...(names && { _name: oneOf(names) }) }, { paging });
    },
    /** All or nothing. */
    async insertAll(added: PermissionProfile[]): Promise<void> {
      if (added.length === 0) return;
      await mongo.transaction((session) => profiles.insertMany(added, { session }));
    },
    /**
     * Deletes a profile and records the cleanup. @returns the cleanup; undefined when it no longer exists. @throws 412
     */
    remove: (id: string, precondition: Precondition): Promise<Deletion | undefined> =>
      mongo.transaction(async (session) => {
        const removed = await deleteIfMatch(profiles, id, { precondition, session });
        if (!removed) return undefined;
        const deletion = newDeletion('profile', removed);
        await deletions.insertMany([deletion], { session });
        return deletion;
      }),
  };
}

export type PermissionProfileStore = ReturnType<typeof createPermissionProfileStore>;
