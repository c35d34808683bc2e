import { GrantsReply, GrantsRequest, NamespacesReply, NamespacesRequest } from '@dtplatform/contracts';
import { noContent, ok, route, routes } from '@dtplatform/http';
import type { Deps } from '../../deps.js';
import { checkPermissions } from './check-permissions.handler.js';
import { listPermissions } from './list-permissions.handler.js';
import {
  CheckPermissionsBody,
  CheckPermissionsReply,
  ListPermissionsQuery,
  PermissionPage,
  PermissionParams,
  PutPermissionsBody,
  PutPermissionsReply,
} from './permissions.schemas.js';
import { putPermissions } from './put-permissions.handler.js';

export const permissionRoutes = (deps: Deps) =>
  routes('/permissions', [
    route.put('/', {
      operation: 'permissions.put',
      summary: 'Grant permissions.',
      body: PutPermissionsBody,
      replies: { 200: PutPermissionsReply },
      handler: putPermissions(deps),
    }),
    route.get('/', {
      operation: 'permissions.list',
      summary: 'List the permissions of a user on a resource.',
      query: ListPermissionsQuery,
      replies: { 200: PermissionPage },
      handler: listPermissions(deps),
    }),
    route.delete('/:id', {
      operation: 'permissions.delete',
      summary: 'Take a permission away, at once.',
      params: PermissionParams,
      replies: { 204: null },
      handler: async ({ params, access }) => {
        await deps.permissionAdmin.remove(params.id, access);
        return noContent();
      },
    }),
    route.post('/check', {
      operation: 'permissions.check',
      summary: 'Ask up to 1000 times whether a user may do something.',
      body: CheckPermissionsBody,
      replies: { 200: CheckPermissionsReply },
      handler: checkPermissions(deps),
    }),
    route.post('/grants', {
      operation: 'permissions.grants',
      summary: 'All that a subject may do in a namespace; for the services of the platform.',
      callers: ['trusted'],
      body: GrantsRequest,
      replies: { 200: GrantsReply },
      handler: async ({ body }) => ok({ _list: await deps.grants.grantsOf(body._user, body._namespace) }),
    }),
    route.post('/namespaces', {
      operation: 'permissions.namespaces',
      summary: 'The namespaces in which a subject holds anything; for the services of the platform.',
      callers: ['trusted'],
      body: NamespacesRequest,
      replies: { 200: NamespacesReply },
      handler: async ({ body }) => ok({ _list: await deps.grants.namespacesOf(body._user) }),
    }),
  ]);
