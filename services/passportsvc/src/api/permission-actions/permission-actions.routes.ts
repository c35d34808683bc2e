import { commonErrors } from '@dtplatform/errors';
import { documents, noContent, ok, okPage, pagingOf, route, routes } from '@dtplatform/http';
import type { Deps } from '../../deps.js';
import {
  PermissionActionKey,
  SentPermissionAction,
  ShownPermissionAction,
} from '../../domain/permission-actions/permission-action.js';
import { errors } from '../../errors.js';
import { ListPermissionActionsQuery, PermissionActionPage } from './permission-actions.schemas.js';

/** Which actions types of resources know (docs/contract.md, "Permission actions"). */
export const permissionActionRoutes = ({ permissionActions }: Deps) =>
  routes('/permission_actions', [
    route.get('/', {
      operation: 'permissionActions.list',
      summary: 'List the actions of the resources of a service, or of a resource.',
      needs: documents({ rule: 'anyone' }),
      query: ListPermissionActionsQuery,
      replies: { 200: PermissionActionPage },
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
      replies: { 200: ShownPermissionAction },
      handler: async ({ body }) => ok(await permissionActions.put(body)),
    }),
    route.delete('/', {
      operation: 'permissionActions.delete',
      summary: 'Remove the actions of a resource of a service. For trusted clients.',
      errors: [commonErrors.notFound],
      callers: ['trusted'],
      body: PermissionActionKey,
      replies: { 204: null },
      handler: async ({ body }) => {
        await permissionActions.remove(body);
        return noContent();
      },
    }),
  ]);
