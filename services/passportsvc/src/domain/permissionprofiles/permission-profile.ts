import { z } from 'zod';
import { MAX_NAMESPACES, Metadata, Namespace, permissionProfileIrn, ResourceId, Text } from '@dtplatform/contracts';
import type { Resource } from '@dtplatform/permissions';

/** A subject of permissions whose rights the runs of orchestrators can have (docs/contract.md, "Permission profiles"). */
export const PermissionProfile = z.object({
  _id: ResourceId.describe('The id of the permission profile: 24 hexadecimal digits.'),
  _name: Text.min(1).max(256).describe('The name of the permission profile, for people; several may have the same.'),
  _description: Text.max(4096).optional().describe('What the permission profile is for.'),
  _namespaces: z
    .array(Namespace)
    .min(1)
    .max(MAX_NAMESPACES)
    .describe('The namespaces that the permission profile belongs to, in which permissions on it count.'),
  _metadata: Metadata,
  _revision: z.number().int().min(0),
});
export type PermissionProfile = z.infer<typeof PermissionProfile>;

/** What callers say of a new profile. */
export const NewPermissionProfile = PermissionProfile.pick({ _name: true, _description: true })
  .extend({
    _namespaces: PermissionProfile.shape._namespaces.transform((namespaces) => [...new Set(namespaces)]),
  })
  .meta({ id: 'NewPermissionProfile', description: 'A permission profile to create.' });
export type NewPermissionProfile = z.infer<typeof NewPermissionProfile>;

export const ShownPermissionProfile = PermissionProfile.omit({ _revision: true }).meta({
  id: 'PermissionProfile',
  description: 'A subject of permissions whose rights the runs of orchestrators can have. It cannot be changed.',
});
export const showPermissionProfile = ({
  _revision,
  ...shown
}: PermissionProfile): z.infer<typeof ShownPermissionProfile> => shown;

export const resourceOf = ({ _id, _namespaces }: PermissionProfile): Resource => ({
  _irn: permissionProfileIrn(_id),
  _namespaces,
});
