import { z } from 'zod';
import {
  createdBy,
  MAX_NAMESPACES,
  Metadata,
  Namespace,
  permissionProfileIrn,
  ResourceId,
  Text,
} from '@dtplatform/contracts';
import type { Action, Listing, Paging, Precondition } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import type { Access, Resource, Scope } from '@dtplatform/permissions';
import type { Deletions } from '../deletions/deletions.js';
import type { PermissionProfileStore } from './permission-profiles.store.js';

/** A subject whose permissions runs of orchestrators can have (docs/contract.md, "Permission profiles"). */
export const PermissionProfile = z.object({
  _id: ResourceId.describe('The id of the permission profile: 24 hexadecimal digits.'),
  _name: Text.min(1).max(256).describe('The display name of the permission profile, not necessarily unique.'),
  _description: Text.max(4096).optional().describe('A description of the permission profile.'),
  _namespaces: z
    .array(Namespace)
    .min(1)
    .max(MAX_NAMESPACES)
    .describe('The namespaces that the permission profile belongs to, in which permissions on it apply.'),
  _metadata: Metadata,
  _revision: z.number().int().min(0),
});
export type PermissionProfile = z.infer<typeof PermissionProfile>;

export const NewPermissionProfile = PermissionProfile.pick({ _name: true, _description: true })
  .extend({
    _namespaces: PermissionProfile.shape._namespaces.transform((namespaces) => [...new Set(namespaces)]),
  })
  .meta({ id: 'NewPermissionProfile', description: 'A permission profile to create.' });
export type NewPermissionProfile = z.infer<typeof NewPermissionProfile>;

export const ShownPermissionProfile = PermissionProfile.omit({ _revision: true }).meta({
  id: 'PermissionProfile',
  description: 'A subject whose permissions runs of orchestrators can use. It cannot be changed.',
});
export const showPermissionProfile = ({
  _revision,
  ...shown
}: PermissionProfile): z.infer<typeof ShownPermissionProfile> => shown;

const resourceOf = ({ _id, _namespaces }: PermissionProfile): Resource => ({
  _irn: permissionProfileIrn(_id),
  _namespaces,
});

export interface PermissionProfileQuery {
  visible: Scope;
  names?: string[];
}

const TYPE = 'passportsvc:permissionprofile';

interface Deps {
  profileStore: PermissionProfileStore;
  deletions: Deletions;
  newId: () => string;
}

export type PermissionProfiles = ReturnType<typeof createPermissionProfiles>;

export function createPermissionProfiles({ profileStore, deletions, newId }: Deps) {
  async function find(action: Action, id: string, access: Access): Promise<PermissionProfile> {
    const profile = await profileStore.find(id);
    await access.require(action, profile && resourceOf(profile));
    return profile!;
  }

  return {
    /** All or nothing. Grants everything on them to the creator. @throws forbidden without CREATE in each namespace */
    async create(wanted: NewPermissionProfile[], access: Access): Promise<PermissionProfile[]> {
      const namespaces = [...new Set(wanted.flatMap(({ _namespaces }) => _namespaces))];
      await access.requireIn('CREATE', `${TYPE}:*`, namespaces);
      const created = wanted.map((profile) => newProfile(newId(), profile, access));
      await access.own(...created.map(resourceOf));
      await profileStore.insertAll(created);
      return created;
    },
    list: async (
      query: Omit<PermissionProfileQuery, 'visible'>,
      paging: Paging,
      access: Access,
    ): Promise<Listing<PermissionProfile>> =>
      profileStore.list({ ...query, visible: await access.scope('READ', TYPE) }, paging),
    /** @throws notFound when the profile does not exist or is hidden from the caller */
    get: (id: string, access: Access): Promise<PermissionProfile> => find('READ', id, access),
    /**
     * Deletes a profile. Once the promise resolves, its tokens are rejected and its permissions are gone.
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
