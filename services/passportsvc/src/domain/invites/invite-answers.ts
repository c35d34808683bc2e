import { commonErrors } from '@dtplatform/errors';
import type { Access } from '@dtplatform/permissions';
import { touchedBy } from '@dtplatform/resource';
import type { Author, Precondition } from '@dtplatform/resource';
import { errors } from '../../errors.js';
import type { UserStore } from '../scim/ports.js';
import type { User } from '../scim/user.js';
import type { GroupSync } from '../usergroups/group-sync.js';
import type { UserGroupStore } from '../usergroups/ports.js';
import { usergroupIrn } from '../usergroups/usergroup.js';
import type { UserGroup } from '../usergroups/usergroup.js';
import { isUser } from '../usergroups/usergroups.js';
import { toGroup } from './invite.js';
import type { Invite, InviteAnswer, InviteToGroup } from './invite.js';
import { hashOfToken, LINK_TOKEN } from './link-token.js';
import type { InviteStore } from './ports.js';

interface Deps {
  inviteStore: InviteStore;
  groupStore: UserGroupStore;
  userStore: UserStore;
  groupSync: GroupSync;
}

/** Answers to invites: by call, and by the page behind the link. */
export function createInviteAnswers({ inviteStore, groupStore, userStore, groupSync }: Deps) {
  /** @param key an id, or the token of a link */
  async function findWithGroup(key: string): Promise<{ invite: Invite; group: UserGroup } | undefined> {
    const invite = await (LINK_TOKEN.test(key) ? inviteStore.findByTokenHash(hashOfToken(key)) : inviteStore.find(key));
    const group = invite && (await groupStore.find(invite._usergroupId));
    return group && !group._deleted ? { invite, group } : undefined;
  }

  async function answer(
    { invite, group }: { invite: Invite; group: UserGroup },
    status: InviteAnswer,
    by: Author,
    precondition?: Precondition,
  ): Promise<InviteToGroup> {
    const metadata = touchedBy(by, invite._metadata);
    const answered = await inviteStore.answer(invite._id, { status, byId: by.id, metadata }, precondition);
    const current = answered ?? (await inviteStore.find(invite._id));
    // The same answer again is none: the first one may not have reached its caller.
    if (current?._status !== status || current._answeredById !== by.id) throw errors.inviteClosed();
    if (status === 'ACCEPTED') await groupSync.push(group._id);
    return toGroup(current, group);
  }

  async function findBehind(token: string) {
    const found = LINK_TOKEN.test(token) ? await findWithGroup(token) : undefined;
    if (!found) throw commonErrors.notFound();
    return found;
  }

  return {
    /**
     * Answers an invite: the invited user accepts or rejects, holders of EDIT on the group cancel.
     * @param key an id, or the token of a link, which proves that its bearer is the one who was invited
     * @throws notFound when the caller is neither invited nor may read the group; forbidden, inviteClosed, 412
     */
    async change(
      key: string,
      status: InviteAnswer,
      access: Access,
      precondition: Precondition,
    ): Promise<InviteToGroup> {
      const { principal } = access;
      const found = await findWithGroup(key);
      if (!found) throw commonErrors.notFound();
      const { invite, group } = found;
      const user = isUser(principal) ? await userStore.find(principal.id) : undefined;
      const isInvited = user !== undefined && (LINK_TOKEN.test(key) || isTo(user, invite));
      const may = (action: 'READ' | 'EDIT') => access.may(action, usergroupIrn(group._id), group._namespaces);
      if (!isInvited && !(await may('READ'))) throw commonErrors.notFound();
      if (status === 'CANCELLED' ? !(await may('EDIT')) : !isInvited) throw commonErrors.forbidden();
      return answer(found, status, principal, precondition);
    },
    /** For the page behind the link: the invite, whatever its status. */
    async findByToken(token: string): Promise<InviteToGroup | undefined> {
      const found = LINK_TOKEN.test(token) ? await findWithGroup(token) : undefined;
      return found && toGroup(found.invite, found.group);
    },
    /** For the page behind the link, with a signed-in user. @throws notFound, inviteClosed, membersLimit */
    async accept(token: string, user: Author): Promise<InviteToGroup> {
      return answer(await findBehind(token), 'ACCEPTED', user);
    },
    /** For the page behind the link, with a signed-in user. @throws notFound, inviteClosed */
    async reject(token: string, user: Author): Promise<InviteToGroup> {
      return answer(await findBehind(token), 'REJECTED', user);
    },
  };
}

/**
 * Nobody verifies the addresses of users, but an organization answers for its own. Users of other organizations show by the
 * link that they received the mail.
 */
const isTo = ({ _orgId, _emailKeys }: User, invite: Invite): boolean =>
  _orgId === invite._orgId && _emailKeys.includes(invite._emailKey);
