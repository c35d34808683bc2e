import { deleteIfMatch, listPage, modelOf, oneOf, scopeFilter } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import { newDeletion } from '../deletions/deletions.js';
import { deletionModel } from '../deletions/deletions.store.js';
import { PermissionProfile } from './permission-profiles.js';
import type { PermissionProfileStore } from './permission-profiles.js';

export const permissionProfileModel = modelOf('permissionprofiles', PermissionProfile, {
  indexes: [{ key: { _namespaces: 1, _id: 1 }, name: 'namespaces' }],
});

export function createPermissionProfileStore(mongo: Mongo): PermissionProfileStore {
  const profiles = mongo.model(permissionProfileModel);
  const deletions = mongo.model(deletionModel);

  return {
    find: async (id) => (await profiles.findById(id).lean()) ?? undefined,
    list: ({ visible, names }, paging) => {
      const seen = visible === 'everything' ? {} : scopeFilter(visible);
      return listPage(profiles, { ...seen, ...(names && { _name: oneOf(names) }) }, { paging });
    },
    async insertAll(added) {
      if (added.length === 0) return;
      await mongo.transaction((session) => profiles.insertMany(added, { session }));
    },
    remove: (id, precondition) =>
      mongo.transaction(async (session) => {
        const removed = await deleteIfMatch(profiles, id, { precondition, session });
        if (!removed) return undefined;
        const deletion = newDeletion('profile', removed);
        await deletions.insertMany([deletion], { session });
        return deletion;
      }),
  };
}
