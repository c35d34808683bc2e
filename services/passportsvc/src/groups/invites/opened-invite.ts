import { createHash, randomBytes } from 'node:crypto';
import type { AppStore } from '../../directory/apps/apps.store.js';
import type { OrganizationStore } from '../../directory/organizations/organizations.store.js';
import { displayNameOf } from '../../scim/users/user.js';
import type { User } from '../../scim/users/user.js';
import type { UserStore } from '../../scim/users/users.store.js';
import type { MemberStore } from '../usergroups/members.store.js';
import type { UserGroup } from '../usergroups/usergroup.js';
import type { UserGroupStore } from '../usergroups/usergroups.store.js';
import { statusOf } from './invite.js';
import type { Invite, InviteStatus } from './invite.js';
import type { InviteStore } from './invites.store.js';

const TOKEN_BYTES = 32;

/** The token in a mail's link; its bearer can answer the invite. */
export const LINK_TOKEN = /^[A-Za-z0-9_-]{43}$/;

export const newLinkToken = (): string => randomBytes(TOKEN_BYTES).toString('base64url');

/** An unsalted hash suffices: tokens are long and random. */
export const hashOfToken = (token: string): string => createHash('sha256').update(token).digest('base64url');

interface FindInviteDeps {
  inviteStore: InviteStore;
  groupStore: UserGroupStore;
}

export const isLinkToken = (key: string): boolean => LINK_TOKEN.test(key);

export const createFindInvite =
  ({ inviteStore, groupStore }: FindInviteDeps) =>
  /** @param key an id, or the token of a link */
  async (key: string): Promise<{ invite: Invite; group: UserGroup } | undefined> => {
    const invite = await (isLinkToken(key) ? inviteStore.findByTokenHash(hashOfToken(key)) : inviteStore.find(key));
    const group = invite && (await groupStore.find(invite._usergroupId));
    return group && !group._deleted ? { invite, group } : undefined;
  };

/**
 * Whether the user is the invitee: the address matches, and the user is in the group's organization or has the link.
 * Nobody verifies addresses of users: an organization vouches for its own, and the link proves receipt of the mail.
 */
export const isInvited = ({ _orgId, _emailKeys }: User, invite: Invite, hasLink: boolean): boolean =>
  _emailKeys.includes(invite._emailKey) && (hasLink || _orgId === invite._orgId);

interface FindMembersDeps {
  memberStore: Pick<MemberStore, 'idsIn'>;
  userStore: Pick<UserStore, 'findAmong'>;
}

/** Finds existing members, who get no mail. @returns a lookup of a member by comparable address */
export const createFindMembers =
  ({ memberStore, userStore }: FindMembersDeps) =>
  async (groupId: string, emailKeys: readonly string[]): Promise<(emailKey: string) => User | undefined> => {
    const found = await userStore.findAmong(await memberStore.idsIn(groupId), emailKeys);
    return (emailKey) => found.find(({ _emailKeys }) => _emailKeys.includes(emailKey));
  };

interface Deps {
  inviteStore: InviteStore;
  groupStore: UserGroupStore;
  userStore: Pick<UserStore, 'find'>;
  organizationStore: Pick<OrganizationStore, 'find'>;
  appStore: Pick<AppStore, 'find'>;
}

export interface OpenedInvite {
  status: InviteStatus;
  groupName: string;
  description?: string;
  orgName: string;
  invitedBy: string;
  email: string;
  expiresAt: number;
  /** The theme of the inviting app. */
  theme?: string;
  /** The home page of the inviting app. */
  home?: string;
  reader?: { name: string; isInvited: boolean; hasAnswered: boolean };
}

export function createOpenInvite({ userStore, organizationStore, appStore, ...stores }: Deps) {
  const findInvite = createFindInvite(stores);

  return {
    /** The invite behind a link, in any status. Read-only. @param userId of the signed-in user */
    async open(token: string, userId?: string): Promise<OpenedInvite | undefined> {
      const found = isLinkToken(token) ? await findInvite(token) : undefined;
      if (!found) return undefined;
      const { invite, group } = found;
      const [organization, app, user] = await Promise.all([
        organizationStore.find(invite._orgId),
        appStore.find(invite._appId),
        userId === undefined ? undefined : userStore.find(userId),
      ]);
      return {
        status: statusOf(invite),
        groupName: group._name ?? group._shortName ?? '',
        description: group._description,
        orgName: organization?._name ?? '',
        invitedBy: invite._metadata._createdByName,
        email: invite._email,
        expiresAt: invite._expiresAt,
        theme: app?._loginTheme,
        home: app?._home || undefined,
        reader: user?.active ? readerOf(user, invite) : undefined,
      };
    },
  };
}

const readerOf = (user: User, invite: Invite): OpenedInvite['reader'] => ({
  name: displayNameOf(user),
  isInvited: isInvited(user, invite, true),
  hasAnswered: invite._answeredById === user._id,
});
