import { isRefusal, tryEach } from '@dtplatform/errors';
import type { UserStore } from '../scim/ports.js';
import type { MemberStore, UserGroupStore } from '../usergroups/ports.js';
import { createFindMembers } from './find-members.js';
import type { InviteMails } from './invite-mails.js';
import type { Invite } from './invite.js';
import { hashOfToken, newLinkToken } from './link-token.js';
import type { InviteStore } from './ports.js';

/** For reminders that fail: those that always do must not take the turns of others. */
const RETRY_AFTER_MS = 5 * 60_000;

interface Deps {
  inviteStore: InviteStore;
  groupStore: UserGroupStore;
  memberStore: MemberStore;
  userStore: UserStore;
  composeMail: InviteMails;
}

/** Reminders of invites that are still open. */
export function createInviteReminders({ inviteStore, groupStore, composeMail, ...stores }: Deps) {
  const findMembers = createFindMembers(stores);

  async function remindOf(invite: Invite): Promise<boolean> {
    const group = await groupStore.find(invite._usergroupId);
    if (!group || group._deleted) return drop(invite);
    // Somebody has added the user meanwhile.
    if ((await findMembers(group._id, [invite._emailKey]))(invite._emailKey)) return drop(invite);
    const token = newLinkToken();
    try {
      const mail = await composeMail('USER_GROUP_INVITE_REMINDER', invite, group, token);
      return await inviteStore.remind(invite._id, hashOfToken(token), mail);
    } catch (error) {
      // With the values of this invite, the template makes no mail. The other reminders must not wait for it.
      if (isRefusal(error)) return drop(invite);
      await inviteStore.postponeReminder(invite._id, Date.now() + RETRY_AFTER_MS);
      throw error;
    }
  }

  async function drop({ _id }: Invite): Promise<false> {
    await inviteStore.dropReminder(_id);
    return false;
  }

  return {
    /** Sends the reminders that are due. @returns how many */
    async remind(): Promise<number> {
      let sent = 0;
      await tryEach(await inviteStore.listDue(), async (invite) => {
        if (await remindOf(invite)) sent += 1;
      });
      return sent;
    },
  };
}
