import { z } from 'zod';
import { commonErrors } from '@dtplatform/errors';
import { documents, noContent, ok, okPage, pageOf, pagingOf, pagingParameters, route, routes } from '@dtplatform/http';
import { errors } from '../../errors.js';
import { PermissionActionKey, SentPermissionAction, ShownPermissionAction } from './permission-actions.js';
import type { PermissionActions } from './permission-actions.js';

const { _svc, _resource } = PermissionActionKey.shape;

const ListPermissionActionsQuery = z
  .object({
    ...pagingParameters({ defaultSize: 10 }),
    _svc: _svc.optional().describe('Only actions of this service. Without it, `_resource` is required.'),
    _resource: _resource.optional().describe('Only actions of this type of resources. Without it, `_svc` is required.'),
  })
  .refine((key) => key._svc !== undefined || key._resource !== undefined, {
    path: ['_svc'],
    message: '_svc or _resource is required',
  });
const PermissionActionPage = pageOf(ShownPermissionAction).meta({
  id: 'PermissionActionPage',
  description: 'A page of the actions on resources.',
});

export const permissionActionRoutes = ({ permissionActions }: { permissionActions: PermissionActions }) =>
  routes('/permission_actions', [
    route.get('/', {
      operation: 'permissionActions.list',
      summary: 'List the actions of the resources of a service, or of a resource.',
      needs: documents({ rule: 'anyone' }),
      query: ListPermissionActionsQuery,
      responses: { 200: PermissionActionPage },
      handler: async ({ query: { _offset, _pageSize, ...key } }) => {
        const paging = pagingOf({ _offset, _pageSize });
        return okPage(await permissionActions.list(key, paging), paging);
      },
    }),
    route.put('/', {
      operation: 'permissionActions.put',
      summary: 'Set the actions of a resource of a service. For trusted clients.',
      errors: [errors.permissionActionsLimit],
      callers: ['trusted'],
      body: SentPermissionAction,
      responses: { 200: ShownPermissionAction },
      handler: async ({ body }) => ok(await permissionActions.put(body)),
    }),
    route.delete('/', {
      operation: 'permissionActions.delete',
      summary: 'Remove the actions of a resource of a service. For trusted clients.',
      errors: [commonErrors.notFound],
      callers: ['trusted'],
      body: PermissionActionKey,
      responses: { 204: null },
      handler: async ({ body }) => {
        await permissionActions.remove(body);
        return noContent();
      },
    }),
  ]);
