import {
  CloseResponse,
  CloseRequest,
  GrantsResponse,
  GrantsRequest,
  GroupMembers,
  NamespacesResponse,
  NamespacesRequest,
  RemovedProfile,
} from '@dtplatform/contracts';
import type { Grant } from '@dtplatform/contracts';
import { documents, noContent, ok, okPage, pagingOf, route, routes } from '@dtplatform/http';
import { PermissionPage, WrittenPermissions } from '@dtplatform/permissions';
import { errors } from '../errors.js';
import type { Audit } from './audit.js';
import {
  AppParams,
  AuditPage,
  AuditPermissionsQuery,
  CheckPermissionsBody,
  CheckPermissionsQuery,
  CheckPermissionsResponse,
  DeletePermissionQuery,
  EffectivePermissionsPage,
  EffectivePermissionsQuery,
  GroupParams,
  ListPermissionsQuery,
  PermissionHoldersQuery,
  PermissionParams,
  ProfileParams,
  PutGroupResponse,
  PutPermissionsBody,
  ShownPermissionsBody,
  UserParams,
} from './parameters.http.js';
import { showPermission } from './permission.js';
import type { Permissions } from './permissions.js';
import { showGrant } from './question.js';
import type { Questions } from './questions.js';

interface Parts {
  permissions: Permissions;
  questions: Questions;
  audit: Audit;
}

