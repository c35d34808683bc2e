import { createdBy } from '@dtplatform/contracts';
import type { Listing, Paging } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import type { Access } from '@dtplatform/permissions';
import type { AppStore } from '../../directory/apps/apps.store.js';
import type { OrganizationStore } from '../../directory/organizations/organizations.store.js';
import { comparableName } from '../../scim/users/user.js';
import type { User } from '../../scim/users/user.js';
import type { UserStore } from '../../scim/users/users.store.js';
import type { GroupSync } from '../usergroups/group-sync.js';
import type { MemberStore } from '../usergroups/members.store.js';
import type { UserGroup } from '../usergroups/usergroup.js';
import type { UserGroups } from '../usergroups/usergroups.js';
import type { UserGroupStore } from '../usergroups/usergroups.store.js';
import { createInviteAnswers } from './invite-answers.js';
import { createInviteReminders } from './invite-mails.js';
import type { InviteMails } from './invite-mails.js';
import { toGroup } from './invite.js';
import type { Invite, InviteStatus, InviteToGroup } from './invite.js';
import type { InviteStore } from './invites.store.js';
import { createFindMembers, createOpenInvite, hashOfToken, newLinkToken } from './opened-invite.js';

const DAY_MS = 24 * 60 * 60 * 1000;
const VALID_FOR_MS = 7 * DAY_MS;
const REMIND_AFTER_MS = 4 * DAY_MS;
const KEPT_FOR_MS = 90 * DAY_MS;

type NewInvite = Pick<Invite, '_email' | '_params'>;

interface Deps {
  inviteStore: InviteStore;
  groupStore: UserGroupStore;
  memberStore: MemberStore;
  userStore: UserStore;
  organizationStore: OrganizationStore;
  appStore: AppStore;
  userGroups: UserGroups;
  groupSync: GroupSync;
  composeMail: InviteMails;
  newId: () => string;
}

export type Invites = ReturnType<typeof createInvites>;

/** Invites to user groups, by mail. */
export function createInvites(deps: Deps) {
  const { inviteStore, groupStore, userStore, userGroups, composeMail, newId } = deps;
  const findMembers = createFindMembers(deps);

  return {
    ...createInviteAnswers(deps),
    ...createOpenInvite(deps),
    ...createInviteReminders(deps),
    /**
     * Invites addresses, all or none, and mails each a link. The invite of an existing member is accepted at once,
     * without a mail.
     * @throws notFound, forbidden, alreadyInvited, pendingInvitesLimit, invitesPerDayLimit
     */
    async create(groupId: string, wanted: NewInvite[], access: Access): Promise<InviteToGroup[]> {
      const group = await userGroups.require('EDIT', groupId, access);
      const memberWith = await findMembers(
        groupId,
        wanted.map(({ _email }) => comparableName(_email)),
      );
      const [invites, mails] = [[] as Invite[], [] as Awaited<ReturnType<InviteMails>>[]];
      for (const one of wanted) {
        const token = newLinkToken();
        const invite = newInvite(newId(), one, { group, token, access });
        const member = memberWith(invite._emailKey);
        invites.push(member ? acceptedBy(member, invite) : invite);
        if (!member) mails.push(await composeMail('USER_GROUP_INVITE', invite, group, token));
      }
      await inviteStore.insertAll(groupId, invites, mails);
      return invites.map((invite) => toGroup(invite, group));
    },
    /** @throws notFound when the caller may not read the group, or it has no such invite */
    async get(groupId: string, id: string, access: Access): Promise<InviteToGroup> {
      const group = await userGroups.require('READ', groupId, access);
      const invite = await inviteStore.find(id);
      if (invite?._usergroupId !== groupId) throw commonErrors.notFound();
      return toGroup(invite, group);
    },
    /** @throws notFound when the caller may not read the group */
    async list(
      groupId: string,
      statuses: readonly InviteStatus[],
      paging: Paging,
      access: Access,
    ): Promise<Listing<InviteToGroup>> {
      const group = await userGroups.require('READ', groupId, access);
      const { list, total } = await inviteStore.list(groupId, statuses, paging);
      return { list: list.map((invite) => toGroup(invite, group)), total };
    },
    /** The caller's own, from groups of its organization. */
    async listOwn({ principal }: Access): Promise<InviteToGroup[]> {
      const user = await userStore.find(principal.id);
      if (!user) return [];
      const invites = await inviteStore.listTo(user._orgId, user._emailKeys);
      const ids = [...new Set(invites.map(({ _usergroupId }) => _usergroupId))];
      const groups = new Map((await groupStore.summarize(ids)).map((group) => [group._id, group]));
      return invites.flatMap((invite) => {
        const group = groups.get(invite._usergroupId);
        return group ? [toGroup(invite, group)] : [];
      });
    },
  };
}

const acceptedBy = ({ _id }: User, { _remindAt, ...invite }: Invite): Invite => ({
  ...invite,
  _status: 'ACCEPTED',
  _answeredById: _id,
});

function newInvite(
  _id: string,
  { _email, _params }: NewInvite,
  { group, token, access }: { group: UserGroup; token: string; access: Access },
): Invite {
  const nowMs = Date.now();
  return {
    _id,
    _email,
    _params,
    _status: 'PENDING',
    _expiresAt: nowMs + VALID_FOR_MS,
    _metadata: createdBy(access.principal, nowMs),
    _usergroupId: group._id,
    _emailKey: comparableName(_email),
    _appId: access.principal.appId,
    _orgId: group._orgId,
    _tokenHashes: [hashOfToken(token)],
    _remindAt: nowMs + REMIND_AFTER_MS,
    _removeAt: new Date(nowMs + KEPT_FOR_MS),
    _revision: 0,
  };
}
