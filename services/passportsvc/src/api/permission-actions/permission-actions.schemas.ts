import { z } from 'zod';
import { pageOf, pagingParameters } from '@dtplatform/http';
import { PermissionActionKey, ShownPermissionAction } from '../../domain/permission-actions/permission-action.js';

export const ListPermissionActionsQuery = z
  .object({ ...pagingParameters({ defaultSize: 10 }), ...PermissionActionKey.partial().shape })
  .refine(({ _svc, _resource }) => _svc !== undefined || _resource !== undefined, {
    path: ['_svc'],
    message: '_svc or _resource is required',
  });
export const PermissionActionPage = pageOf(ShownPermissionAction);
