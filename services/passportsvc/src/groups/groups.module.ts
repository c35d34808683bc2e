import { newId } from '@dtplatform/mongo';
import type { GrantSource } from '@dtplatform/permissions';
import { jobsOf, resource } from '@dtplatform/runtime';
import type { Stores } from '../stores.js';
import { createInviteMails } from './invites/invite-mails.js';
import type { InviteParts } from './invites/invite-page.handler.js';
import { createInvites } from './invites/invites.js';
import { inviteCountModel, inviteModel } from './invites/invites.model.js';
import { groupInviteRoutes, inviteRoutes } from './invites/invites.routes.js';
import { createSendMail } from './mails/mail.js';
import { createMails } from './mails/mails.js';
import type { Mails } from './mails/mails.js';
import { mailRoutes } from './mails/mails.routes.js';
import { mailModel } from './mails/mails.store.js';
import type { MailStore } from './mails/mails.store.js';
import { mailJobs, sendMail } from './mails/send-mail.job.js';
import type { MailSender } from './mails/smtp-sender.client.js';
import { createNotificationTemplates } from './notification_templates/notification-templates.js';
import type { NotificationTemplates } from './notification_templates/notification-templates.js';
import { notificationTemplateRoutes } from './notification_templates/notification-templates.routes.js';
import { notificationTemplateModel } from './notification_templates/notification-templates.store.js';
import { createGroupSync } from './usergroups/group-sync.js';
import { createMembers } from './usergroups/members.js';
import type { Members } from './usergroups/members.js';
import { createUserGroups } from './usergroups/usergroups.js';
import type { UserGroups } from './usergroups/usergroups.js';
import { memberModel, usergroupModel } from './usergroups/usergroups.model.js';
import { memberRoutes, usergroupRoutes } from './usergroups/usergroups.routes.js';

interface Api extends InviteParts {
  userGroups: UserGroups;
  members: Members;
  notificationTemplates: NotificationTemplates;
  mails: Mails;
}

interface Worker {
  mailStore: MailStore;
  sender: MailSender;
}

export const groups = resource({
  tags: {
    usergroups: 'Groups of users. Members have the permissions of the group.',
    invites: 'Mail invites to user groups.',
    mails: 'The mails of the platform, for its operators.',
    notificationTemplates: 'The texts of the invite emails of an app.',
  },
  models: [usergroupModel, memberModel, inviteModel, inviteCountModel, notificationTemplateModel, mailModel],
  routes: (parts: Api) => [
    usergroupRoutes(parts),
    memberRoutes(parts),
    groupInviteRoutes(parts),
    inviteRoutes(parts),
    notificationTemplateRoutes(parts),
    mailRoutes(parts),
  ],
  jobs: (parts: Worker) => [jobsOf(mailJobs, { 'mail.send': sendMail(createSendMail(parts)) }, { concurrency: 8 })],
  sweeps: ({ mailStore }: Worker) => [
    { name: 'mails_waiting', help: 'Mails not sent yet.', read: () => mailStore.count('QUEUED') },
    { name: 'mails_failed', help: 'Mails that could not be sent.', read: () => mailStore.count('FAILED') },
  ],
});

interface Sources {
  stores: Stores;
  grants: GrantSource;
  baseUrl: string;
}

export function createGroupUseCases({ stores, grants, baseUrl }: Sources) {
  const notificationTemplates = createNotificationTemplates({ ...stores, newId, baseUrl });
  const groupSync = createGroupSync({ ...stores, grants });
  const userGroups = createUserGroups({ ...stores, groupSync, grants, newId });
  const composeMail = createInviteMails({ templates: notificationTemplates, baseUrl });
  return {
    notificationTemplates,
    userGroups,
    groupSync,
    members: createMembers({ ...stores, userGroups, groupSync }),
    mails: createMails({ ...stores, notificationTemplates }),
    invites: createInvites({ ...stores, userGroups, groupSync, composeMail, newId }),
  };
}
