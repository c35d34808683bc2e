import { z } from 'zod';
import { ResourceId } from '@dtplatform/contracts';
import { pageOf, pagingParameters } from '@dtplatform/http';
import { ShownUserGroup, UserGroup } from '../../domain/usergroups/usergroup.js';
import { Account } from '../../domain/users/account.js';

export {
  CreateWorkspacesBody as CreateUserGroupsBody,
  ListWorkspacesQuery as ListUserGroupsQuery,
  workspaceQueryOf as usergroupQueryOf,
} from '../workspaces/workspaces.schemas.js';

export const UserGroupParams = z.object({ id: UserGroup.shape._id });
export const UserGroupPage = pageOf(ShownUserGroup);

const MAX_IDS = 1000;

/** Ids of users, without repetitions. Objects with an `_id` are accepted as well. */
export const MembersBody = z
  .array(z.union([ResourceId, z.object({ _id: ResourceId }).transform(({ _id }) => _id)]))
  .min(1)
  .max(MAX_IDS)
  .transform((ids) => [...new Set(ids)]);
export const ListMembersQuery = z.object(pagingParameters());
export const MemberPage = pageOf(Account);
