import type { UserGroupStore } from '../usergroups/ports.js';
import type { InviteMails } from './invite-mails.js';
import { hashOfToken, newLinkToken } from './link-token.js';
import type { InviteStore } from './ports.js';

interface Deps {
  inviteStore: InviteStore;
  groupStore: UserGroupStore;
  composeMail: InviteMails;
}

/** Reminders of invites that are still open. */
export function createInviteReminders({ inviteStore, groupStore, composeMail }: Deps) {
  return {
    /** Sends the reminders that are due. @returns how many */
    async remind(): Promise<number> {
      let sent = 0;
      for (const invite of await inviteStore.listDue()) {
        const group = await groupStore.find(invite._usergroupId);
        const token = newLinkToken();
        if (!group || group._deleted) await inviteStore.dropReminder(invite._id);
        else {
          const mail = await composeMail('USER_GROUP_INVITE_REMINDER', invite, group, token);
          if (await inviteStore.remind(invite._id, hashOfToken(token), mail)) sent += 1;
        }
      }
      return sent;
    },
  };
}
