import { touchedBy } from '@dtplatform/contracts';
import type { Author, Precondition } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import type { Access } from '@dtplatform/permissions';
import { errors } from '../../errors.js';
import { isUser } from '../../scim/users/accounts.js';
import { displayNameOf } from '../../scim/users/user.js';
import type { UserStore } from '../../scim/users/users.store.js';
import type { GroupSync } from '../usergroups/group-sync.js';
import { usergroupIrn } from '../usergroups/usergroup.js';
import type { UserGroup } from '../usergroups/usergroup.js';
import type { UserGroupStore } from '../usergroups/usergroups.store.js';
import { toGroup } from './invite.js';
import type { Invite, InviteAnswer, InviteToGroup } from './invite.js';
import type { InviteStore } from './invites.store.js';
import { createFindInvite, isInvited, isLinkToken } from './opened-invite.js';

interface Deps {
  inviteStore: InviteStore;
  groupStore: UserGroupStore;
  userStore: Pick<UserStore, 'find'>;
  groupSync: GroupSync;
}

/**
 * A link works only for a user with the invited address, since mails get forwarded. Within the group's organization the
 * address alone is enough; across organizations nobody verifies addresses.
 */
/**
 * A link works only for a user with the invited address, since mails get forwarded. Within the group's organization the
 * address alone is enough; across organizations nobody verifies addresses.
 */
export function createInviteAnswers({ inviteStore, groupStore, userStore, groupSync }: Deps) {
  const findInvite = createFindInvite({ inviteStore, groupStore });

  async function answer(
    { invite, group }: { invite: Invite; group: UserGroup },
    status: InviteAnswer,
    by: Author,
    precondition?: Precondition,
  ): Promise<InviteToGroup> {
    const metadata = touchedBy(by, invite._metadata);
    const answered = await inviteStore.answer(invite._id, { status, byId: by.id, metadata }, precondition);
    const current = answered ?? (await inviteStore.find(invite._id));
    // A retry of the same answer succeeds: its response may have been lost.
    if (current?._status !== status || current._answeredById !== by.id) throw errors.inviteClosed();
    if (status === 'ACCEPTED') {
      await groupSync.push(group._id);
      await groupSync.dropDeleted([group._id], [by.id]);
    }
    return toGroup(current, group);
  }

  return {
    /**
     * Answers an invite: the invitee accepts or rejects, holders of EDIT on the group cancel.
     * @param key an id, or the token of a link, which proves receipt of the mail
     * @throws notFound when the caller has no link, is not invited and may not read the group; forbidden,
     * inviteOfAnother, inviteClosed, 412
     */
    async change(
      key: string,
      status: InviteAnswer,
      access: Access,
      precondition: Precondition,
    ): Promise<InviteToGroup> {
      const { principal } = access;
      const found = await findInvite(key);
      if (!found) throw commonErrors.notFound();
      const { invite, group } = found;
      const hasLink = isLinkToken(key);
      const user = isUser(principal) ? await userStore.find(principal.id) : undefined;
      const isFor = user !== undefined && isInvited(user, invite, hasLink);
      const may = (action: 'READ' | 'EDIT') => access.may(action, usergroupIrn(group._id), group._namespaces);
      if (!isFor && !hasLink && !(await may('READ'))) throw commonErrors.notFound();
      if (status === 'CANCELLED' && !(await may('EDIT'))) {
        throw await access.refusal('EDIT', usergroupIrn(group._id), group._namespaces);
      }
      if (status !== 'CANCELLED' && !isFor)
        throw hasLink
          ? errors.inviteOfAnother()
          : commonErrors.forbidden({ message: 'Only the invited user may accept or reject the invite.' });
      return answer(found, status, principal, precondition);
    },
    /**
     * Answers on the page behind the link, for a signed-in user.
     * @throws notFound, inviteOfAnother, inviteClosed, membersLimit, groupsOfUserLimit
     */
    async answerByLink(token: string, status: 'ACCEPTED' | 'REJECTED', userId: string): Promise<void> {
      const found = isLinkToken(token) ? await findInvite(token) : undefined;
      if (!found) throw commonErrors.notFound();
      const user = await userStore.find(userId);
      if (!user?.active || !isInvited(user, found.invite, true)) throw errors.inviteOfAnother();
      await answer(found, status, { id: user._id, name: displayNameOf(user) });
    },
  };
}
