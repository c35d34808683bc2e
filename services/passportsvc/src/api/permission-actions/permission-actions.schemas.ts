import { z } from 'zod';
import { pageOf, pagingParameters } from '@dtplatform/http';
import { PermissionActionKey, ShownPermissionAction } from '../../domain/permission-actions/permission-action.js';

const { _svc, _resource } = PermissionActionKey.shape;

export const ListPermissionActionsQuery = z
  .object({
    ...pagingParameters({ defaultSize: 10 }),
    _svc: _svc.optional().describe('Only actions of this service. Without it, `_resource` is required.'),
    _resource: _resource.optional().describe('Only actions of this type of resources. Without it, `_svc` is required.'),
  })
  .refine((key) => key._svc !== undefined || key._resource !== undefined, {
    path: ['_svc'],
    message: '_svc or _resource is required',
  });
export const PermissionActionPage = pageOf(ShownPermissionAction).meta({
  id: 'PermissionActionPage',
  description: 'A page of the actions that resources know.',
});
