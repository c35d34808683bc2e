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

/** The token in the link of a mail: whoever has it can answer the invite. */
export const LINK_TOKEN = /^[A-Za-z0-9_-]{43}$/;

export const newLinkToken = (): string => randomBytes(TOKEN_BYTES).toString('base64url');

/** Only the hash is stored. A token is random and long, so the hash needs no salt. */
export const hashOfToken = (token: string): string => createHash('sha256').update(token).digest('base64url');

interface FindInviteDeps {
  inviteStore: InviteStore;
  groupStore: UserGroupStore;
}

/** Whether this is the token of a link rather than an id. */
export const isLinkToken = (key: string): boolean => LINK_TOKEN.test(key);

/** Finds an invite whose group exists. */
export const createFindInvite =
  ({ inviteStore, groupStore }: FindInviteDeps) =>
  /** @param key an id, or the token of a link */
  async (key: string): Promise<{ invite: Invite; group: UserGroup } | undefined> => {
    const invite = await (isLinkToken(key) ? inviteStore.findByTokenHash(hashOfToken(key)) : inviteStore.find(key));
    const group = invite && (await groupStore.find(invite._usergroupId));
    return group && !group._deleted ? { invite, group } : undefined;
  };

/**
 * Whether this user is the one who was invited: it has the address, and its organization is the group's or it has the link.
 * Nobody verifies the addresses of users. An organization answers for its own; others show by the link that they got the mail.
 */
export const isInvited = ({ _orgId, _emailKeys }: User, invite: Invite, hasLink: boolean): boolean =>
  _emailKeys.includes(invite._emailKey) && (hasLink || _orgId === invite._orgId);

interface FindMembersDeps {
  memberStore: Pick<MemberStore, 'idsIn'>;
  userStore: Pick<UserStore, 'findAmong'>;
}

/** Finds who is a member already: nobody sends them a mail. @returns for an address in comparable form, the member who has it */
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

/** An invite as somebody sees it who opens the link of its mail. */
export interface OpenedInvite {
  status: InviteStatus;
  groupName: string;
  description?: string;
  /** The organization of the group. */
  orgName: string;
  /** The name of the user or app that invited. */
  invitedBy: string;
  email: string;
  expiresAt: number;
  /** Of the app through which it was sent. */
  theme?: string;
  /** The home page of that app. */
  home?: string;
  /** The user who is signed in. */
  reader?: { name: string; isInvited: boolean; hasAnswered: boolean };
}

export function createOpenInvite({ userStore, organizationStore, appStore, ...stores }: Deps) {
  const findInvite = createFindInvite(stores);

  return {
    /** The invite behind a link, whatever its status. Opening it changes nothing. @param userId who is signed in */
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
