import type { NewMail } from '../mail/mail.js';
import type { TemplateName } from '../notification-templates/notification-template.js';
import type { NotificationTemplates } from '../notification-templates/notification-templates.js';
import { render } from '../notification-templates/render.js';
import type { UserGroup } from '../usergroups/usergroup.js';
import type { Invite } from './invite.js';

interface Deps {
  templates: Pick<NotificationTemplates, 'find'>;
  /** The platform's own URL, for links. */
  baseUrl: string;
}

export type InviteMails = ReturnType<typeof createInviteMails>;

const HOUR_MS = 60 * 60 * 1000;

/** The mails of invites, from the templates of the app through which the invite was made. */
export const createInviteMails =
  ({ templates, baseUrl }: Deps) =>
  async (name: TemplateName, invite: Invite, group: UserGroup, token: string): Promise<NewMail> => {
    const template = await templates.find(invite._appId, name);
    const nowMs = Date.now();
    const mail = render(template, {
      name: group._name ?? group._shortName ?? '',
      ...invite._params,
      // Last, so that no caller can lead the link elsewhere.
      invite_link: `${baseUrl}/passportsvc/api/v1/invites/${token}`,
      invite_dt: new Date(invite._metadata._createdAt).toISOString().slice(0, 10),
      hours: Math.max(1, Math.round((invite._expiresAt - nowMs) / HOUR_MS)),
      base_url: baseUrl,
      host: new URL(baseUrl).host,
    });
    return { ...mail, to: invite._email };
  };