export const permissionRoutes = (parts: Parts) =>
  routes('/permissions', [
    route.put('/', {
      operation: 'permissions.put',
      summary: 'Grant permissions.',
      description:
        'Each entry is granted or rejected independently; the response is a 200 even if all are rejected. The caller must hold SHARE on ' +
        'the resources, and every action that it grants or revokes.',
      needs: documents({ rule: 'entries', action: 'SHARE', resource: '*:*' }),
      body: PutPermissionsBody,
      shownBody: ShownPermissionsBody,
      responses: { 200: WrittenPermissions },
      handler: async ({ body, access }) => {
        const { success, failures } = await parts.permissions.put(body, access);
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
      description: 'The list is empty for other users without SHARE on the resource.',
      needs: documents({ rule: 'filter', action: 'SHARE', resource: '*:*' }),
      query: ListPermissionsQuery,
      responses: { 200: PermissionPage },
      handler: async ({ query, access }) => {
        const user = { _type: query['_user._type'], _id: query['_user._id'] };
        const { _namespace: namespace, '_resourceDesc._irn': irn, patternmatch: patternMatch } = query;
        const listing = await parts.permissions.list({ namespace, irn, user, patternMatch }, pagingOf(query), access);
        return okPage(listing, pagingOf(query), showPermission);
      },
    }),
    route.delete('/:id', {
      operation: 'permissions.delete',
      summary: 'Revoke a permission immediately.',
      errors: [errors.mayNotRevoke, errors.lastOwner],
      needs: documents({ rule: 'resource', action: 'SHARE', resource: '*:*' }),
      params: PermissionParams,
      query: DeletePermissionQuery,
      responses: { 204: null },
      ifMatch: true,
      handler: async ({ params, query, precondition, access }) => {
        await parts.permissions.remove(params.id, precondition, access, query._service);
        return noContent();
      },
    }),
    ...questionRoutes(parts),
    ...serviceRoutes(parts),
  ]);

/** Checks of permissions, and the reasons for their results. */
const questionRoutes = (parts: Parts) => [
  route.post('/check', {
    operation: 'permissions.check',
    reads: true,
    summary: 'Check in up to 1000 cases whether a user may do something.',
    description:
      'Callers can check their own permissions, and those of others on resources on which they hold SHARE. Only permissions count: ' +
      'trusted clients may do everything, whatever the check returns.',
    errors: [errors.mayNotAsk],
    needs: documents({ rule: 'all', action: 'SHARE', resource: '*:*' }),
    query: CheckPermissionsQuery,
    body: CheckPermissionsBody,
    responses: { 200: CheckPermissionsResponse },
    handler: async ({ query, body, access }) => ok({ _list: await parts.questions.check(body, query.reasons, access) }),
  }),
  route.get('/effective', {
    operation: 'permissions.effective',
    summary: 'List what a user may do in a namespace, including the permissions of their groups.',
    description:
      'Callers can list their own permissions; listing those of others requires SHARE on everything in the namespace.',
    errors: [errors.mayNotAsk],
    needs: documents({ rule: 'all', action: 'SHARE', resource: '*:*' }),
    query: EffectivePermissionsQuery,
    responses: { 200: EffectivePermissionsPage },
    handler: async ({ query, access }) => {
      const subject = { _type: query['_user._type'], _id: query['_user._id'] };
      const paging = pagingOf(query);
      return okPage(await parts.questions.effective(subject, query._namespace, paging, access), paging, showGrant);
    },
  }),
  route.get('/holders', {
    operation: 'permissions.holders',
    summary:
      'List the holders of permissions on a resource: who has access, directly, through a group or by a pattern.',
    description: 'Lists permissions whatever their criteria, by resource. Requires SHARE on the resource.',
    errors: [errors.mayNotAsk],
    needs: documents({ rule: 'all', action: 'SHARE', resource: '*:*' }),
    query: PermissionHoldersQuery,
    responses: { 200: PermissionPage },
    handler: async ({ query, access }) => {
      const { _namespace: namespace, '_resourceDesc._irn': irn, scope } = query;
      const paging = pagingOf(query);
      return okPage(await parts.questions.holders({ namespace, irn, scope }, paging, access), paging, showPermission);
    },
  }),
  route.get('/audit', {
    operation: 'permissions.audit',
    summary: 'List who granted and revoked permissions in a namespace, newest first.',
    description: 'Requires SHARE on everything in the namespace. Entries expire after 365 days by default.',
    errors: [errors.mayNotAudit],
    needs: documents({ rule: 'all', action: 'SHARE', resource: '*:*' }),
    query: AuditPermissionsQuery,
    responses: { 200: AuditPage },
    handler: async ({ query, access }) => {
      const paging = pagingOf(query);
      const wanted = { namespace: query._namespace, userId: query['_user._id'] };
      return okPage(await parts.audit.list(wanted, paging, access), paging);
    },
  }),
];

/** For services of the platform. */
const serviceRoutes = (parts: Parts) => [
  route.post('/grants', {
    operation: 'permissions.grants',
    reads: true,
    summary: 'List all grants of a subject in a namespace. For services of the platform.',
    callers: ['trusted'],
    body: GrantsRequest,
    responses: { 200: GrantsResponse },
    handler: async ({ body }) => {
      const grants = await parts.permissions.grantsOf(body._user, body._namespace);
      const isLimited = ({ _criteria, _subresourceDesc }: Grant) => Boolean(_criteria ?? _subresourceDesc);
      return ok({ _list: grants.filter((grant) => !isLimited(grant)), _limited: grants.filter(isLimited) });
    },
  }),
  route.post('/namespaces', {
    operation: 'permissions.namespaces',
    reads: true,
    summary: 'List the namespaces in which a subject holds any permission. For services of the platform.',
    callers: ['trusted'],
    body: NamespacesRequest,
    responses: { 200: NamespacesResponse },
    handler: async ({ body }) => ok({ _list: await parts.permissions.namespacesOf(body._user) }),
  }),
  route.put('/usergroups/:id', {
    operation: 'permissions.putGroup',
    summary: 'Set the members of a group. For services of the platform.',
    callers: ['trusted'],
    params: GroupParams,
    body: GroupMembers,
    responses: { 200: PutGroupResponse },
    handler: async ({ params, body }) => {
      await parts.permissions.putGroup(params.id, body);
      return ok({ _revision: body._revision });
    },
  }),
  route.delete('/users/:id', {
    operation: 'permissions.removeUser',
    summary: 'Remove the permissions of a deleted user. For services of the platform.',
    callers: ['trusted'],
    params: UserParams,
    responses: { 204: null },
    handler: async ({ params }) => {
      await parts.permissions.removeUser(params.id);
      return noContent();
    },
  }),
  route.delete('/apps/:id', {
    operation: 'permissions.removeApp',
    summary: 'Remove the permissions of a deleted app. For services of the platform.',
    callers: ['trusted'],
    params: AppParams,
    responses: { 204: null },
    handler: async ({ params }) => {
      await parts.permissions.removeApp(params.id);
      return noContent();
    },
  }),
  route.delete('/permissionprofiles/:id', {
    operation: 'permissions.removeProfile',
    summary: 'Remove the permissions of and on a deleted permission profile. For services of the platform.',
    callers: ['trusted'],
    params: ProfileParams,
    body: RemovedProfile,
    responses: { 204: null },
    handler: async ({ params, body }) => {
      await parts.permissions.removeProfile(params.id, body._namespaces);
      return noContent();
    },
  }),
  closeRoute(parts),
];

const closeRoute = (parts: Parts) =>
  route.post('/close', {
    operation: 'permissions.close',
    summary: 'End all permissions in namespaces permanently. For services of the platform.',
    callers: ['trusted'],
    body: CloseRequest,
    responses: { 200: CloseResponse },
    handler: async ({ body }) => {
      await parts.permissions.close(body._namespaces);
      return ok(body);
    },
  });
