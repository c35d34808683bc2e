import { documents, noContent, ok, okPage, pagingOf, route, routes, wholePage } from '@dtplatform/http';
import type { Deps } from '../../deps.js';
import { showAccount } from '../../domain/users/account.js';
import { errors } from '../../errors.js';
import { ListMembersQuery, MemberPage, MembersBody, UserGroupParams } from './usergroups.schemas.js';

/** Members of user groups (docs/contract.md, "User groups"). */
export const memberRoutes = ({ members }: Deps) =>
  routes('/usergroups', [
    route.get('/:id/users', {
      operation: 'usergroups.listMembers',
      summary: 'List the members of a user group.',
      needs: documents({ rule: 'resource', action: 'READ', resource: 'passportsvc:usergroup' }),
      params: UserGroupParams,
      query: ListMembersQuery,
      replies: { 200: MemberPage },
      handler: async ({ params, query, access }) => {
        const paging = pagingOf(query);
        return okPage(await members.list(params.id, paging, access), paging, showAccount);
      },
    }),
    route.put('/:id/users', {
      operation: 'usergroups.addMembers',
      summary: "Make users of the group's organization members, all or none.",
      description: 'What the group holds counts for them at once. All others join by an invite.',
      errors: [errors.unknownMember, errors.membersLimit, errors.groupsOfUserLimit],
      needs: documents({ rule: 'resource', action: 'EDIT', resource: 'passportsvc:usergroup' }),
      params: UserGroupParams,
      body: MembersBody,
      replies: { 200: MemberPage },
      ifMatch: true,
      handler: async ({ params, body, access, precondition }) =>
        ok(wholePage((await members.add(params.id, body, access, precondition)).map(showAccount))),
    }),
    route.delete('/:id/users', {
      operation: 'usergroups.removeMembers',
      summary: 'Take users out of a group; what they held through it is refused at once.',
      description: 'Anybody may leave a group. Users who are not members are ignored.',
      needs: documents({ rule: 'resource', action: 'EDIT', resource: 'passportsvc:usergroup' }),
      params: UserGroupParams,
      body: MembersBody,
      replies: { 204: null },
      ifMatch: true,
      handler: async ({ params, body, access, precondition }) => {
        await members.remove(params.id, body, access, precondition);
        return noContent();
      },
    }),
  ]);
