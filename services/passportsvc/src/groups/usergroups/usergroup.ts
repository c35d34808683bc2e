import { z } from 'zod';
import { ResourceId } from '@dtplatform/contracts';
import { Organization } from '../../directory/organizations/organizations.js';
import { Workspace, WorkspaceChange } from '../../directory/workspaces/workspace.js';

/** A group of users, with the fields of a workspace (docs/contract.md, "User groups"). Names need not be unique. */
export const UserGroup = Workspace.extend({
  _id: ResourceId.describe('The id of the user group: 24 hexadecimal digits.'),
  /** Its users can be added without an invite. Internal. */
  _orgId: Organization.shape._id,
  /** objectmodelsvc may lack the current members. Internal. */
  _membersPending: z.boolean().optional(),
  /** Incremented by each invite, so that concurrent transactions conflict. Internal. */
  _inviteWrites: z.number().optional(),
  /** Deleted for callers, but not yet in objectmodelsvc. Internal. */
  _deleted: z.boolean(),
});
export type UserGroup = z.infer<typeof UserGroup>;

/** Fields that callers may change; absent fields stay. */
export const UserGroupChange = WorkspaceChange.meta({
  id: 'UserGroupChange',
  description: 'New values of a user group. Omitted fields do not change.',
});
export type UserGroupChange = WorkspaceChange;

/** What invites show of a group; excludes attributes, which may be large. */
export const GroupSummary = UserGroup.pick({
  _id: true,
  _name: true,
  _shortName: true,
  _description: true,
  _userType: true,
}).meta({ id: 'UserGroupSummary', description: 'The user group, as shown in an invite.' });
export type GroupSummary = z.infer<typeof GroupSummary>;

export type GroupForCaller = UserGroup & { _isMember: boolean };

export const ShownUserGroup = UserGroup.omit({
  _appId: true,
  _orgId: true,
  _membersPending: true,
  _inviteWrites: true,
  _deleted: true,
  _revision: true,
})
  .extend({ _isMember: z.boolean().describe('Whether the calling user is a member.') })
  .meta({ id: 'UserGroup', description: 'A group of users. Members have the permissions of the group.' });

export const showUserGroup = (group: GroupForCaller): z.infer<typeof ShownUserGroup> => {
  const { _appId, _orgId, _membersPending, _inviteWrites, _deleted, _revision, ...shown } = group;
  return shown;
};

export const usergroupIrn = (id: string): string => `passportsvc:usergroup:${id}`;
