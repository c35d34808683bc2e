import { commonErrors } from '@dtplatform/errors';
import {
  created,
  documents,
  noContent,
  ok,
  okPage,
  pagingOf,
  revision,
  route,
  routes,
  wholePage,
} from '@dtplatform/http';
import type { Deps } from '../../deps.js';
import { ShownUserGroup, showUserGroup, UserGroupChange } from '../../domain/usergroups/usergroup.js';
import type { GroupForCaller } from '../../domain/usergroups/usergroup.js';
import { errors } from '../../errors.js';
import {
  CreateUserGroupsBody,
  ListUserGroupsQuery,
  UserGroupPage,
  UserGroupParams,
  usergroupQueryOf,
} from './usergroups.schemas.js';

/** User groups (docs/contract.md, "User groups"). */
export const usergroupRoutes = ({ userGroups }: Deps) =>
  routes('/usergroups', [
    route.get('/', {
      operation: 'usergroups.list',
      summary: 'List the user groups that the caller may read; members may read their group.',
      description:
        'Parameters `_userAttributes.<path>` select by attributes, such as `_userAttributes.site.city=Berlin`; numbers and booleans match their text.',
      errors: [errors.queryTooSlow],
      needs: documents({ rule: 'filter', action: 'READ', resource: 'passportsvc:usergroup' }),
      query: ListUserGroupsQuery,
      replies: { 200: UserGroupPage },
      handler: async ({ query, access }) => {
        const paging = pagingOf(query);
        return okPage(await userGroups.list(usergroupQueryOf(query), paging, access), paging, showUserGroup);
      },
    }),
    route.post('/', {
      operation: 'usergroups.create',
      summary: 'Create user groups, all or none, each with a namespace of its own and its creator as a member.',
      errors: [errors.usergroupsLimit, commonErrors.forbidden],
      needs: documents({ rule: 'anyone' }),
      body: CreateUserGroupsBody,
      replies: { 201: UserGroupPage },
      show: (groups: GroupForCaller[]) => wholePage(groups.map(showUserGroup)),
      again: async (id, { access }) => showUserGroup(await userGroups.get(id, access)),
      handler: async ({ body, access }) => created(await userGroups.create(body, access)),
    }),
    route.get('/:id', {
      operation: 'usergroups.get',
      summary: 'Read a user group.',
      needs: documents({ rule: 'resource', action: 'READ', resource: 'passportsvc:usergroup' }),
      params: UserGroupParams,
      etag: revision,
      show: showUserGroup,
      replies: { 200: ShownUserGroup },
      handler: async ({ params, access }) => ok(await userGroups.get(params.id, access)),
    }),
    route.put('/:id', {
      operation: 'usergroups.update',
      summary: 'Change the given fields of a user group.',
      errors: [errors.namespaceNotInGroup],
      needs: documents({ rule: 'resource', action: 'EDIT', resource: 'passportsvc:usergroup' }),
      params: UserGroupParams,
      body: UserGroupChange,
      etag: revision,
      show: showUserGroup,
      replies: { 200: ShownUserGroup },
      ifMatch: true,
      handler: async ({ params, body, access, precondition }) =>
        ok(await userGroups.update(params.id, body, access, precondition)),
    }),
    route.delete('/:id', {
      operation: 'usergroups.delete',
      summary: 'Delete a user group; what its members held through it is refused at once.',
      needs: documents({ rule: 'resource', action: 'DELETE', resource: 'passportsvc:usergroup' }),
      params: UserGroupParams,
      replies: { 204: null },
      ifMatch: true,
      handler: async ({ params, access, precondition }) => {
        await userGroups.remove(params.id, access, precondition);
        return noContent();
      },
    }),
  ]);
