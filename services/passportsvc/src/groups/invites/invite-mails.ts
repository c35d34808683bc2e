import { isRejection, tryEach } from '@dtplatform/errors';
import type { UserStore } from '../../scim/users/users.store.js';
import type { NewMail } from '../mails/mail.js';
import type { TemplateName } from '../notification_templates/notification-template.js';
import type { NotificationTemplates } from '../notification_templates/notification-templates.js';
import { render } from '../notification_templates/render.js';
import type { MemberStore } from '../usergroups/members.store.js';
import type { UserGroup } from '../usergroups/usergroup.js';
import type { UserGroupStore } from '../usergroups/usergroups.store.js';
import type { Invite } from './invite.js';
import type { InviteStore } from './invites.store.js';
import { createFindMembers, hashOfToken, newLinkToken } from './opened-invite.js';

interface MailDeps {
  templates: Pick<NotificationTemplates, 'find'>;
  baseUrl: string;
}

export type InviteMails = ReturnType<typeof createInviteMails>;

const HOUR_MS = 60 * 60 * 1000;

/** The mails of invites, from the templates of the inviting app. */
export const createInviteMails =
  ({ templates, baseUrl }: MailDeps) =>
  async (name: TemplateName, invite: Invite, group: UserGroup, token: string): Promise<NewMail> => {
    const template = await templates.find(invite._appId, name);
    const nowMs = Date.now();
    const mail = render(template, {
      name: group._name ?? group._shortName ?? '',
      ...invite._params,
      // Last, so that callers cannot override the link.
      invite_link: `${baseUrl}/passportsvc/api/v1/invites/${token}`,
      invite_dt: new Date(invite._metadata._createdAt).toISOString().slice(0, 10),
      hours: Math.max(1, Math.round((invite._expiresAt - nowMs) / HOUR_MS)),
      base_url: baseUrl,
      host: new URL(baseUrl).host,
    });
    return { ...mail, to: invite._email };
  };

/** Backs off failing reminders, so that they do not starve the others. */
const RETRY_AFTER_MS = 5 * 60_000;

interface ReminderDeps {
  inviteStore: InviteStore;
  groupStore: UserGroupStore;
  memberStore: MemberStore;
  userStore: UserStore;
  composeMail: InviteMails;
}

export function createInviteReminders({ inviteStore, groupStore, composeMail, ...stores }: ReminderDeps) {
  const findMembers = createFindMembers(stores);

  async function remindOf(invite: Invite): Promise<boolean> {
    const group = await groupStore.find(invite._usergroupId);
    if (!group || group._deleted) return drop(invite);
    // The user has joined in another way.
    if ((await findMembers(group._id, [invite._emailKey]))(invite._emailKey)) return drop(invite);
    const token = newLinkToken();
    try {
      const mail = await composeMail('USER_GROUP_INVITE_REMINDER', invite, group, token);
      return await inviteStore.remind(invite._id, hashOfToken(token), mail);
    } catch (error) {
      // The template cannot render this invite: drop it rather than block the other reminders.
      if (isRejection(error)) return drop(invite);
      await inviteStore.postponeReminder(invite._id, Date.now() + RETRY_AFTER_MS);
      throw error;
    }
  }

  async function drop({ _id }: Invite): Promise<false> {
    await inviteStore.dropReminder(_id);
    return false;
  }

  return {
    async remind(): Promise<number> {
      let sent = 0;
      await tryEach(await inviteStore.listDue(), async (invite) => {
        if (await remindOf(invite)) sent += 1;
      });
      return sent;
    },
  };
}
