import type { User } from '../scim/user.js';
import type { UserGroupStore } from '../usergroups/ports.js';
import type { UserGroup } from '../usergroups/usergroup.js';
import type { Invite } from './invite.js';
import { hashOfToken, LINK_TOKEN } from './link-token.js';
import type { InviteStore } from './ports.js';

interface Deps {
  inviteStore: InviteStore;
  groupStore: UserGroupStore;
}

/** Whether this is the token of a link rather than an id. */
export const isLinkToken = (key: string): boolean => LINK_TOKEN.test(key);

/** Finds an invite whose group exists. */
export const createFindInvite =
  ({ inviteStore, groupStore }: Deps) =>
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
