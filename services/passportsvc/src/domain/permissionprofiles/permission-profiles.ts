import { createdBy } from '@dtplatform/contracts';
import type { Action, Listing, Paging, Precondition } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import type { Access } from '@dtplatform/permissions';
import type { Deletions } from '../deletions/deletions.js';
import { resourceOf } from './permission-profile.js';
import type { NewPermissionProfile, PermissionProfile } from './permission-profile.js';
import type { PermissionProfileQuery, PermissionProfileStore } from './ports.js';

const TYPE = 'passportsvc:permissionprofile';

interface Deps {
  profileStore: PermissionProfileStore;
  deletions: Deletions;
  newId: () => string;
}

export type PermissionProfiles = ReturnType<typeof createPermissionProfiles>;

/** Permission profiles (docs/adr/0054-permission-profiles.md). */
export function createPermissionProfiles({ profileStore, deletions, newId }: Deps) {
  async function find(action: Action, id: string, access: Access): Promise<PermissionProfile> {
    const profile = await profileStore.find(id);
    await access.require(action, profile && resourceOf(profile));
    return profile!;
  }

  return {
    /** Creates all or none. The creator may do everything with them. @throws forbidden without CREATE in each namespace */
    async create(wanted: NewPermissionProfile[], access: Access): Promise<PermissionProfile[]> {
      const namespaces = [...new Set(wanted.flatMap(({ _namespaces }) => _namespaces))];
      await access.requireIn('CREATE', `${TYPE}:*`, namespaces);
      const created = wanted.map((profile) => newProfile(newId(), profile, access));
      await access.own(...created.map(resourceOf));
      await profileStore.insertAll(created);
      return created;
    },
    /** The profiles that the caller may read. */
    list: async (
      query: Omit<PermissionProfileQuery, 'visible'>,
      paging: Paging,
      access: Access,
    ): Promise<Listing<PermissionProfile>> =>
      profileStore.list({ ...query, visible: await access.scope('READ', TYPE) }, paging),
    /** @throws notFound when the profile does not exist or the caller may not see it */
    get: (id: string, access: Access): Promise<PermissionProfile> => find('READ', id, access),
    /**
     * Deletes a profile. Its tokens are refused and its permissions are gone when this resolves.
     * @throws notFound, forbidden, 412
     */
    async remove(id: string, access: Access, precondition: Precondition): Promise<void> {
      await find('DELETE', id, access);
      const deletion = await profileStore.remove(id, precondition);
      if (!deletion) throw commonErrors.notFound();
      await deletions.finish(deletion);
    },
  };
}

const newProfile = (_id: string, profile: NewPermissionProfile, { principal }: Access): PermissionProfile => ({
  _id,
  ...profile,
  _metadata: createdBy(principal),
  _revision: 0,
});
