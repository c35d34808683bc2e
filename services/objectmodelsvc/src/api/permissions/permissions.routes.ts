import {
  CloseReply,
  CloseRequest,
  GrantsReply,
  GrantsRequest,
  GroupMembers,
  NamespacesReply,
  NamespacesRequest,
} from '@dtplatform/contracts';
import { noContent, ok, okPage, pagingOf, route, routes } from '@dtplatform/http';
import type { Deps } from '../../deps.js';
import { showPermission } from '../../domain/permissions/permission.js';
import {
  CheckPermissionsBody,
  CheckPermissionsReply,
  GroupParams,
  ListPermissionsQuery,
  PermissionPage,
  PermissionParams,
  PutGroupReply,
  PutPermissionsBody,
  PutPermissionsReply,
} from './permissions.schemas.js';

export const permissionRoutes = (deps: Deps) =>
  routes('/permissions', [
    route.put('/', {
      operation: 'permissions.put',
      summary: 'Grant permissions.',
      body: PutPermissionsBody,
      replies: { 200: PutPermissionsReply },
      handler: async ({ body, access }) => {
        const { success, failures } = await deps.permissions.put(body, access);
        const written = success.map(({ isNew, ...permission }) => ({
          ...showPermission(permission),
          _status: isNew ? 201 : 200,
        }));
        return ok({ _offset: 0, _list: { _success: written, _failures: failures } });
      },
    }),
    route.get('/', {
      operation: 'permissions.list',
      summary: 'List the permissions of a user on a resource.',
      query: ListPermissionsQuery,
      replies: { 200: PermissionPage },
      handler: async ({ query, access }) => {
        const user = { _type: query['_user._type'], _id: query['_user._id'] };
        const { _namespace: namespace, '_resourceDesc._irn': irn, patternmatch: patternMatch } = query;
        const listing = await deps.permissions.list({ namespace, irn, user, patternMatch }, pagingOf(query), access);
        return okPage(listing, pagingOf(query), showPermission);
      },
    }),
    route.delete('/:id', {
      operation: 'permissions.delete',
      summary: 'Revoke a permission immediately.',
      params: PermissionParams,
      replies: { 204: null },
      handler: async ({ params, precondition, access }) => {
        await deps.permissions.remove(params.id, precondition, access);
        return noContent();
      },
    }),
    route.post('/check', {
      operation: 'permissions.check',
      summary: 'Check up to 1000 times whether a user may do something.',
      body: CheckPermissionsBody,
      replies: { 200: CheckPermissionsReply },
      handler: async ({ body, access }) => {
        const answers = await deps.permissions.check(body, access);
        return ok({ _list: body.map((question, index) => ({ ...question, _allowed: answers[index]! })) });
      },
    }),
    ...serviceRoutes(deps),
  ]);

/** For services of the platform. */
const serviceRoutes = (deps: Deps) => [
  route.post('/grants', {
    operation: 'permissions.grants',
    summary: 'List all grants of a subject in a namespace. For services of the platform.',
    callers: ['trusted'],
    body: GrantsRequest,
    replies: { 200: GrantsReply },
    handler: async ({ body }) => ok({ _list: await deps.permissions.grantsOf(body._user, body._namespace) }),
  }),
  route.post('/namespaces', {
    operation: 'permissions.namespaces',
    summary: 'List the namespaces in which a subject holds any permission. For services of the platform.',
    callers: ['trusted'],
    body: NamespacesRequest,
    replies: { 200: NamespacesReply },
    handler: async ({ body }) => ok({ _list: await deps.permissions.namespacesOf(body._user) }),
  }),
  route.put('/usergroups/:id', {
    operation: 'permissions.putGroup',
    summary: 'Say who the members of a group are, for whom its permissions count. For services of the platform.',
    callers: ['trusted'],
    params: GroupParams,
    body: GroupMembers,
    replies: { 200: PutGroupReply },
    handler: async ({ params, body }) => {
      await deps.permissions.putGroup(params.id, body);
      return ok({ _revision: body._revision });
    },
  }),
  route.post('/close', {
    operation: 'permissions.close',
    summary: 'End all permissions in namespaces for good. For services of the platform.',
    callers: ['trusted'],
    body: CloseRequest,
    replies: { 200: CloseReply },
    handler: async ({ body }) => {
      await deps.permissions.close(body._namespaces);
      return ok(body);
    },
  }),
];
