import { createdBy } from '@dtplatform/contracts';
import type { Listing, Metadata, Paging, Precondition } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import type { Access } from '@dtplatform/permissions';
import type { AppStore } from '../../directory/apps/apps.js';
import type { OrganizationStore } from '../../directory/organizations/organizations.js';
import { comparableName } from '../../scim/users/user.js';
import type { User } from '../../scim/users/user.js';
import type { UserStore } from '../../scim/users/users.js';
import type { NewMail } from '../mail/mail.js';
import type { GroupSync } from '../usergroups/group-sync.js';
import type { UserGroup } from '../usergroups/usergroup.js';
import type { MemberStore, UserGroups, UserGroupStore } from '../usergroups/usergroups.js';
import { createInviteAnswers } from './invite-answers.js';
import { createInviteReminders } from './invite-mails.js';
import type { InviteMails } from './invite-mails.js';
import { toGroup } from './invite.js';
import type { Invite, InviteAnswer, InviteStatus, InviteToGroup } from './invite.js';
import { createFindMembers, createOpenInvite, hashOfToken, newLinkToken } from './opened-invite.js';

export interface InviteStore {
  find(id: string): Promise<Invite | undefined>;
  findByTokenHash(hash: string): Promise<Invite | undefined>;
  /** @param statuses all if there are none; as of now (`statusOf`) */
  list(groupId: string, statuses: readonly InviteStatus[], paging: Paging): Promise<Listing<Invite>>;
  /** The newest invites of an organization's groups to one of these addresses. */
  listTo(orgId: string, emailKeys: readonly string[]): Promise<Invite[]>;
  /**
   * Stores all invites and their mails, or none.
   * @throws notFound when the group is gone; alreadyInvited, pendingInvitesLimit, invitesPerDayLimit
   */
  insertAll(groupId: string, invites: Invite[], mails: NewMail[]): Promise<void>;
  /**
   * Answers an invite that is still open. Whoever accepts becomes a member in the same transaction.
   * @returns the answered invite; undefined when it is no longer open
   * @throws notFound when the group is gone, membersLimit, groupsOfUserLimit, 412
   */
  answer(
    id: string,
    answer: { status: InviteAnswer; byId: string; metadata: Metadata },
    precondition: Precondition,
  ): Promise<Invite | undefined>;
  /** Open invites whose reminder is due. */
  listDue(): Promise<Invite[]>;
  /** Notes that the reminder of an open invite is sent, with one more link. @returns whether it was still due */
  remind(id: string, tokenHash: string, mail: NewMail): Promise<boolean>;
  /** For a reminder that failed and is tried again. @param until in milliseconds since 1970 */
  postponeReminder(id: string, until: number): Promise<void>;
  /** For a reminder that can never be sent. */
  dropReminder(id: string): Promise<void>;
}

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

/** Invites to user groups, by mail (docs/adr/0035-invites.md). */
export function createInvites(deps: Deps) {
  const { inviteStore, groupStore, userStore, userGroups, composeMail, newId } = deps;
  const findMembers = createFindMembers(deps);

  return {
    ...createInviteAnswers(deps),
    ...createOpenInvite(deps),
    ...createInviteReminders(deps),
    /**
     * Invites addresses, all or none. Each gets a mail with a link; the invite of a member counts as accepted and sends none.
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
    /** One of a group. @throws notFound when the caller may not read the group, or it has no such invite */
    async get(groupId: string, id: string, access: Access): Promise<InviteToGroup> {
      const group = await userGroups.require('READ', groupId, access);
      const invite = await inviteStore.find(id);
      if (invite?._usergroupId !== groupId) throw commonErrors.notFound();
      return toGroup(invite, group);
    },
    /** Those of one group. @throws notFound when the caller may not read it */
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
