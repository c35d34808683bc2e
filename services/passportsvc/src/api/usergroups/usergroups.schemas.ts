import { z } from 'zod';
import { ResourceId } from '@dtplatform/contracts';
import { pageOf, pagingParameters } from '@dtplatform/http';
import { ShownUserGroup, UserGroup } from '../../domain/usergroups/usergroup.js';
import { Account } from '../../domain/users/account.js';
import { createBody } from '../workspaces/workspaces.schemas.js';

export {
  ListWorkspacesQuery as ListUserGroupsQuery,
  workspaceQueryOf as usergroupQueryOf,
} from '../workspaces/workspaces.schemas.js';

export const CreateUserGroupsBody = createBody('NewUserGroup', 'A user group');
export const UserGroupParams = z.object({ id: UserGroup.shape._id });
export const UserGroupPage = pageOf(ShownUserGroup).meta({
  id: 'UserGroupPage',
  description: 'A page of user groups.',
});

const MAX_IDS = 1000;

const UserId = ResourceId.describe('The id of the user: 24 hexadecimal digits.');

/** Ids of users, without repetitions. Objects with an `_id` are accepted as well. */
export const MembersBody = z
  .array(z.union([UserId, z.object({ _id: UserId }).transform(({ _id }) => _id)]))
  .min(1)
  .max(MAX_IDS)
  .transform((ids) => [...new Set(ids)])
  .meta({ id: 'MemberIds', description: 'The users to add or remove: their ids, or objects with these.' });
export const ListMembersQuery = z.object(pagingParameters());
export const MemberPage = pageOf(Account).meta({ id: 'MemberPage', description: 'A page of members of a user group.' });
