import { z } from 'zod';
import { MAX_NAMESPACES, Metadata, Namespace, permissionProfileIrn, ResourceId, Text } from '@dtplatform/contracts';
import type { Resource } from '@dtplatform/permissions';

/** A subject of permissions whose rights the runs of orchestrators can have (docs/contract.md, "Permission profiles"). */
export const PermissionProfile = z.object({
  _id: ResourceId,
  _name: Text.min(1).max(256),
  _description: Text.max(4096).optional(),
  _namespaces: z.array(Namespace).min(1).max(MAX_NAMESPACES),
  _metadata: Metadata,
  _revision: z.number().int().min(0),
});
export type PermissionProfile = z.infer<typeof PermissionProfile>;

/** What callers say of a new profile. */
export const NewPermissionProfile = PermissionProfile.pick({ _name: true, _description: true }).extend({
  _namespaces: PermissionProfile.shape._namespaces.transform((namespaces) => [...new Set(namespaces)]),
});
export type NewPermissionProfile = z.infer<typeof NewPermissionProfile>;

export const ShownPermissionProfile = PermissionProfile.omit({ _revision: true });
export const showPermissionProfile = ({
  _revision,
  ...shown
}: PermissionProfile): z.infer<typeof ShownPermissionProfile> => shown;

export const resourceOf = ({ _id, _namespaces }: PermissionProfile): Resource => ({
  _irn: permissionProfileIrn(_id),
  _namespaces,
});
