import { z } from 'zod';
import { ResourceId } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import {
  created,
  documents,
  noContent,
  ok,
  okPage,
  pageOf,
  pagingOf,
  pagingParameters,
  revision,
  route,
  routes,
  wholePage,
} from '@dtplatform/http';
import { errors } from '../../errors.js';
import { createBody, ListWorkspacesQuery, workspaceQueryOf } from '../../requests/attributes.http.js';
import { Account, showAccount } from '../../scim/users/accounts.js';
import type { Members } from './members.js';
import { ShownUserGroup, showUserGroup, UserGroup, UserGroupChange } from './usergroup.js';
import type { GroupForCaller } from './usergroup.js';
import type { UserGroups } from './usergroups.js';

const CreateUserGroupsBody = createBody('NewUserGroup', 'A user group');
export const UserGroupParams = z.object({ id: UserGroup.shape._id });
const UserGroupPage = pageOf(ShownUserGroup).meta({
  id: 'UserGroupPage',
  description: 'A page of user groups.',
});

const MAX_IDS = 1000;

const UserId = ResourceId.describe('The id of the user: 24 hexadecimal digits.');

/** Distinct user ids. Also accepts objects with an `_id`. */
const MembersBody = z
  .array(z.union([UserId, z.object({ _id: UserId }).transform(({ _id }) => _id)]))
  .min(1)
  .max(MAX_IDS)
  .transform((ids) => [...new Set(ids)])
  .meta({ id: 'MemberIds', description: 'The users to add or remove: ids, or objects with ids.' });
const ListMembersQuery = z.object(pagingParameters());
const MemberPage = pageOf(Account).meta({ id: 'MemberPage', description: 'A page of members of a user group.' });

export const usergroupRoutes = ({ userGroups }: { userGroups: UserGroups }) =>
  routes('/usergroups', [
    route.get('/', {
      operation: 'usergroups.list',
      summary: 'List the user groups that the caller may read. Members can read their groups.',
      description:
        'Parameters `_userAttributes.<path>` filter by attribute, such as `_userAttributes.site.city=Berlin`; numbers and booleans match as text.',
      errors: [errors.queryTooSlow],
      needs: documents({ rule: 'filter', action: 'READ', resource: 'passportsvc:usergroup' }),
      query: ListWorkspacesQuery,
      responses: { 200: UserGroupPage },
      handler: async ({ query, access }) => {
        const paging = pagingOf(query);
        return okPage(await userGroups.list(workspaceQueryOf(query), paging, access), paging, showUserGroup);
      },
    }),
    route.post('/', {
      operation: 'usergroups.create',
      summary: 'Create user groups, all or none, each with a new namespace and the caller as a member.',
      errors: [errors.usergroupsLimit, commonErrors.forbidden],
      needs: documents({ rule: 'anyone' }),
      body: CreateUserGroupsBody,
      responses: { 201: UserGroupPage },
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
      responses: { 200: ShownUserGroup },
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
      responses: { 200: ShownUserGroup },
      ifMatch: true,
      handler: async ({ params, body, access, precondition }) =>
        ok(await userGroups.update(params.id, body, access, precondition)),
    }),
    route.delete('/:id', {
      operation: 'usergroups.delete',
      summary: 'Delete a user group. Its members lose its permissions immediately.',
      needs: documents({ rule: 'resource', action: 'DELETE', resource: 'passportsvc:usergroup' }),
      params: UserGroupParams,
      responses: { 204: null },
      ifMatch: true,
      handler: async ({ params, access, precondition }) => {
        await userGroups.remove(params.id, access, precondition);
        return noContent();
      },
    }),
  ]);

export const memberRoutes = ({ members }: { members: Members }) =>
  routes('/usergroups', [
    route.get('/:id/users', {
      operation: 'usergroups.listMembers',
      summary: 'List the members of a user group.',
      needs: documents({ rule: 'resource', action: 'READ', resource: 'passportsvc:usergroup' }),
      params: UserGroupParams,
      query: ListMembersQuery,
      responses: { 200: MemberPage },
      handler: async ({ params, query, access }) => {
        const paging = pagingOf(query);
        return okPage(await members.list(params.id, paging, access), paging, showAccount);
      },
    }),
    route.put('/:id/users', {
      operation: 'usergroups.addMembers',
      summary: "Add users of the group's organization as members, all or none.",
      description: 'They get the permissions of the group immediately. Others join by invite.',
      errors: [errors.unknownMember, errors.membersLimit, errors.groupsOfUserLimit],
      needs: documents({ rule: 'resource', action: 'EDIT', resource: 'passportsvc:usergroup' }),
      params: UserGroupParams,
      body: MembersBody,
      responses: { 200: MemberPage },
      ifMatch: true,
      handler: async ({ params, body, access, precondition }) =>
        ok(wholePage((await members.add(params.id, body, access, precondition)).map(showAccount))),
    }),
    route.delete('/:id/users', {
      operation: 'usergroups.removeMembers',
      summary: 'Remove users from a group. They lose its permissions immediately.',
      description: 'Anyone can leave a group. Users who are not members are ignored.',
      needs: documents({ rule: 'resource', action: 'EDIT', resource: 'passportsvc:usergroup' }),
      params: UserGroupParams,
      body: MembersBody,
      responses: { 204: null },
      ifMatch: true,
      handler: async ({ params, body, access, precondition }) => {
        await members.remove(params.id, body, access, precondition);
        return noContent();
      },
    }),
  ]);
