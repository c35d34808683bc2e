import type { AppStore } from '../apps/ports.js';
import type { OrganizationStore } from '../organizations/ports.js';
import type { UserStore } from '../scim/ports.js';
import { displayNameOf } from '../scim/user.js';
import type { User } from '../scim/user.js';
import type { UserGroupStore } from '../usergroups/ports.js';
import { createFindInvite, isInvited, isLinkToken } from './find-invite.js';
import { statusOf } from './invite.js';
import type { Invite, InviteStatus } from './invite.js';
import type { InviteStore } from './ports.js';

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
