import { z } from 'zod';
import { fewNamespaces } from '@dtplatform/contracts';
import { pageOf, pagingParameters } from '@dtplatform/http';
import {
  NewPermissionProfile,
  PermissionProfile,
  ShownPermissionProfile,
} from '../../domain/permissionprofiles/permission-profile.js';
import { oneOf } from '../list-parameters.js';

const MAX_PROFILES = 100;

export const CreatePermissionProfilesBody = z
  .array(NewPermissionProfile)
  .max(MAX_PROFILES)
  .refine(...fewNamespaces(({ _namespaces }: NewPermissionProfile) => _namespaces));

export const ListPermissionProfilesQuery = z.object({ ...pagingParameters(), _name: oneOf('name') });

export const PermissionProfileParams = z.object({ id: PermissionProfile.shape._id });
export const PermissionProfilePage = pageOf(ShownPermissionProfile).meta({
  id: 'PermissionProfilePage',
  description: 'A page of permission profiles.',
});
